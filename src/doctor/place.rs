//! The directories that embargo keeps things in: whether they are there and serve.

use std::path::PathBuf;

use super::symptom::Home;

/// What a directory is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Config,
    State,
    Cache,
}

/// Why something cannot be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Its mode or owner forbids it.
    Denied,
    /// The file system is read-only, as in a sandbox.
    ReadOnly,
}

/// What was found where a directory belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stands {
    Directory {
        owner: u32,
        mode: u32,
        denied: Option<Access>,
    },
    /// None yet; what forbids making it.
    Absent {
        denied: Option<Access>,
    },
    /// A file, or a link that leads nowhere.
    Something,
}

/// A place, as it was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenPlace {
    pub place: Place,
    pub path: PathBuf,
    pub stands: Stands,
    /// A record names it: it was made when the shims were.
    pub is_recorded: bool,
}

/// What that means for whoever runs this: `user` of whose state is `owner`'s.
pub fn place(seen: SeenPlace, user: u32, owner: u32) -> Home {
    const OTHERS: u32 = 0o022;
    let SeenPlace { place, path, stands, is_recorded } = seen;
    match stands {
        Stands::Something => Home::NotADirectory { place, path },
        Stands::Absent { .. } if place == Place::State && is_recorded => Home::Gone { path },
        // Policies are read, and need no directory of their own.
        Stands::Absent { denied: Some(access) } if place != Place::Config => {
            Home::Unwritable { place, path, access }
        }
        Stands::Absent { .. } => Home::WillBeMade { place, path },
        Stands::Directory { mode, .. } if mode & OTHERS != 0 => {
            Home::OthersMayWrite { place, path, mode }
        }
        Stands::Directory { owner: found, .. } if user != owner => {
            Home::OfAnother { place, path, owner: found }
        }
        Stands::Directory { denied: Some(access), .. } if place != Place::Config => {
            Home::Unwritable { place, path, access }
        }
        Stands::Directory { owner: found, .. } if found != owner && found != 0 => {
            Home::OfAnother { place, path, owner: found }
        }
        Stands::Directory { .. } => Home::Ready { place, path },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_place_is_good_for() {
        let there = |mode, denied| Stands::Directory { owner: 7, mode, denied };
        let absent = |denied| Stands::Absent { denied };
        let (denied, read_only) = (Some(Access::Denied), Some(Access::ReadOnly));
        // place, what stands there, is it recorded, who looks, what it means
        let rows = [
            (Place::State, there(0o700, None), true, 7, "Ready"),
            (Place::State, there(0o700, denied), true, 7, "Unwritable"),
            (Place::State, there(0o700, read_only), true, 7, "Unwritable"),
            (Place::State, there(0o770, None), true, 7, "OthersMayWrite"),
            (Place::State, there(0o700, None), true, 0, "OfAnother"),
            (Place::State, absent(None), true, 7, "Gone"),
            (Place::State, absent(None), false, 7, "WillBeMade"),
            (Place::State, absent(denied), false, 7, "Unwritable"),
            (Place::State, Stands::Something, true, 7, "NotADirectory"),
            (Place::Cache, absent(None), true, 7, "WillBeMade"),
            (Place::Cache, there(0o500, denied), true, 7, "Unwritable"),
            (Place::Config, there(0o555, denied), true, 7, "Ready"),
            (Place::Config, there(0o777, None), true, 7, "OthersMayWrite"),
            (Place::Config, absent(denied), true, 7, "WillBeMade"),
        ];
        for (place, stands, is_recorded, user, wanted) in rows {
            let seen = SeenPlace { place, path: "/x".into(), stands, is_recorded };
            let found = format!("{:?}", super::place(seen.clone(), user, 7));
            assert!(found.starts_with(&format!("{wanted} ")), "{seen:?}: {found}");
        }
    }
}
