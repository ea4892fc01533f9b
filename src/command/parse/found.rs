//! Options looked up by their names, in every level of a command that may have them here.

use std::rc::Rc;

use super::super::{Grammar, OptionSpec, Takes};
use super::Reader;

/// An option that was found in a grammar.
pub(super) struct Found {
    pub(super) depth: usize,
    pub(super) canonical: String,
    pub(super) spellings: String,
    pub(super) takes: Need,
}

pub(super) enum Need {
    Nothing,
    Values(usize),
    Optional,
    Listed(Vec<String>),
}

impl<L: Fn(&str) -> Option<Rc<Grammar>>> Reader<L> {
    /// The levels whose options may stand here, innermost first.
    fn in_reach(&self) -> impl Iterator<Item = (usize, &Grammar)> {
        let last = self.levels.len() - 1;
        let levels = self.levels.iter().map(|level| &**level).enumerate().rev();
        levels.filter(move |(depth, grammar)| *depth == last || !grammar.before_subcommand)
    }

    /// Looks a name up as it is spelled, innermost level first.
    pub(super) fn find(&self, name: &[u8]) -> Option<Found> {
        self.in_reach().find_map(|(depth, grammar)| {
            let spec = grammar.option(name)?;
            Some(found(depth, spec, name))
        })
    }

    pub(super) fn abbreviated(&self, name: &[u8]) -> Option<Found> {
        if name.len() < 3 || !name.starts_with(b"--") {
            return None;
        }
        self.in_reach().filter(|(_, g)| g.abbreviations).find_map(|(depth, grammar)| {
            let spec = grammar.abbreviated(name)?;
            let whole = spec.names().find(|n| n.as_bytes().starts_with(name))?;
            Some(found(depth, spec, whole.as_bytes()))
        })
    }
}

fn found(depth: usize, spec: OptionSpec<'_>, name: &[u8]) -> Found {
    let spellings: Vec<&str> = spec.names().collect();
    let takes = match spec.takes(name) {
        Takes::Nothing => Need::Nothing,
        Takes::Values(count) => Need::Values(count),
        Takes::Optional => Need::Optional,
        Takes::Listed(list) => Need::Listed(list.split('|').map(str::to_owned).collect()),
    };
    Found { depth, canonical: spec.canonical().to_owned(), spellings: spellings.join(", "), takes }
}
