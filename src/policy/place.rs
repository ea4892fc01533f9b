//! Where a call is made: what a relative path and `~` mean there.

use bstr::{BString, ByteSlice};

use crate::command::{behind_here, behind_root};

/// Handed in by whoever knows: the core looks nothing up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// Absolute.
    pub cwd: BString,
    /// What `~` may mean, the surest first: by the home record, by HOME.
    pub homes: Vec<BString>,
}

impl Place {
    /// A path with `~`, and `$HOME` or `$PWD` where a shell will read it, in place of a
    /// home or of the working directory. Without
    /// any home, `~` stays what it is.
    pub fn at_home(&self, path: &[u8], is_text: bool) -> Vec<BString> {
        let here = behind_here(path).or_else(|| behind_root(path)).filter(|_| is_text);
        if let Some(rest) = here {
            return vec![[self.cwd.as_slice(), b"/", rest].concat().into()];
        }
        let mut signs: Vec<&[u8]> = vec![b"~"];
        signs.extend(is_text.then_some([&b"$HOME"[..], b"${HOME}"]).into_iter().flatten());
        let rest = signs.iter().find_map(|sign| {
            path.strip_prefix(*sign).filter(|rest| rest.is_empty() || rest.starts_with(b"/"))
        });
        match rest {
            Some(rest) if self.homes.is_empty() => vec![[b"/~", rest].concat().into()],
            Some(rest) => {
                self.homes.iter().map(|home| [home.as_bytes(), rest].concat().into()).collect()
            }
            None => vec![path.into()],
        }
    }
}

/// Where a call may be made: behind a `cd` that may have failed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Location {
    /// From where the line starts; empty: there. What only a shell knows is as it was typed.
    pub path: BString,
    /// Only if none of these can be entered.
    pub unless: Vec<BString>,
}

impl Location {
    /// Does only a shell know where that is, and may it be where the line starts?
    pub fn is_unknown(&self) -> bool {
        let path = self.path.as_slice();
        let is_home = [&b"$HOME"[..], b"${HOME}"].iter().any(|home| path.starts_with(home));
        let is_known = is_home || path.starts_with(b"$(mktemp)") || behind_root(path).is_some();
        path.find_byteset(b"$`").is_some() && !is_known
    }
}

/// The components of a path against a directory, without `.` and `..`; of the text alone,
/// so that a link in it is not followed.
pub(super) fn components<'p>(base: &'p [u8], path: &'p [u8]) -> Vec<&'p [u8]> {
    let base = if path.starts_with(b"/") { &b""[..] } else { base };
    let mut found = Vec::new();
    for part in base.split_str(b"/").chain(path.split_str(b"/")) {
        match part {
            b"" | b"." => {}
            b".." => drop(found.pop()),
            part => found.push(part),
        }
    }
    found
}
