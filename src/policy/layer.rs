//! Whose word counts for how much.

use serde::{Deserialize, Serialize};

/// Where authority comes from, highest first: a lower value outranks a higher.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Layer {
    /// `/etc/embargo/embargo.toml`.
    System,
    /// The user's configuration directory.
    User,
    /// `embargo.toml` upwards of the start or the effective directory.
    Project,
    /// `--policy`, `EMBARGO_POLICY`, and places that variables add: as much authority as a project.
    Named,
    /// A person's answers for this session.
    Session,
}

impl Layer {
    /// Only a person with the rights of the machine or the account writes these.
    pub fn may_loosen(self) -> bool {
        matches!(self, Layer::System | Layer::User)
    }

    /// Authority as a rank: project and named policies are peers.
    pub fn rank(self) -> u8 {
        match self {
            Layer::System => 0,
            Layer::User => 1,
            Layer::Project | Layer::Named => 2,
            Layer::Session => 3,
        }
    }
}
