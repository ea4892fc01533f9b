//! A check that is run and, when it passes, seals what it proved: by `embargo accept`, and by
//! the shim of a command that `[[acceptance]]` names.

use std::path::Path;

use bstr::{BString, ByteSlice};

use crate::command::join;
use crate::policy::{Accepted, Layer};
use crate::refuse;
use crate::render::accept::Unsealed;
use crate::render::seals as words;
use crate::seal::{self as seals, Acceptance, Check, Class, Named, Object, Said, Seal, Tier};
use crate::sys::context::{Context, absolute};
use crate::sys::ledger::{self, NewSeal, Running};
use crate::sys::{clock, stdio, touch};

/// What was said of a check besides its argv.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asked {
    pub name: Option<String>,
    pub named: Vec<Named>,
}

impl From<&Accepted> for Asked {
    fn from(accepted: &Accepted) -> Self {
        let classes = [
            (Class::Output, &accepted.outputs),
            (Class::TreeRoot, &accepted.roots),
            (Class::Entry, &accepted.entries),
            (Class::Generator, &accepted.generators),
        ];
        // A project's file speaks of the project's files, wherever the check is run.
        let file = Path::new(&accepted.origin.file);
        let base = file.parent().filter(|_| accepted.origin.layer == Layer::Project);
        let mut named = Vec::new();
        for (class, paths) in classes {
            let path = |path: &String| touch::bytes(&absolute(base, Path::new(path)));
            let one = |p: &String| Named { path: path(p), class, said: Said::Option };
            named.extend(paths.iter().map(one));
        }
        Asked { name: accepted.name.clone(), named }
    }
}

/// A check that runs. Below it its own seals do not bite: what it makes again is proved again.
#[derive(Debug)]
pub struct Watch {
    acceptance: Acceptance,
    running: Option<Running>,
}

impl Watch {
    /// Before it is started.
    pub fn begin(context: &Context, check: Check, program: &Path) -> Self {
        let real = touch::real(&absolute(context.cwd.as_deref(), program));
        let acceptance = Acceptance {
            check,
            executable: (touch::bytes(&real), digest(&real)),
            at_ms: clock::now_ms(),
            duration_ms: 0,
        };
        let state = context.state().filter(|_| context.may_write());
        let running = state.and_then(|state| ledger::begin(state, &acceptance));
        Watch { acceptance, running }
    }

    /// It has ended.
    pub fn end(&mut self) {
        self.running = None;
        self.acceptance.duration_ms = clock::now_ms().saturating_sub(self.acceptance.at_ms);
    }

    /// It has passed.
    pub fn seal(
        &self,
        asked: &Asked,
        argv: &[BString],
        context: &Context,
    ) -> Result<Vec<(NewSeal, Said)>, Unsealed> {
        let found = proved(asked, argv, context, &self.acceptance.check)?;
        let state = context.state().ok_or(Unsealed::Nothing)?;
        let new: Vec<NewSeal> = found.iter().map(|(new, _)| new.clone()).collect();
        ledger::accept(state, &self.acceptance, &new).map_err(Unsealed::Ledger)?;
        for seal in &new {
            refuse::note_seal(context, "sealed", &seal.path);
        }
        Ok(found)
    }
}

/// The check of an argv; without a name it is called as its program is.
pub fn check(asked: &Asked, argv: &[BString], context: &Context) -> Check {
    let program = argv.first().and_then(|word| word.rsplit(|b| *b == b'/').next());
    let name = || program.unwrap_or_default().to_str_lossy().into_owned();
    Check {
        id: 0,
        name: asked.name.clone().unwrap_or_else(name),
        command: join(argv),
        cwd: context.cwd.as_deref().map(touch::bytes).unwrap_or_default(),
    }
}

fn digest(program: &Path) -> [u8; 32] {
    match ledger::observe(program, Class::Entry).map(|seen| seen.object) {
        Ok(Object::File { digest, .. }) => digest,
        _ => [0; 32],
    }
}

/// What the check proves as things are now, and who says so.
pub fn proved(
    asked: &Asked,
    argv: &[BString],
    context: &Context,
    check: &Check,
) -> Result<Vec<(NewSeal, Said)>, Unsealed> {
    if let Some(why) = seals::dubious(argv) {
        return Err(Unsealed::Dubious(why));
    }
    if !context.may_write() {
        return Err(Unsealed::NotTheOwner);
    }
    let state = context.state().ok_or(Unsealed::Nothing)?;
    let before = ledger::seals(state).map_err(Unsealed::Ledger)?;
    let session = refuse::session_here(context);
    let mut found: Vec<(NewSeal, Said)> = Vec::new();
    for named in targets(asked, argv, context) {
        let path = absolute(context.cwd.as_deref(), &named.path.to_path_lossy());
        let real = touch::in_real_directory(&path);
        let is_option = named.said == Said::Option;
        if !is_option && !touch::is_there(&real) {
            continue;
        }
        let Some(class) = class(&named, &real, context) else { continue };
        let (bytes, seen) = match look(&real, class, context) {
            Ok(found) => found,
            // What an option names is sealed, or nothing is.
            Err(why) if is_option => return Err(Unsealed::Target(why)),
            Err(_) => continue,
        };
        if found.iter().any(|(new, _)| new.path == bytes) {
            continue;
        }
        let own = |s: &&Seal| s.path == bytes;
        let is_changed = |s: &&Seal| {
            s.class != Class::ResetRoot
                && class != Class::ResetRoot
                && !is_same(&s.object, &seen.object)
                && s.check.as_ref().is_none_or(|of| !is_same_check(of, check))
        };
        if let Some(changed) = before.iter().filter(own).find(is_changed) {
            return Err(Unsealed::Changed(Box::new(changed.clone())));
        }
        let known = before.iter().filter(own).filter(|s| s.class == class).map(|s| s.tier).max();
        let tier = match touch::is_scratch(&real, context.cwd.as_deref()) {
            true => Tier::Scratch,
            false => class.tier(),
        };
        let new = NewSeal {
            path: bytes,
            target: seen.target,
            class,
            tier: known.map_or(tier, |known| known.max(tier)),
            object: seen.object,
            inode: seen.inode,
            members: seen.members,
            reason: None,
            alternative: None,
            session: session.clone(),
        };
        found.push((new, named.said));
    }
    if found.is_empty() { Err(Unsealed::Nothing) } else { Ok(found) }
}

fn is_same_check(a: &Check, b: &Check) -> bool {
    a.command == b.command && a.cwd == b.cwd
}

/// All that may be a target, what was said explicitly first.
fn targets(asked: &Asked, argv: &[BString], context: &Context) -> Vec<Named> {
    let mut all = asked.named.clone();
    let by_argv = seals::named(argv);
    for list in by_argv.iter().filter(|named| named.class == Class::Input) {
        let path = absolute(context.cwd.as_deref(), &list.path.to_path_lossy());
        let named = |path| Named { path, class: Class::Output, said: Said::List };
        all.extend(seals::listed(&stdio::whole(&path).unwrap_or_default()).map(named));
    }
    all.extend(by_argv);
    let tree = context.cwd.as_deref().and_then(touch::work_tree);
    all.extend(tree.map(|path| Named {
        path: touch::bytes(&path),
        class: Class::ResetRoot,
        said: Said::WorkTree,
    }));
    all
}

/// As what it is sealed; `None` where it is no target after all.
fn class(named: &Named, real: &Path, context: &Context) -> Option<Class> {
    let cwd = context.cwd.as_deref();
    match (named.class, touch::is_directory(real)) {
        // `pytest .` says where, not what.
        (Class::Output, true)
            if named.said != Said::Option && cwd.is_some_and(|cwd| cwd.starts_with(real)) =>
        {
            Some(Class::ResetRoot)
        }
        (Class::Output, true) => Some(Class::TreeRoot),
        (Class::TreeRoot, false) => Some(Class::Output),
        // A tool that was installed is not the check's own script.
        (Class::Entry, _) if named.said == Said::Program => {
            let tree = touch::work_tree(real.parent()?);
            let ignored = tree.map(|tree| touch::ignored(&tree)).unwrap_or_default();
            let is_ignored = ignored.iter().any(|path| real.starts_with(path));
            (!is_ignored).then_some(Class::Entry)
        }
        (class, _) => Some(class),
    }
}

/// What is there, where it may be sealed at all.
pub fn look(
    real: &Path,
    class: Class,
    context: &Context,
) -> Result<(BString, ledger::Seen), String> {
    let bytes = touch::bytes(real);
    let homes: Vec<BString> =
        context.homes().iter().map(|home| touch::bytes(&touch::real(home))).collect();
    if let Some(why) = seals::forbidden(&bytes, &homes) {
        return Err(words::forbidden(&bytes, why));
    }
    let mut seen = ledger::observe(real, class).map_err(|e| words::unread(&bytes, &e))?;
    // What everything stands on is reached by a link as well: then only the link is sealed.
    seen.target = seen.target.filter(|target| seals::forbidden(target, &homes).is_none());
    Ok((bytes, seen))
}

/// The same content; times may differ.
pub fn is_same(a: &Object, b: &Object) -> bool {
    match (a, b) {
        (Object::File { digest: a, .. }, Object::File { digest: b, .. })
        | (Object::Tree { digest: a, .. }, Object::Tree { digest: b, .. }) => a == b,
        (a, b) => a == b,
    }
}
