//! One decision: the policy in force for a call, and what it says. The shim, `run`,
//! `check` and `explain` all come here, so that they cannot disagree.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bstr::{BString, ByteSlice};

use crate::command::{Act, Effect, Object, Program, join};
use crate::line::{self, Way};
use crate::policy::{
    Accepted, Ancestry, Invocation, Layer, Location, Machine, Origin, Place, Reserved, Rule,
    Settings, Verdict, judge_all,
};
use crate::render::{sealed::TOKEN, trouble};
use crate::seal::{Index, Threat, Tier, encode, threats};
use crate::sys::context::{Context, absolute};
use crate::sys::ledger::{self, Held};
use crate::sys::policy_view::{self, ViewBytes};
use crate::sys::store::StoreError;
use crate::sys::{environment, processes, sources, touch};
use crate::view::{Distrust, SourceRecord, View};

/// What to judge.
#[derive(Debug, Clone, Copy)]
pub enum Subject<'a> {
    /// What this process was called with: who called is read off its ancestors.
    Call(&'a [BString]),
    /// Words that are asked about: taken as typed by the agent, as a line is.
    Argv(&'a [BString]),
    /// Shell text: parsed as bash does, and matched raw as well.
    Line(&'a str),
    /// The same of PowerShell.
    PowerShell(&'a str),
}

impl<'a> Subject<'a> {
    /// The text of a line.
    pub fn text(self) -> Option<&'a str> {
        match self {
            Subject::Line(text) | Subject::PowerShell(text) => Some(text),
            Subject::Call(_) | Subject::Argv(_) => None,
        }
    }

    /// How a line is taken apart; PowerShell's is always cut.
    pub fn way(self) -> Option<Way> {
        match self {
            Subject::Line(text) => Some(line::parse(text).way),
            Subject::PowerShell(_) => Some(Way::Cut),
            Subject::Call(_) | Subject::Argv(_) => None,
        }
    }

    fn argv(self) -> Option<&'a [BString]> {
        match self {
            Subject::Call(argv) | Subject::Argv(argv) => Some(argv),
            Subject::Line(_) | Subject::PowerShell(_) => None,
        }
    }
}

/// The policy's answer, with all that it was made from.
#[derive(Debug)]
pub struct Decision {
    /// The call, and the commands inside it.
    pub calls: Vec<Invocation>,
    /// Rules that may hit; empty on nearly every pass.
    pub rules: Vec<Rule>,
    pub reserved: Vec<Reserved>,
    pub settings: Settings,
    /// Said on every call while it holds: a broken project file.
    pub notices: Vec<String>,
    /// The program must get its absolute path as argv\[0\].
    pub argv0_is_path: bool,
    /// Rules in force, whatever they speak of.
    pub rule_count: u32,
    pub sources: Vec<SourceRecord>,
    /// The check that the call is, where a policy says so.
    pub accepted: Option<Accepted>,
    /// Seals that the calls would break.
    pub threats: Vec<Threat>,
}

/// Why nothing can be decided: what exit 88 says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Doubt {
    Policy(Distrust),
    /// What is sealed cannot be known.
    Ledger(StoreError),
}

impl Doubt {
    /// In words: `name` was not run.
    pub fn words(&self, name: &OsStr) -> String {
        match self {
            Doubt::Policy(distrust) => trouble::distrust(name, distrust),
            Doubt::Ledger(error) => trouble::ledger(name, error),
        }
    }
}

impl From<Distrust> for Doubt {
    fn from(distrust: Distrust) -> Self {
        Doubt::Policy(distrust)
    }
}

impl From<StoreError> for Doubt {
    fn from(error: StoreError) -> Self {
        Doubt::Ledger(error)
    }
}

impl Decision {
    fn without_rules(view: &View<'_>) -> Self {
        Decision {
            calls: Vec::new(),
            rules: Vec::new(),
            reserved: Vec::new(),
            settings: Settings::default(),
            notices: view.notices(),
            argv0_is_path: false,
            rule_count: view.rule_count(),
            sources: Vec::new(),
            accepted: None,
            threats: Vec::new(),
        }
    }

    /// The verdict over all calls.
    pub fn verdict(&self) -> Verdict<'_> {
        let rules: Vec<&Rule> = self.rules.iter().collect();
        judge_all(&rules, &self.reserved, &self.calls).with_seals(&self.threats)
    }
}

/// Decides. An error is what exit 88 says.
pub fn decide(context: &Context, subject: Subject<'_>) -> Result<Decision, Doubt> {
    let kept = decide_by(context, subject, policy_view::get)?;
    // A kept view that turned out to be damaged decides nothing.
    match kept {
        Some(decision) => Ok(decision),
        None => Ok(decide_by(context, subject, policy_view::renew)?.ok_or_else(damaged)?),
    }
}

/// A project's file is known by its name in the project, and by its whole path elsewhere.
fn show_from(context: &Context, rule: &mut Rule) {
    let Origin { layer, file, shown, .. } = &mut rule.origin;
    let path = Path::new(file.as_str());
    let is_by_name = *layer == Layer::Project && path.file_name() == Some(shown.as_ref());
    let is_here = || {
        let above = path.parent().zip(context.cwd.as_deref());
        above.is_some_and(|(directory, cwd)| cwd.starts_with(directory))
    };
    if is_by_name && !is_here() {
        shown.clone_from(file);
    }
}

/// `None`: a view was damaged.
fn decide_by(
    context: &Context,
    subject: Subject<'_>,
    get: impl Fn(&Context, &[SourceRecord]) -> Result<ViewBytes, Distrust>,
) -> Result<Option<Decision>, Doubt> {
    let found = sources::find(context, &[]);
    let bytes = get(context, &found)?;
    let Ok(view) = View::open(bytes.bytes()) else { return Ok(None) };
    if let Some(argv) = subject.argv() {
        let called = argv.first().map(|a| a.rsplit(|b| *b == b'/').next().unwrap_or_default());
        let called = called.unwrap_or_default();
        let entry = view.program(called);
        let looks_inside = entry.as_ref().is_some_and(|e| e.wraps || e.changes_directory);
        let speaks = looks_inside
            || view.may_speak_of(called, entry.as_ref())
            || view.may_speak_of_text(&join(argv));
        let may_break_a_seal = !speaks
            && destroys(entry.as_ref())
            && (view.protects_anything() || ledger::held(context)?.is_some());
        if !speaks && !may_break_a_seal {
            trusted(&view, called)?;
            let argv0_is_path = entry.is_some_and(|e| e.argv0_is_path);
            let decision = Decision { argv0_is_path, ..Decision::without_rules(&view) };
            let decision = view.is_whole().then_some(decision);
            if matches!(subject, Subject::Call(_)) {
                // execve(2) unmaps it along with all else, and cheaper.
                std::mem::forget(bytes);
            }
            return Ok(decision);
        }
    }
    let calls = self::calls(context, &view, subject, &Ancestry::default());
    let elsewhere = effective_directories(context, &calls);
    if !elsewhere.is_empty() {
        let there = sources::find(context, &elsewhere);
        if there != found {
            let bytes = get(context, &there)?;
            let Ok(view) = View::open(bytes.bytes()) else { return Ok(None) };
            let calls = self::calls(context, &view, subject, &Ancestry::default());
            return weigh(context, subject, &view, there, calls);
        }
    }
    weigh(context, subject, &view, found, calls)
}

fn weigh(
    context: &Context,
    subject: Subject<'_>,
    view: &View<'_>,
    sources: Vec<SourceRecord>,
    mut calls: Vec<Invocation>,
) -> Result<Option<Decision>, Doubt> {
    // What is inside need not meet a shim of its own: `env` may give it another PATH.
    calls.iter().try_for_each(|call| trusted(view, call.words.called()))?;
    let entry = calls.first().and_then(|call| view.program(call.words.called()));
    let argv0_is_path = entry.is_some_and(|e| e.argv0_is_path);
    let mut rules = view.candidates(&calls);
    rules.iter_mut().for_each(|rule| show_from(context, rule));
    let mut reserved: Vec<Reserved> = Vec::new();
    for name in calls.iter().flat_map(|call| view.reserved(&call.words)) {
        if !reserved.contains(&name) {
            reserved.push(name);
        }
    }
    // Ancestors are looked up only for a rule that depends on them.
    let asks = |rule: &Rule| rule.asks_for_ancestry() && calls.iter().any(|c| rule.covers(c));
    if let Subject::Call(argv) = subject
        && rules.iter().any(asks)
    {
        let session = context.record.as_ref().and_then(|r| r.session);
        calls = self::calls(
            context,
            view,
            subject,
            &processes::ancestry(session, argv, environment::shell_ran()),
        );
    }
    let mut threats = threatened(context, view, &calls)?;
    // Of `sh -c TEXT` the text is a line too.
    let text =
        subject.text().or_else(|| calls.iter().find(|c| c.line.is_some()).map(|c| c.whole()));
    if let (Some(text), Some(shims)) = (text, &context.shims) {
        threats.retain(|threat| !is_for_its_shim(text, threat, shims));
    }
    let own = calls.first().filter(|_| matches!(subject, Subject::Call(_)));
    let accepted = own.and_then(|call| view.accepted(call));
    let nothing = Decision {
        calls,
        sources,
        argv0_is_path,
        accepted,
        threats,
        ..Decision::without_rules(view)
    };
    let passes = rules.is_empty() && reserved.is_empty() && nothing.threats.is_empty();
    let decision = match passes {
        true => nothing,
        false => Decision { rules, reserved, settings: view.settings(), ..nothing },
    };
    Ok(view.is_whole().then_some(decision))
}

/// Has the line given a reason for which a soft seal yields to the command, and will its shim see
/// that? A reason is spent there alone.
fn is_for_its_shim(text: &str, threat: &Threat, shims: &Path) -> bool {
    if threat.tier != Tier::Soft || !touch::is_there(&shims.join(&threat.by)) {
        return false;
    }
    let gives = |assignment: &line::Assignment| {
        let value = assignment.value.literal();
        assignment.name == TOKEN && value.is_none_or(|value| !value.trim().is_empty())
    };
    let line = line::parse(text);
    let is_it = |command: &&line::Command| command.argv().first().is_some_and(|p| *p == threat.by);
    let mut own = line.commands.iter().filter(is_it).peekable();
    own.peek().is_some()
        && own.all(|c| c.redirections.is_empty() && c.assignments.iter().any(gives))
}

/// May a program lose what is there?
fn destroys(entry: Option<&Program>) -> bool {
    entry.is_some_and(|program| program.acts & Act::destructive() != 0)
}

/// The seals that these calls would break. What is sealed is looked up only where a call may
/// lose something.
fn threatened(
    context: &Context,
    view: &View<'_>,
    calls: &[Invocation],
) -> Result<Vec<Threat>, Doubt> {
    let may = |call: &Invocation| {
        !call.effects.is_empty()
            || !call.written.is_empty()
            || destroys(view.program(call.words.called()).as_ref())
            || touch::script(call).is_some()
            || view.gives_code(call)
    };
    if !calls.iter().any(may) {
        return Ok(Vec::new());
    }
    let (held, mut protects) = (ledger::held(context)?, view.protects());
    if held.is_some() {
        protects.extend(touch::own(context));
    }
    if held.is_none() && protects.is_empty() {
        return Ok(Vec::new());
    }
    let mut calls = calls.to_vec();
    let aliases: Vec<_> = calls.iter().filter_map(|call| touch::alias(call, context)).collect();
    calls.extend(aliases.iter().flat_map(|argv| view.calls(argv, &Ancestry::default())));
    let place = place(context);
    calls.iter_mut().for_each(|call| enter(call, context, &place));
    view.add_effects(&mut calls, &place);
    let to = |held: &Held| threats_to(held.bytes(), &calls, context);
    let mut threats = match held.as_ref().map(to) {
        None => Vec::new(),
        Some(Some(threats)) => threats,
        Some(None) => {
            // The view is damaged: the ledger itself says what is sealed.
            let held = ledger::held_by_ledger(context)?;
            held.as_ref().and_then(to).unwrap_or_default()
        }
    };
    if let Some(state) = context.state().filter(|_| !threats.is_empty()) {
        threats = ledger::without_own(context, state, ledger::tell(state, threats));
    }
    if !protects.is_empty() {
        let (entries, seals): (Vec<_>, Vec<_>) =
            touch::protected(&protects, context).into_iter().unzip();
        let found = threats_to(&encode(&entries), &calls, context).unwrap_or_default();
        threats.extend(found.into_iter().map(|threat| {
            let sealed = seals.iter().find(|seal| seal.id == threat.seal).cloned();
            Threat { sealed, ..threat }
        }));
        threats.sort_by_key(|threat| std::cmp::Reverse(threat.tier));
    }
    Ok(threats)
}

/// `None`: the index is damaged.
fn threats_to(index: &[u8], calls: &[Invocation], context: &Context) -> Option<Vec<Threat>> {
    let index = Index::open(index).ok()?;
    let mut found: Vec<Threat> = Vec::new();
    for call in calls {
        let mut met = Vec::new();
        let mut of_call = Vec::new();
        for touched in touch::of_call(call, context, &index) {
            let threats = threats(&[touched.touch], &index).ok()?;
            if !threats.is_empty() {
                met.push(touched.typed);
            }
            of_call.extend(threats);
        }
        let rest = rest(call, &met);
        for threat in &mut of_call {
            (threat.by, threat.rest) = (call.called(), rest.clone());
        }
        for threat in of_call {
            if !found.iter().any(|f| f.seal == threat.seal && f.path == threat.path) {
                found.push(threat);
            }
        }
    }
    found.sort_by_key(|threat| (std::cmp::Reverse(threat.tier), threat.seal));
    Some(found)
}

/// The call without the operands that are sealed, where others are left.
fn rest(call: &Invocation, met: &[BString]) -> Vec<BString> {
    let deletes = |effect: &Effect| matches!(effect.act, Act::Deletes | Act::Truncates);
    let mut destructive = call.effects.iter().filter(|effect| effect.act.destroys());
    let operands = call.words.operands();
    let left = operands.iter().filter(|word| !met.contains(&word.text)).count();
    if left == 0 || left == operands.len() || !destructive.all(deletes) {
        return Vec::new();
    }
    let is_left = |word: &&BString| {
        !met.contains(*word) || !operands.iter().any(|operand| operand.text == **word)
    };
    call.words.argv().iter().filter(is_left).cloned().collect()
}

/// Is nothing that mentions this name broken?
fn trusted(view: &View<'_>, called: &[u8]) -> Result<(), Distrust> {
    let why = called.to_str().ok().and_then(|name| view.distrust(name));
    why.map_or(Ok(()), |message| Err(Distrust { message }))
}

fn damaged() -> Distrust {
    Distrust { message: "the compiled policy is damaged".to_owned() }
}

fn calls(
    context: &Context,
    view: &View<'_>,
    subject: Subject<'_>,
    ancestry: &Ancestry,
) -> Vec<Invocation> {
    let mut calls = match subject {
        Subject::Call(argv) | Subject::Argv(argv) => view.calls(argv, ancestry),
        Subject::Line(text) => view.calls_of_line(text, ancestry),
        Subject::PowerShell(text) => view.calls_of_powershell(text, ancestry),
    };
    if view.speaks_of_effects() {
        let place = place(context);
        let mut links = Links::default();
        calls.iter_mut().for_each(|call| enter(call, context, &place));
        view.add_effects(&mut calls, &place);
        calls.iter_mut().for_each(|call| links.follow(call, context));
    }
    calls
}

/// A `cd` to what is there does not fail.
fn enter(call: &mut Invocation, context: &Context, place: &Place) {
    let is_there = |path: &BString| {
        let path = place.at_home(path, true).into_iter().next().unwrap_or_default();
        sources::is_directory(&absolute(context.cwd.as_deref(), &path.to_path_lossy()))
    };
    call.locations.retain(|location| !location.unless.iter().any(is_there));
}

/// Directories that were followed to where they are.
#[derive(Default)]
struct Links {
    real: BTreeMap<PathBuf, PathBuf>,
}

impl Links {
    /// What is behind a link undergoes it too: `rm d/x`, where `d` leads to `dist`.
    fn follow(&mut self, call: &mut Invocation, context: &Context) {
        for at in 0..call.effects.len() {
            let Some(effect) = call.effects.get(at) else { continue };
            let (Object::Path(path)
            | Object::Only(path)
            | Object::Below(path)
            | Object::Among(path)) = &effect.on
            else {
                continue;
            };
            let typed = absolute(context.cwd.as_deref(), &path.to_path_lossy());
            // A link itself is deleted and moved, not what it leads to.
            let is_itself =
                matches!(effect.act, Act::Deletes | Act::Moves) && !path.ends_with(b"/");
            let real = self.real(&typed, is_itself);
            let Some(real_path) = <[u8]>::from_path(&real).filter(|_| real != typed) else {
                continue;
            };
            let on = match effect.on {
                Object::Below(_) => Object::Below(real_path.into()),
                Object::Among(_) => Object::Among(real_path.into()),
                _ => Object::Path(real_path.into()),
            };
            let act = effect.act;
            call.effects.push(Effect { act, on });
        }
    }

    fn real(&mut self, typed: &Path, is_itself: bool) -> PathBuf {
        let named = typed.parent().zip(typed.file_name());
        let Some((directory, name)) = named else { return sources::canonical(typed.to_owned()) };
        if !is_itself && sources::is_link(typed) {
            return sources::canonical(typed.to_owned());
        }
        if !self.real.contains_key(directory) {
            let real = sources::canonical(directory.to_owned());
            self.real.insert(directory.to_owned(), real);
        }
        self.real.get(directory).map_or_else(|| typed.to_owned(), |real| real.join(name))
    }
}

/// Where a call is made, as rules on effects need to know it.
pub fn place(context: &Context) -> Arc<Place> {
    let bytes = |path: &Path| <[u8]>::from_path(path).map(BString::from);
    let homes = context.homes();
    Arc::new(Place {
        cwd: context.cwd.as_deref().and_then(bytes).unwrap_or_default(),
        homes: homes.iter().filter_map(|home| bytes(home)).collect(),
    })
}

/// More directories are not asked for their policy.
const EFFECTIVE: usize = 64;

/// Where the calls will work, if not here: `git -C dir`, `gradle -p dir`, `cd dir`; and each place
/// where they may (`--git-dir` and `--work-tree`).
fn effective_directories(context: &Context, calls: &[Invocation]) -> Vec<PathBuf> {
    let place = place(context);
    let mut found: Vec<PathBuf> = Vec::new();
    let stays = |call: &&Invocation| {
        call.locations.is_empty() && call.words.directories().is_empty()
            || call.machine == Machine::Another
    };
    for call in calls.iter().filter(|call| !stays(call)) {
        let here = Location::default();
        let known = call.locations.iter().filter(|location| !location.is_unknown());
        let mut starts: Vec<&Location> = known.collect();
        if call.locations.is_empty() || starts.is_empty() {
            starts.push(&here);
        }
        for start in starts {
            let path = place.at_home(&start.path, true).into_iter().next().unwrap_or_default();
            let at = absolute(context.cwd.as_deref(), &path.to_path_lossy());
            let stands = call.words.stands();
            let stands = stands.iter().filter(|stand| !stand.is_empty()).take(EFFECTIVE);
            let also = stands.map(|stand| absolute(Some(&at), &stand.to_path_lossy()));
            let moved = (!start.path.is_empty()).then(|| at.clone());
            for directory in moved.into_iter().chain(also) {
                if found.len() < EFFECTIVE && !found.contains(&directory) {
                    found.push(directory);
                }
            }
        }
    }
    found.into_iter().map(sources::canonical).collect()
}
