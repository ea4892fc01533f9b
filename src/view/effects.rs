//! What calls do, by the descriptions in a view: only where a rule speaks of it, or a reader
//! asks.

use std::sync::Arc;

use bstr::{BString, ByteSlice};

use crate::command::{Effect, Object, Words, Wraps, effects};
use crate::policy::{Invocation, Machine, Place};

use super::View;

/// What stands for a file that was found, find(1).
const FOUND: &[u8] = b"{}";

impl View<'_> {
    /// Adds to each call what it does, and where; what it has already stays.
    pub fn add_effects(&self, calls: &mut [Invocation], place: &Arc<Place>) {
        for i in 0..calls.len() {
            let (before, from) = calls.split_at_mut(i);
            let Some(call) = from.first_mut() else { continue };
            call.place.get_or_insert_with(|| Arc::clone(place));
            let clauses = self.clauses(call.words.path());
            let at = moved(call, before);
            if call.machine == Machine::Another {
                continue;
            }
            let program = call.words.program().to_str_lossy().into_owned();
            let texts = super::code::given(&call.words).map(|text| text.as_slice());
            let texts = texts.chain(call.code.as_deref().map(str::as_bytes));
            let coded: Vec<Effect> =
                texts.flat_map(|text| super::code::effects(&program, text)).collect();
            let narrows = self.grammar(call.words.path()).unwrap_or_default().narrows;
            let does = effects(&call.words, &clauses, &narrows).into_iter();
            for effect in does.chain(coded) {
                for effect in self.where_found(effect, call, before) {
                    let effect = at.iter().fold(effect, |effect, at| effect.seen_from(at));
                    let effect = call.directory.iter().fold(effect, Effect::seen_from);
                    if !call.effects.contains(&effect) {
                        call.effects.push(effect);
                    }
                }
            }
        }
    }

    /// Does a test leave some of what it names?
    fn narrows(&self, words: &Words) -> bool {
        let grammar = self.grammar(words.path());
        grammar.is_some_and(|grammar| grammar.narrows.iter().any(|test| words.has_flag(test)))
    }

    /// `find dist -exec rm {} +` deletes what is below `dist`.
    fn where_found(&self, effect: Effect, call: &Invocation, before: &[Invocation]) -> Vec<Effect> {
        let (Object::Path(path) | Object::Only(path) | Object::Below(path) | Object::Among(path)) =
            &effect.on
        else {
            return vec![effect];
        };
        if !path.contains_str(FOUND) {
            return vec![effect];
        }
        let above = &call.ancestry.processes;
        let finder = above.iter().find_map(|process| {
            let is_it = |c: &&Invocation| c.words.argv() == process.argv;
            let wraps = |c: &&Invocation| {
                self.grammar(c.words.path()).is_some_and(|grammar| grammar.wraps == Wraps::Exec)
            };
            before.iter().rev().find(is_it).filter(wraps)
        });
        let Some(finder) = finder else { return vec![effect] };
        let narrows = self.narrows(&finder.words);
        let mut roots: Vec<BString> =
            finder.words.operands().iter().map(|word| word.text.clone()).collect();
        if roots.is_empty() {
            roots.push(".".into());
        }
        let with = |root: &[u8]| {
            let path = BString::from(path.replace(FOUND, root));
            let on = match &effect.on {
                Object::Below(_) => Object::Below(path),
                _ if narrows => Object::Among(path),
                Object::Only(_) => Object::Only(path),
                _ => Object::Path(path),
            };
            Effect { act: effect.act, on }
        };
        // `mv {} dir` makes `dir/name`.
        let is_named = path.len() > FOUND.len() && !path.starts_with(b"./{}");
        let both = roots.iter().flat_map(|root| {
            let name = root.trim_end_with(|c| c == '/').rsplit(|b| *b == b'/').next();
            [Some(with(root)), name.filter(|_| is_named).map(with)]
        });
        both.flatten().collect()
    }
}

/// Where the wrappers of a call have moved it, innermost first: `env -C dir rm x`.
fn moved(call: &Invocation, before: &[Invocation]) -> Vec<BString> {
    let wrappers = call
        .ancestry
        .processes
        .iter()
        .filter_map(|process| before.iter().rev().find(|c| c.words.argv() == process.argv));
    let moved = wrappers.filter(|wrapper| !wrapper.words.directories().is_empty());
    moved.filter_map(|wrapper| wrapper.words.stands().into_iter().next()).collect()
}
