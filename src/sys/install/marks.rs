//! Who wants each shim: one directory serves all projects of a user, and a sync for one
//! of them takes nothing from the others.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use crate::sys::home::{escape, unescape};

/// Name of the list inside a shim directory.
pub const MARKS: &str = ".embargo-shims";

const FIRST_LINE: &[u8] = b"embargo shims 1";

/// Who wants a shim.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mark {
    /// A person, by `shim install`.
    Installed,
    /// Policies that hold everywhere: the system's, the user's, named ones.
    User,
    /// The project whose policy file is in this directory.
    Project(PathBuf),
}

/// The marks on each name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Marks(BTreeMap<OsString, BTreeSet<Mark>>);

impl Marks {
    /// For the shims that are there. One that nothing is known of was installed.
    pub(super) fn of(shims: Vec<OsString>, text: &[u8]) -> Self {
        let mut known = Self::parse(text).unwrap_or_default().0;
        let marks = |name: OsString| {
            let marks = known.remove(&name).unwrap_or_else(|| [Mark::Installed].into());
            (name, marks)
        };
        Marks(shims.into_iter().map(marks).collect())
    }

    pub fn add(&mut self, name: &OsStr, mark: Mark) {
        self.0.entry(name.to_owned()).or_default().insert(mark);
    }

    /// From now on this mark is on these names, and on no other.
    pub fn set(&mut self, mark: &Mark, names: &[OsString]) {
        for marks in self.0.values_mut() {
            marks.remove(mark);
        }
        names.iter().for_each(|name| self.add(name, mark.clone()));
    }

    /// Takes away marks that do not count any more.
    pub fn retain(&mut self, counts: impl Fn(&Mark) -> bool) {
        self.0.values_mut().for_each(|marks| marks.retain(&counts));
    }

    pub fn forget(&mut self, name: &OsStr) {
        self.0.remove(name);
    }

    /// Names that policies want, whether or not a person does too.
    pub fn by_policies(&self) -> Vec<OsString> {
        let is_policy = |mark: &Mark| *mark != Mark::Installed;
        let wanted = self.0.iter().filter(|(_, marks)| marks.iter().any(is_policy));
        wanted.map(|(name, _)| name.clone()).collect()
    }

    /// Names that nobody wants any more.
    pub fn unwanted(&self) -> Vec<OsString> {
        self.0.iter().filter(|(_, marks)| marks.is_empty()).map(|(name, _)| name.clone()).collect()
    }

    /// `None`: of another form.
    fn parse(text: &[u8]) -> Option<Self> {
        let mut lines = text.split(|b| *b == b'\n').filter(|line| !line.is_empty());
        lines.next().filter(|line| *line == FIRST_LINE)?;
        let mut marks = Marks::default();
        for line in lines {
            let tab = line.iter().position(|b| *b == b'\t')?;
            let mark = match &line[tab + 1..] {
                b"installed" => Mark::Installed,
                b"user" => Mark::User,
                path if path.starts_with(b"/") => Mark::Project(unescape(path)),
                _ => return None,
            };
            marks.add(unescape(&line[..tab]).as_os_str(), mark);
        }
        Some(marks)
    }

    /// A line for each mark: name, tab, who.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut text = FIRST_LINE.to_vec();
        text.push(b'\n');
        for (name, mark) in self.0.iter().flat_map(|(n, marks)| marks.iter().map(move |m| (n, m))) {
            escape(name.as_bytes(), &mut text);
            text.push(b'\t');
            match mark {
                Mark::Installed => text.extend_from_slice(b"installed"),
                Mark::User => text.extend_from_slice(b"user"),
                Mark::Project(path) => escape(path.as_os_str().as_bytes(), &mut text),
            }
            text.push(b'\n');
        }
        text
    }
}
