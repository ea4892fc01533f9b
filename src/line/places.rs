//! Where the shell may be at one place of the line. A `cd` may fail, and `&&`, `||`, `!` and `if`
//! tell what runs then: each place is kept with the outcome of the last command that it goes with.

use std::rc::Rc;

use bstr::BString;

use super::command::{Directory, Possible};

/// More places are not told apart.
const MOST: usize = 8;

/// How the command before ended, if the shell is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Either,
    Success,
    Failure,
    /// It did not end: `exit`.
    Never,
}

impl Outcome {
    fn other(self) -> Self {
        match self {
            Outcome::Success => Outcome::Failure,
            Outcome::Failure => Outcome::Success,
            same => same,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    possible: Possible,
    after: Outcome,
}

/// The places, the likeliest first; never none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    all: Rc<Vec<Place>>,
}

impl Places {
    /// One place alone.
    pub fn only(directory: Directory) -> Self {
        let possible = Possible { directory, unless: Vec::new() };
        Places { all: Rc::new(vec![Place { possible, after: Outcome::Either }]) }
    }

    /// Is nothing known of where it works, whatever ran before?
    pub fn are_unknown(&self) -> bool {
        let [place] = self.all.as_slice() else { return false };
        let Possible { directory, unless } = &place.possible;
        *directory == Directory::Unknown && unless.is_empty() && place.after == Outcome::Either
    }

    /// For a command that runs now.
    pub fn possible(&self) -> Vec<Possible> {
        self.all.iter().map(|place| place.possible.clone()).collect()
    }

    /// The next command runs, however the one before ended.
    pub fn settle(&mut self) {
        if self.all.iter().all(|place| place.after == Outcome::Either) {
            return;
        }
        let ended = |place: &&Place| place.after != Outcome::Never;
        let mut ending: Vec<Place> = self.all.iter().filter(ended).cloned().collect();
        if ending.is_empty() {
            ending = self.all.to_vec();
        }
        ending.iter_mut().for_each(|place| place.after = Outcome::Either);
        self.all = merged(ending);
    }

    /// `set -e`: after a failure nothing more runs.
    pub fn stop_at_failure(&mut self) {
        self.mark(|after| if after == Outcome::Failure { Outcome::Never } else { after });
    }

    /// `!`
    pub fn negate(&mut self) {
        self.mark(Outcome::other);
    }

    /// `exit`
    pub fn end(&mut self) {
        self.mark(|_| Outcome::Never);
    }

    fn mark(&mut self, outcome: impl Fn(Outcome) -> Outcome) {
        if self.all.iter().any(|place| outcome(place.after) != place.after) {
            let all = Rc::make_mut(&mut self.all);
            all.iter_mut().for_each(|place| place.after = outcome(place.after));
        }
    }

    /// Where the shell may be after this outcome, for the command that runs then; none if it
    /// cannot have been so.
    pub fn on(&self, outcome: Outcome) -> Option<Self> {
        self.with(|after| (after == outcome || after == Outcome::Either).then_some(Outcome::Either))
    }

    /// Where it may be after the other outcome, when that command does not run.
    pub fn off(&self, outcome: Outcome) -> Option<Self> {
        let other = outcome.other();
        self.with(|after| match after {
            Outcome::Either => Some(other),
            _ => (after != outcome).then_some(after),
        })
    }

    fn with(&self, outcome: impl Fn(Outcome) -> Option<Outcome>) -> Option<Self> {
        let of = |place: &Place| {
            Some(Place { after: outcome(place.after)?, possible: place.possible.clone() })
        };
        let all: Vec<Place> = self.all.iter().filter_map(of).collect();
        (!all.is_empty()).then(|| Places { all: merged(all) })
    }

    /// One or the other.
    pub fn or(&mut self, other: &Self) {
        if !Rc::ptr_eq(&self.all, &other.all) && self.all != other.all {
            self.all = merged(self.all.iter().chain(&*other.all).cloned().collect());
        }
    }

    /// `cd`; where `surely` is said, what is not there now cannot have been made before; what
    /// `is_made` is there.
    pub fn enter(&mut self, to: &BString, surely: bool, is_made: bool) {
        self.settle();
        let mut all = Vec::new();
        for place in &*self.all {
            let possible = place.possible.entered(to);
            all.push(Place { possible, after: Outcome::Success });
        }
        if !is_made && !is_always_there(to) {
            for place in &*self.all {
                let mut possible = place.possible.clone();
                if surely && let Directory::At(entered) = possible.entered(to).directory {
                    possible.unless.push(entered);
                }
                all.push(Place { possible, after: Outcome::Failure });
            }
        }
        self.all = merged(all);
    }
}

impl Possible {
    fn entered(&self, to: &BString) -> Self {
        let unless = self.unless.clone();
        let rest = crate::command::behind_here(to);
        let to = rest.map_or(to.as_slice(), |rest| rest);
        let is_rooted = [&b"/"[..], b"~", b"$"].iter().any(|root| to.starts_with(root));
        let directory = match &self.directory {
            _ if is_rooted && rest.is_none() => Directory::At(to.into()),
            same if matches!(to, b"" | b"." | b"./") => same.clone(),
            Directory::At(at) => Directory::At([at, b"/".as_slice(), to].concat().into()),
            // Most stay where they are.
            Directory::Start | Directory::Unknown => Directory::At(to.into()),
        };
        Possible { directory, unless }
    }
}

/// `cd`, `cd /`, `cd ../..`
fn is_always_there(to: &BString) -> bool {
    matches!(to.as_slice(), b"/" | b"~" | b"$HOME" | b"${HOME}")
        || crate::command::behind_here(to).is_some_and(<[u8]>::is_empty)
        || to.split(|b| *b == b'/').all(|name| matches!(name, b"" | b"." | b".."))
}

/// Each place once, with all the outcomes that it goes with.
fn merged(all: Vec<Place>) -> Rc<Vec<Place>> {
    let mut kept: Vec<Place> = Vec::new();
    for place in all {
        let same = kept.iter_mut().find(|it| it.possible.directory == place.possible.directory);
        match same {
            // In doubt it is more often so.
            Some(same) if same.after == place.after || place.after == Outcome::Never => {
                if place.after != Outcome::Never && place.possible.unless.is_empty() {
                    same.possible.unless.clear();
                }
            }
            Some(same) => {
                let one_never = same.after == Outcome::Never;
                same.after = if one_never { place.after } else { Outcome::Either };
                if one_never || place.possible.unless.is_empty() {
                    same.possible.unless = place.possible.unless;
                }
            }
            None => kept.push(place),
        }
    }
    if kept.len() > MOST {
        kept.truncate(MOST - 1);
        let possible = Possible { directory: Directory::Unknown, unless: Vec::new() };
        kept.push(Place { possible, after: Outcome::Either });
    }
    Rc::new(kept)
}
