//! Everything that can be seen, and how much each matters. `render/doctor` has the words.

mod guard;
mod home;
mod reach;

pub use guard::Guard;
pub use home::Home;
pub use reach::{NotAsked, Reach};

/// How much something matters, least first: a check is as bad as the worst it saw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    Ok,
    NotChecked,
    /// Worth knowing; nothing is unguarded for it.
    Note,
    Finding,
}

/// One thing that was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Symptom {
    Reach(Reach),
    Guard(Guard),
    Home(Home),
}

impl Symptom {
    /// How much it matters.
    pub fn weight(&self) -> Weight {
        match self {
            Symptom::Reach(reach) => reach.weight(),
            Symptom::Guard(guard) => guard.weight(),
            Symptom::Home(home) => home.weight(),
        }
    }
}

impl From<Reach> for Symptom {
    fn from(reach: Reach) -> Self {
        Symptom::Reach(reach)
    }
}

impl From<Guard> for Symptom {
    fn from(guard: Guard) -> Self {
        Symptom::Guard(guard)
    }
}

impl From<Home> for Symptom {
    fn from(home: Home) -> Self {
        Symptom::Home(home)
    }
}
