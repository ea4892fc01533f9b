//! The calls in an argv or a line: the command itself, and every command that
//! stands in its arguments.

use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice};

use crate::command::{Act, Effect, Object, Words, Wrapped, Wraps, joined, parse_with};
use crate::line::{
    self, Command, Directory, Dynamic, Line, Piece, Possible, RedirectOperator, Redirection, Word,
};
use crate::policy::{Ancestry, Invocation, Location, Machine, Process, matches_name};

use super::feeders::Feeders;
use super::unread::ASKED_BYTES;
use super::{View, code, put};

/// Commands inside commands inside commands: further down nothing is looked at.
const DEPTH: usize = 8;

impl View<'_> {
    /// Takes argv apart by the descriptions in the view.
    pub fn words(&self, argv: &[BString]) -> Words {
        self.words_of(argv.to_vec())
    }

    fn words_of(&self, argv: Vec<BString>) -> Words {
        let called = argv.first().map(|a| a.rsplit(|b| *b == b'/').next().unwrap_or_default());
        let entry = called.and_then(|name| self.program(name));
        parse_with(argv, entry.as_ref().map(|e| e.canonical.as_str()), |path| self.grammar(path))
    }

    /// The call of an argv and those it wraps.
    pub fn calls(&self, argv: &[BString], ancestry: &Ancestry) -> Vec<Invocation> {
        let mut found = Found::default();
        let call = Invocation::from_words(self.words(argv), ancestry.clone());
        self.follow(call, None, DEPTH, &mut found);
        found.calls
    }

    /// The calls of shell text: its commands, those that they wrap, and those of the texts that
    /// its shells are given or fed.
    pub fn calls_of_line(&self, text: &str, ancestry: &Ancestry) -> Vec<Invocation> {
        let mut found = Found::default();
        found.left += text.len();
        let (whole, above) = (Arc::from(text), Arc::new(ancestry.clone()));
        self.follow_text(Text::new(text, &whole, &above), DEPTH, &mut found);
        if found.calls.is_empty() {
            found.calls.push(whole_alone(self, &whole, &above));
        }
        found.calls
    }

    /// Notes a call and follows what is inside it.
    pub(super) fn follow_call(&self, call: Invocation, found: &mut Found) {
        self.follow(call, None, DEPTH, found);
    }

    fn follow_text(&self, text: Text<'_>, depth: usize, found: &mut Found) {
        let Some(left) = found.left.checked_sub(text.text.len()) else { return };
        found.left = left;
        let line = line::parse_with(text.text, text.parameters);
        let from = text.from;
        let mut feeders = Feeders::of_line(self);
        let is_first = found.is_above(text.inside);
        found.calls.reserve(line.commands.len());
        for (at, command) in line.commands.iter().enumerate() {
            // What a function does has been seen where it was defined.
            let argv = if command.is_call { Vec::new() } else { command.argv() };
            let words = self.words_of(argv);
            let written = command.redirections.iter().filter_map(written);
            let written = written.filter(|_| text.machine == Machine::This);
            let call = Invocation {
                typed: Some(command.typed()).filter(|typed| !typed.is_empty()).map(Arc::new),
                line: Some(Arc::clone(text.whole)),
                stage: command.stage,
                effects: self.runs_what_it_prints(command, &mut found.asked),
                written: written.collect(),
                locations: locations(from, &command.directories, is_first),
                inside: text.inside,
                machine: text.machine,
                ..Invocation::from_text(words, command.source.clone(), Arc::clone(text.above))
            };
            let others = self.found_by(command).into_iter().map(|argv| {
                let words = Arc::new(self.words(&argv));
                Invocation { words, ..call.clone() }
            });
            let others: Vec<Invocation> = others.collect();
            let before = found.calls.len();
            self.follow(call, Some((&line, at)), depth, found);
            for other in others {
                self.follow(other, Some((&line, at)), depth, found);
            }
            feeders.next(&line.commands, found.calls.get_mut(before..).unwrap_or_default());
        }
    }

    /// Notes a call and follows what is inside it; `input` is the command of a line whose
    /// standard input it has.
    fn follow(
        &self,
        mut call: Invocation,
        input: Option<(&Line, usize)>,
        depth: usize,
        found: &mut Found,
    ) {
        let runs_text = self.runs_text(&call.words);
        if let Some((line, at)) = input.filter(|_| runs_text) {
            call.effects.extend(self.runs_unread(
                &call.words,
                &line.commands,
                at,
                &mut found.asked,
            ));
        }
        let reads = |(line, at): &(&Line, usize)| {
            let has_input = line.commands.get(*at).is_some_and(Command::is_fed);
            has_input
                && (runs_text && self.reads_program(&call.words) || self.reads_line(&call.words))
        };
        let fed = input.filter(|_| found.left > 0).filter(reads);
        let fed = fed.and_then(|(line, at)| line::fed(&line.commands, at));
        let is_code = runs_text && code::is_known(&call.words.program().to_str_lossy());
        call.code = fed.clone().filter(|_| is_code).map(Arc::from);
        let wrapped = call.words.wrapped().to_vec();
        let script = if runs_text { self.script(&call.words) } else { None };
        let fed = match runs_text && !is_code {
            true => fed.or_else(|| self.printed_operand(&call.words)),
            false => fed,
        };
        let meant = self.meant(&call.words);
        if wrapped.is_empty() && script.is_none() && meant.is_none() && fed.is_none() {
            return found.calls.push(call);
        }
        let grammar = self.grammar(call.words.path()).unwrap_or_default();
        let replaced = grammar.fed.then(|| replaced(&call.words));
        let put = replaced.as_ref().map(|replaced| {
            let reads = input.and_then(|(line, at)| line::fed(&line.commands, at));
            put::filled(&call.words, replaced, reads.as_deref())
        });
        let as_called = Arc::clone(&call.ancestry);
        let typed = call.typed.clone();
        let assigns = !wrapped.is_empty() && self.assigns(&call.words);
        let above = below(&call);
        let (whole, stage) = (call.line.clone(), call.stage);
        let locations = moved(&call.locations, &call.words);
        let (outer, there) = (call.inside, call.locations.clone());
        let machine = if grammar.elsewhere { Machine::Another } else { call.machine };
        let parameters = call.words.parameters().to_vec();
        let inside = Some(found.calls.len());
        found.calls.push(call);
        let Some(depth) = depth.checked_sub(1) else { return };
        let from = &locations[..];
        let follow_text = |text: &str, parameters: &[BString], found: &mut Found| {
            let whole = whole.clone().unwrap_or_else(|| Arc::from(text));
            let text =
                Text { text, whole: &whole, above: &above, inside, from, parameters, machine };
            self.follow_text(text, depth, found);
        };
        // The same call by another name, and whoever made it made that.
        match meant {
            Some(Wrapped::Argv(argv)) => {
                let mut call = Invocation::from_words(self.words(&argv), as_called);
                call.typed.clone_from(&typed);
                call.line.clone_from(&whole);
                (call.stage, call.machine) = (stage, machine);
                (call.locations, call.inside) = (there, outer);
                self.follow(call, input, depth, found);
            }
            Some(Wrapped::Text(text)) => follow_text(&text.to_str_lossy(), &[], found),
            None => {}
        }
        if let Some(text) = fed.filter(|_| !is_code) {
            follow_text(&text, &[], found);
        }
        let script = script.map(Wrapped::Argv).into_iter();
        for inner in wrapped.into_iter().chain(script).chain(put.into_iter().flatten()) {
            match inner {
                Wrapped::Argv(argv) => {
                    let argv = if assigns { behind_assignments(&argv) } else { &argv };
                    // What begins so is for the program that a container's image names.
                    let is_option =
                        grammar.elsewhere && argv.first().is_some_and(|w| w.starts_with(b"-"));
                    if argv.is_empty() || is_option {
                        continue;
                    }
                    let mut inner = Invocation::from_words(self.words(argv), Arc::clone(&above));
                    inner.typed.clone_from(&typed);
                    inner.line.clone_from(&whole);
                    // What a wrapper in a pipe runs reads from that pipe.
                    inner.stage = stage;
                    inner.locations.clone_from(&locations);
                    inner.inside = inside;
                    inner.machine = machine;
                    if let (Some(replaced), Some((line, at))) = (&replaced, input)
                        && self.runs_words(&inner.words, replaced.as_bstr())
                    {
                        inner.effects.extend(self.fed_unread(&line.commands, at, &mut found.asked));
                        if let Some(text) = line::fed(&line.commands, at) {
                            follow_text(&text.replace('\0', "\n"), &[], found);
                        }
                    }
                    self.follow(inner, input, depth, found);
                }
                Wrapped::Text(text) => {
                    let text = text.to_str_lossy();
                    follow_text(&text, &parameters, found);
                    // `ssh host bash -s <<EOF`: the last of what runs there reads what is fed here.
                    let fed = input.filter(|_| grammar.elsewhere && self.ends_in_reader(&text));
                    let fed = fed.and_then(|(line, at)| line::fed(&line.commands, at));
                    if let Some(fed) = fed.filter(|_| found.left > 0) {
                        follow_text(&fed, &[], found);
                    }
                }
            }
        }
    }

    /// `source <(echo git push)`: what a shell's operand prints.
    fn printed_operand(&self, words: &Words) -> Option<String> {
        let operand = words.words().first().filter(|_| self.runs_operand(words))?;
        let inside = operand.text.strip_prefix(b"<(")?.strip_suffix(b")")?;
        Some(line::printed(&inside.to_str_lossy())?.to_str_lossy().into_owned())
    }

    /// What a call is by another name: `git-push` and `git -c alias.p=push p` are `git push`.
    fn meant(&self, words: &Words) -> Option<Wrapped> {
        let (path, rest) = words.argv().split_first()?;
        let called = words.called();
        let (name, dashed) = called.split_once_str("-").unwrap_or((called, b""));
        let directory = &path[..path.len() - called.len()];
        let grammar = self.grammar(&self.program(name)?.canonical)?;
        if grammar.dashed && grammar.subcommand(dashed).is_some() {
            let program = BString::from([directory, name].concat());
            let argv = [program, dashed.into()].into_iter().chain(rest.iter().cloned());
            return Some(Wrapped::Argv(argv.collect()));
        }
        let (option, prefix) = grammar.aliases.split_once(' ')?;
        let alias = &words.words().first()?.text;
        let meaning = words.flags().iter().rev().find_map(|flag| {
            let value = flag.value.as_ref().filter(|_| flag.is_called(option))?;
            value
                .strip_prefix(prefix.as_bytes())?
                .strip_prefix(alias.as_slice())?
                .strip_prefix(b"=")
        })?;
        let at = rest.iter().position(|word| word == alias)?;
        let (before, behind) = (&words.argv()[..=at], &words.argv()[at + 2..]);
        if let Some(text) = meaning.strip_prefix(b"!") {
            let behind = crate::command::join(behind);
            return Some(Wrapped::Text([text, b" ", behind.as_bytes()].concat().into()));
        }
        let meaning = line::split(&meaning.to_str_lossy());
        let argv = before.iter().cloned().chain(meaning).chain(behind.iter().cloned());
        Some(Wrapped::Argv(argv.collect()))
    }

    /// `bash /usr/bin/gradle build`: the file that is run, where a rule may speak of it.
    fn script(&self, words: &Words) -> Option<Vec<BString>> {
        let first = words.words().first().filter(|word| !word.doubtful && self.runs_operand(words));
        let name = first?.text.rsplit(|b| *b == b'/').next()?;
        let is_spoken_of = self.may_speak_of(name, self.program(name).as_ref());
        is_spoken_of.then(|| words.words().iter().map(|word| word.text.clone()).collect())
    }

    /// What a pattern where a command's name stands may find: programs that a rule speaks of.
    fn found_by(&self, command: &Command) -> Vec<Vec<BString>> {
        let is_pattern = |piece: &Piece| match piece {
            Piece::Literal(_) => false,
            Piece::Dynamic { kind, .. } => *kind == Dynamic::Glob,
        };
        let is_known = |piece: &Piece| matches!(piece, Piece::Literal(_)) || is_pattern(piece);
        let is_found =
            |word: &&Word| word.pieces.iter().any(is_pattern) && word.pieces.iter().all(is_known);
        let argv = command.name().filter(is_found).map(|_| command.argv());
        let Some((path, rest)) = argv.as_ref().and_then(|argv| argv.split_first()) else {
            return Vec::new();
        };
        let at = path.rfind_byte(b'/').map_or(0, |slash| slash + 1);
        let (directory, pattern) = path.split_at(at);
        let names =
            self.spoken_of().into_iter().filter(|name| matches_name(pattern, name.as_bytes()));
        let argv = |name: String| {
            let program = BString::from([directory, name.as_bytes()].concat());
            std::iter::once(program).chain(rest.iter().cloned()).collect()
        };
        names.map(argv).collect()
    }

    /// `xargs sh -c`, `xargs -I{} sh -c '{}'`: a shell runs what is put there.
    fn runs_words(&self, words: &Words, replaced: &BStr) -> bool {
        let program = words.program().to_str_lossy();
        let is_shell = self.grammar(&program).is_some_and(|g| g.wraps == Wraps::Shell);
        let is_put_there = match words.wrapped().first() {
            Some(Wrapped::Text(text)) => text.as_bstr() == replaced,
            _ => true,
        };
        is_shell && words.has_flag("-c") && is_put_there
    }

    /// `ssh host` without a command: a shell there reads what it is fed.
    fn reads_line(&self, words: &Words) -> bool {
        let grammar = self.grammar(words.path());
        words.wrapped().is_empty()
            && grammar.is_some_and(|grammar| grammar.wraps == Wraps::Line && grammar.elsewhere)
    }

    /// Does the last command of a text run what it reads?
    fn ends_in_reader(&self, text: &str) -> bool {
        let line = line::parse(text);
        line.commands.last().is_some_and(|last| self.reads_program(&self.words_of(last.argv())))
    }

    fn assigns(&self, words: &Words) -> bool {
        let program = words.program().to_str_lossy();
        self.grammar(&program).is_some_and(|grammar| grammar.wraps == Wraps::Assignments)
    }
}

/// Text to be followed, and what it stands in.
struct Text<'t> {
    text: &'t str,
    whole: &'t Arc<str>,
    above: &'t Arc<Ancestry>,
    /// The call that it is given to.
    inside: Option<usize>,
    /// Where a `cd` before it may have led.
    from: &'t [Location],
    parameters: &'t [BString],
    machine: Machine,
}

impl<'t> Text<'t> {
    fn new(text: &'t str, whole: &'t Arc<str>, above: &'t Arc<Ancestry>) -> Self {
        let (inside, from, parameters, machine) = (None, &[][..], &[][..], Machine::This);
        Text { text, whole, above, inside, from, parameters, machine }
    }
}

/// Nothing that is a command; rules over text still see it.
pub(super) fn whole_alone(view: &View<'_>, whole: &Arc<str>, above: &Arc<Ancestry>) -> Invocation {
    let line = Some(Arc::clone(whole));
    let call = Invocation::from_text(view.words(&[]), whole.to_string(), Arc::clone(above));
    Invocation { line, ..call }
}

/// The calls that were found.
pub(super) struct Found {
    pub(super) calls: Vec<Invocation>,
    /// Bytes of text that may still be read: what is fed to shells that feed shells ends.
    left: usize,
    /// The same for what is asked where text comes from.
    asked: usize,
}

impl Found {
    /// Are this call and those that it is inside of all that there is?
    fn is_above(&self, call: Option<usize>) -> bool {
        let above = |at: &usize| self.calls.get(*at).and_then(|call| call.inside);
        std::iter::successors(call, above).count() == self.calls.len()
    }
}

impl Default for Found {
    fn default() -> Self {
        Found { calls: Vec::new(), left: 1 << 21, asked: ASKED_BYTES }
    }
}

/// More places are not told apart.
const PLACES: usize = 8;

/// Where a command of a text may run: each place of the text's own, and from there each of the
/// command's; none if that is where it all starts. `is_first`: nothing ran before the text.
fn locations(from: &[Location], possible: &[Possible], is_first: bool) -> Vec<Location> {
    let start = [Location::default()];
    let from = if from.is_empty() { &start[..] } else { from };
    let mut found: Vec<Location> = Vec::new();
    for from in from {
        for place in possible {
            let path = match &place.directory {
                Directory::At(path) => joined(&from.path, path),
                Directory::Start | Directory::Unknown => from.path.clone(),
            };
            let unless = place.unless.iter().map(|path| joined(&from.path, path));
            // What ran before this text may have removed that.
            let unless = unless.filter(|_| is_first);
            let unless = from.unless.iter().cloned().chain(unless).collect();
            let location = Location { path, unless };
            if found.len() < PLACES && !found.contains(&location) {
                found.push(location);
            }
        }
    }
    let is_start = found.iter().all(|place| place.path.is_empty() && place.unless.is_empty());
    if is_start { Vec::new() } else { found }
}

/// Where what a wrapper wraps may run: `env -C dir rm x`.
fn moved(from: &[Location], wrapper: &Words) -> Vec<Location> {
    let to = wrapper.stands().into_iter().next().filter(|to| !to.is_empty());
    let Some(to) = to else { return from.to_vec() };
    let start = [Location::default()];
    let from = if from.is_empty() { &start[..] } else { from };
    let moved = from
        .iter()
        .map(|from| Location { path: joined(&from.path, &to), unless: from.unless.clone() });
    moved.collect()
}

/// What a redirection does to its file, bash(1). What stands for no file of its own, and what
/// only duplicates a descriptor, undergoes nothing.
fn written(redirection: &Redirection) -> Option<Effect> {
    let act = match redirection.operator {
        RedirectOperator::Write
        | RedirectOperator::Clobber
        | RedirectOperator::WriteBoth
        | RedirectOperator::DuplicateOutput => Act::Overwrites,
        RedirectOperator::Append | RedirectOperator::AppendBoth | RedirectOperator::ReadWrite => {
            Act::Appends
        }
        _ => return None,
    };
    let path = redirection.target.typed();
    let is_descriptor = redirection.operator == RedirectOperator::DuplicateOutput
        && path.iter().all(|b| b.is_ascii_digit() || *b == b'-');
    let is_no_file = [&b"/dev/null"[..], b"/dev/tty", b"/dev/stdout", b"/dev/stderr"]
        .contains(&path.as_slice())
        || path.starts_with(b"/dev/fd/");
    (!is_descriptor && !is_no_file).then_some(Effect { act, on: Object::Path(path) })
}

/// What stands for a word that is put in: xargs(1), parallel(1).
fn replaced(words: &Words) -> BString {
    let given = words.flags().iter().find(|flag| flag.is_called("-I"));
    let value = given.and_then(|flag| flag.value.as_ref()).map(|value| value.as_bstr());
    value.unwrap_or(BStr::new(b"{}")).to_owned()
}

/// `env` takes any name that is not empty, not just those a shell can use: env(1).
fn behind_assignments(argv: &[BString]) -> &[BString] {
    let is_assignment = |word: &&BString| word.find_byte(b'=').is_some_and(|at| at > 0);
    &argv[argv.iter().take_while(is_assignment).count()..]
}

/// What is inside a call has that call above it.
fn below(call: &Invocation) -> Arc<Ancestry> {
    let argv = call.words.argv().to_vec();
    let executable = call.words.called().into();
    let wrapper = Process { executable, argv, is_wrapping: true, ..Process::default() };
    let above = call.ancestry.processes.iter().cloned();
    Arc::new(Ancestry {
        processes: std::iter::once(Arc::new(wrapper)).chain(above).collect(),
        ..Ancestry::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{Layer, judge_all};
    use crate::view::{Read, compile, encode};

    #[test]
    fn every_one_of_thirty_thousand_parts_is_judged() {
        let policy = b"[[embargo]]\ncommand = \"gradle\"\nreason = \"pinned\"\n".to_vec();
        let source = Read { path: "/p/embargo.toml".into(), layer: Layer::User, bytes: Ok(policy) };
        let contents = compile(&[source], &[], &[], |_| Err("no such file".to_owned())).unwrap();
        let bytes = encode(&contents);
        let view = View::open(&bytes).ok().unwrap();
        let judged = |line: &str| {
            let calls = view.calls_of_line(line, &Ancestry::default());
            let rules: Vec<_> = contents.policy.rules.iter().collect();
            let severity = judge_all(&rules, &[], &calls).severity();
            (calls.len(), severity, calls)
        };
        let (count, last, calls) = judged(&format!("{}gradle", "true;".repeat(29_999)));
        let (_, none, _) = judged(&"true;".repeat(30_000));
        assert_eq!(count, 30_000);
        assert!(last > none, "the last part is not refused");
        let lines = calls.iter().filter_map(|call| call.line.as_ref());
        let mut shared = lines.map(|line| Arc::as_ptr(line).cast::<u8>());
        let first = shared.next();
        assert!(shared.all(|line| Some(line) == first), "the line is copied for each part");
        // Found by fuzzing: each part of a shell's text has that text above it.
        let (_, _, calls) = judged(&format!("bash -c '{}'", "true;".repeat(9_999)));
        let mut above = calls.iter().filter_map(|call| call.ancestry.processes.first());
        let bash = above.next().unwrap();
        assert!(above.clone().count() > 9_990 && above.all(|above| Arc::ptr_eq(above, bash)));
    }
}
