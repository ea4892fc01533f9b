//! Where the directory of shims stands on a PATH.

use std::path::PathBuf;

use super::shell::StartUp;
use super::symptom::Reach;

/// A PATH, as far as it matters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OnPath {
    pub entries: Vec<(PathBuf, Entry)>,
    /// Shimmed names that are found in a directory before the shims.
    pub met: Vec<Met>,
}

/// What a directory of PATH is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entry {
    /// The one that is looked into.
    Shims,
    /// The shims of an `embargo run`, which belong in front.
    Run,
    Other,
}

/// A program that is met before its shim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Met {
    pub name: String,
    pub program: PathBuf,
}

/// What a PATH means. `start_up` is the file that can change it.
pub fn path(seen: OnPath, start_up: Option<StartUp>) -> Reach {
    let is_behind = |(_, entry): &&(PathBuf, Entry)| *entry == Entry::Other;
    let Some(place) = seen.entries.iter().position(|(_, entry)| *entry == Entry::Shims) else {
        return Reach::NotOnPath { start_up };
    };
    let before: Vec<PathBuf> =
        seen.entries[..place].iter().filter(is_behind).map(|(path, _)| path.clone()).collect();
    match before.is_empty() {
        true => Reach::First,
        false => Reach::Behind { before, met: seen.met, start_up },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_runs_may_stand_before_the_shims() {
        let rows: [(&[Entry], &str); 7] = [
            (&[Entry::Shims, Entry::Other], "first"),
            (&[Entry::Run, Entry::Run, Entry::Shims, Entry::Other], "first"),
            (&[Entry::Other, Entry::Shims], "behind 1"),
            (&[Entry::Run, Entry::Other, Entry::Other, Entry::Shims, Entry::Other], "behind 2"),
            (&[Entry::Shims, Entry::Other, Entry::Shims], "first"),
            (&[Entry::Run, Entry::Other], "absent"),
            (&[], "absent"),
        ];
        for (entries, wanted) in rows {
            let entries = entries.iter().map(|entry| (PathBuf::from("/x"), *entry)).collect();
            let found = match path(OnPath { entries, met: Vec::new() }, None) {
                Reach::First => "first".to_owned(),
                Reach::Behind { before, .. } => format!("behind {}", before.len()),
                Reach::NotOnPath { .. } => "absent".to_owned(),
                other => panic!("{other:?}"),
            };
            assert_eq!(found, wanted);
        }
    }
}
