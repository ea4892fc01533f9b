//! What a rule says of effects (A5a), against what a call does.
//!
//! A rule against holds if what it names may be among what undergoes the act, from either
//! side: in it, or it in that. An allow holds only if all that the call does is certainly
//! among what it names.

use std::path::Path;

use bstr::{BString, ByteSlice};

use crate::command::{Act, Effect, Object, Thing, joined};

use super::glob::{self, Name};
use super::place::{Location, Place, components};
use super::{Effects, Invocation, Layer, Rule, Ruling};

impl Effects {
    /// The acts that it speaks of, as a set ([`Act::bit`]).
    pub fn acts(&self) -> u32 {
        let all =
            [Act::Deletes, Act::Overwrites, Act::Truncates, Act::Moves, Act::Resets, Act::Runs];
        let bit = |act: Act, name: &String| match Thing::named(name) {
            Some(_) => act.bit_of_things(),
            // A path is in a working tree.
            None if act == Act::Resets => act.bit() | act.bit_of_things(),
            None => act.bit(),
        };
        let named = all.into_iter().flat_map(|act| self.on(act).iter().map(move |n| bit(act, n)));
        named.fold(0, |acts, bit| acts | bit)
    }

    /// What it names for an act: emptying a file is overwriting it, adding to it is not.
    fn on(&self, act: Act) -> &[String] {
        match act {
            Act::Deletes => &self.deletes,
            Act::Overwrites | Act::Truncates => &self.overwrites,
            Act::Moves => &self.moves,
            Act::Resets => &self.resets,
            Act::Runs => &self.runs,
            Act::Creates | Act::Appends | Act::Prints => &[],
        }
    }
}

impl Rule {
    /// Does the call do what the rule speaks of?
    pub(super) fn speaks_of_what_it_does(&self, call: &Invocation) -> bool {
        let named = &self.subject.effects;
        if named.is_empty() {
            return true;
        }
        let is_run = named.runs.iter().any(|name| call.words.is_program(name));
        let nowhere = Place::default();
        let at = At { rule: self, call, place: call.place.as_deref().unwrap_or(&nowhere) };
        if matches!(self.ruling, Ruling::Allow { .. }) {
            let counts = |e: &&Effect| !matches!(e.act, Act::Creates | Act::Appends | Act::Prints);
            let mut all = call.effects.iter().filter(counts).peekable();
            return (is_run || all.peek().is_some())
                && all.all(|e| at.is_certain(e, named.on(e.act)));
        }
        is_run || call.effects.iter().any(|effect| at.is_possible(effect, named.on(effect.act)))
    }
}

/// `dir/.`: the directory as a whole, and not one thing in it.
fn is_whole(pattern: &[u8]) -> bool {
    pattern.ends_with(b"/.")
}

/// A rule and a call where it is made.
struct At<'a> {
    rule: &'a Rule,
    call: &'a Invocation,
    place: &'a Place,
}

impl At<'_> {
    fn is_possible(&self, effect: &Effect, named: &[String]) -> bool {
        let removes = matches!(effect.act, Act::Deletes | Act::Moves | Act::Resets);
        named.iter().any(|pattern| match &effect.on {
            Object::Program(name) => name == pattern.as_bytes(),
            Object::Thing(thing) => match Thing::named(pattern) {
                Some(named) => named == *thing,
                None => *thing == Thing::Worktree && removes && self.is_in_worktree(pattern),
            },
            Object::Path(_) | Object::Only(_) | Object::Below(_) | Object::Among(_)
                if Thing::named(pattern).is_some() =>
            {
                // `git checkout -- .`
                let resets = effect.act == Act::Resets && pattern == Thing::Worktree.name();
                matches!(&effect.on, Object::Path(path) if resets && self.is_all(path))
            }
            // Not a directory as a whole.
            Object::Among(_) if is_whole(pattern.as_bytes()) => false,
            Object::Path(path) | Object::Only(path) => self.meets(pattern, path, removes),
            Object::Below(path) | Object::Among(path) => self.meets(pattern, path, true),
        })
    }

    /// `downwards`: what is in the path undergoes it too.
    fn meets(&self, pattern: &str, path: &[u8], downwards: bool) -> bool {
        let paths = self.paths(path);
        let whole = is_whole(pattern.as_bytes());
        self.patterns(pattern).iter().any(|pattern| {
            let steps = glob::steps(&components(&self.base(), pattern));
            let met = |path: &Vec<Name>| {
                let fits = if whole { glob::takes_all } else { glob::holds };
                fits(&steps, path) || downwards && glob::is_in(&steps, path)
            };
            paths.iter().any(met)
        })
    }

    /// A whole working tree is reset, whose root may be above: all of the rule's own project,
    /// and what is below where git works.
    fn is_in_worktree(&self, pattern: &str) -> bool {
        self.call.words.stands().iter().any(|stand| {
            let stand = if stand.is_empty() { b"." } else { stand.as_slice() };
            let own = self.rule.origin.layer == Layer::Project && !pattern.starts_with(['/', '~']);
            self.meets(pattern, stand, true) || own && self.meets(".", stand, false)
        })
    }

    /// Does this path hold all that is where git works? `:/` and `:(top)` are the top of the
    /// tree, gitglossary(7); `*` is all of a directory.
    fn is_all(&self, path: &[u8]) -> bool {
        let path = path.trim_end_with(|c| c == '/');
        if path.ends_with(b":") || path.ends_with(b":(top)") {
            return true;
        }
        let path = [&b"$PWD"[..], b"${PWD}", b"**", b"*"]
            .iter()
            .find_map(|all| path.strip_suffix(*all).filter(|p| p.is_empty() || p.ends_with(b"/")))
            .unwrap_or(path);
        let names = components(&self.place.cwd, path);
        let start = [Location::default()];
        let locations = &self.call.locations[..];
        let locations = if locations.is_empty() { &start[..] } else { locations };
        let stands = self.call.words.stands();
        locations.iter().any(|location| {
            stands.iter().any(|stand| {
                let stand = if stand.is_empty() { b"." } else { stand.as_slice() };
                let at = if location.path.is_empty() {
                    stand.into()
                } else {
                    joined(&location.path, stand)
                };
                components(&self.place.cwd, &at).starts_with(&names)
            })
        })
    }

    fn is_certain(&self, effect: &Effect, named: &[String]) -> bool {
        named.iter().any(|pattern| match &effect.on {
            Object::Program(name) => name == pattern.as_bytes(),
            Object::Thing(thing) => Thing::named(pattern) == Some(*thing),
            Object::Path(path) | Object::Only(path) | Object::Below(path) | Object::Among(path) => {
                let Some(path) = self.known(path) else { return false };
                let patterns = self.patterns(pattern);
                let Some(pattern) = patterns.first() else { return false };
                let steps = glob::steps(&components(&self.base(), pattern));
                let path = components(&self.place.cwd, path);
                let names: Vec<Name> = path.into_iter().map(glob::literal).collect();
                let fits = if is_whole(pattern) { glob::names } else { glob::holds };
                fits(&steps, &names)
            }
        })
    }

    /// The path, if a shell leaves it as it is; `dir/*` is `dir`.
    fn known<'p>(&self, path: &'p [u8]) -> Option<&'p [u8]> {
        if self.call.line.is_none() {
            return Some(path);
        }
        let path = path.strip_suffix(b"/*").unwrap_or(path);
        let changes = |b: &u8| b"*?[{$`~".contains(b);
        (!path.is_empty() && !path.iter().any(changes)).then_some(path)
    }

    /// What an object may be, as components.
    fn paths(&self, path: &[u8]) -> Vec<Vec<Name>> {
        let is_text = self.call.line.is_some();
        let paths = match is_text {
            true => self.place.at_home(path, true),
            false => vec![path.into()],
        };
        let name = if is_text { glob::name } else { glob::literal };
        let names =
            |path: &BString| components(&self.place.cwd, path).into_iter().map(name).collect();
        paths.iter().map(names).collect()
    }

    fn patterns(&self, pattern: &str) -> Vec<BString> {
        self.place.at_home(pattern.as_bytes(), false)
    }

    /// From where the rule's relative paths count: a project's from its file, others from
    /// the working directory.
    fn base(&self) -> BString {
        let origin = &self.rule.origin;
        let directory = Path::new(&origin.file).parent();
        match (origin.layer, directory.and_then(<[u8]>::from_path)) {
            (Layer::Project, Some(directory)) => directory.into(),
            _ => self.place.cwd.clone(),
        }
    }
}
