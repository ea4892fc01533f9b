//! What calls do, by the descriptions in a view: only where a rule speaks of it, or a reader
//! asks.

use std::collections::BTreeSet;
use std::sync::Arc;

use bstr::{BString, ByteSlice};

use crate::command::{Effect, Object, Words, Wraps, effects};
use crate::policy::{Invocation, Location, Machine, Place};

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
            let written = std::mem::take(&mut call.written);
            let does = self.does(call, before);
            let is_here = call.locations.is_empty();
            // What no shim meets counts as here as well, if only a shell knows where it is.
            let unknown = call.locations.iter().any(Location::is_unknown);
            let here = Location::default();
            let too = (unknown && !call.locations.contains(&here)).then_some(&here);
            let by_path = call.words.argv().first().is_some_and(|path| path.contains(&b'/'));
            let mut found = std::mem::take(&mut call.effects);
            let mut seen: BTreeSet<Effect> = found.iter().cloned().collect();
            let mut add = |effect: Effect, everywhere: bool| {
                let places = call.locations.iter().chain(too.filter(|_| everywhere));
                let placed: Vec<Effect> = match is_here {
                    true => vec![effect],
                    false => places.map(|place| effect.clone().seen_from(&place.path)).collect(),
                };
                for effect in placed {
                    if seen.insert(effect.clone()) {
                        found.push(effect);
                    }
                }
            };
            written.into_iter().for_each(|effect| add(effect, true));
            does.into_iter().for_each(|effect| add(effect, by_path));
            call.effects = found;
        }
    }

    /// Does it run text of another language that the line gives it?
    pub fn gives_code(&self, call: &Invocation) -> bool {
        call.code.is_some() || super::code::given(&call.words).next().is_some()
    }

    /// What a call does, seen from where a line has led it.
    fn does(&self, call: &Invocation, before: &[Invocation]) -> Vec<Effect> {
        if call.machine == Machine::Another {
            return Vec::new();
        }
        let clauses = self.clauses(call.words.path());
        let program = call.words.program().to_str_lossy().into_owned();
        let texts = super::code::given(&call.words).map(|text| text.as_slice());
        let texts = texts.chain(call.code.as_deref().map(str::as_bytes));
        let coded: Vec<Effect> =
            texts.flat_map(|text| super::code::effects(&program, text)).collect();
        let narrows = self.grammar(call.words.path()).unwrap_or_default().narrows.clone();
        let does = effects(&call.words, &clauses, &narrows).into_iter().chain(coded);
        does.flat_map(|effect| self.where_found(effect, call, before)).collect()
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
        let finder = above(call, before).find(|call| {
            self.grammar(call.words.path()).is_some_and(|grammar| grammar.wraps == Wraps::Exec)
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

/// The calls that a call is inside of, innermost first.
fn above<'c>(call: &Invocation, before: &'c [Invocation]) -> impl Iterator<Item = &'c Invocation> {
    let outer = |call: &Invocation| before.get(call.inside?);
    std::iter::successors(outer(call), move |call| before.get(call.inside?))
}
