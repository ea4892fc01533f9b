//! A source with what it takes over: packs by name, files by path, and what those extend.

use std::path::{Path, PathBuf};

use crate::policy::Origin;

use super::diagnostic::Label;
use super::file::{File, file};
use super::packs::{self, stem};
use super::report::Report;
use super::source::Page;
use super::value::Text;
use super::{Code, Diagnostic, Level, SourceText, requires, text};

/// Files that extend files deeper than this are not meant.
const DEEPEST: usize = 8;
/// More files than these are not meant either.
const MOST: usize = 64;

/// A source and everything it extends, read.
#[derive(Default)]
pub(super) struct Family {
    /// What is extended stands before what extends it; the source itself is last.
    pub members: Vec<(Page, File)>,
    pub diagnostics: Vec<Diagnostic>,
    /// Files that were read, or looked for.
    pub read: Vec<PathBuf>,
    /// From the source to the one that is being read.
    chain: Vec<PathBuf>,
    taken: Vec<Taken>,
    conflicts: Vec<Conflict>,
}

/// Who declares that it cannot be combined with what, and where.
struct Conflict {
    one: String,
    other: String,
    declared: Label,
}

/// A pack or file that was read, so that it is read once.
struct Taken {
    path: PathBuf,
    /// The name that `conflicts` knows it by.
    stem: String,
    /// As `extends` has it.
    written: String,
}

/// How a member came in.
struct Entry<'e> {
    source: &'e SourceText,
    origin: Origin,
    written: &'e str,
    is_pack: bool,
}

/// Reads a source, then what it extends.
pub(super) fn family<R>(source: &SourceText, read: &R) -> Family
where
    R: Fn(&Path) -> Result<Vec<u8>, String>,
{
    let origin = Origin {
        layer: source.layer,
        file: source.path.to_string_lossy().into_owned(),
        shown: source.shown.clone(),
        line: 0,
    };
    let mut family = Family::default();
    family.add(Entry { source, origin, written: &source.shown, is_pack: false }, read);
    family
}

impl Family {
    /// Reads a member; says whether it, and all it extends, is without errors.
    fn add<R>(&mut self, entry: Entry<'_>, read: &R) -> bool
    where
        R: Fn(&Path) -> Result<Vec<u8>, String>,
    {
        let Entry { source, origin, written, is_pack } = entry;
        let page = Page::new(source);
        let (mut syntax, mut report) = (Report::new(&page), Report::new(&page));
        let node = text::parse(source, &mut syntax);
        // `requires` comes before every other fault, those of syntax included.
        if node.as_ref().is_some_and(|node| !requires::is_met(node, &mut report)) {
            self.diagnostics.append(&mut report.diagnostics);
            return false;
        }
        let Some(node) = node.filter(|_| syntax.errors == 0) else {
            self.diagnostics.append(&mut syntax.diagnostics);
            return false;
        };
        let member = file(&node, &origin, &mut report);
        self.chain.push(source.path.clone());
        let (path, written) = (source.path.clone(), written.to_owned());
        let declared = member.conflicts.iter().map(|with| Conflict {
            one: written.clone(),
            other: with.text.clone(),
            declared: page.place(&with.span).label("declared here"),
        });
        self.conflicts.extend(declared);
        self.taken.push(Taken { stem: stem(&path), path, written });
        for wanted in &member.extends {
            self.extend(source, &origin, wanted, &mut report, read);
        }
        self.chain.pop();
        let is_sound = report.errors == 0;
        // A pack's notes and warnings are for those who write it.
        report.diagnostics.retain(|d| !is_pack || d.level == Level::Error);
        self.diagnostics.append(&mut report.diagnostics);
        self.members.push((page, member));
        is_sound
    }

    fn extend<R>(
        &mut self,
        source: &SourceText,
        origin: &Origin,
        wanted: &Text,
        report: &mut Report<'_>,
        read: &R,
    ) where
        R: Fn(&Path) -> Result<Vec<u8>, String>,
    {
        let name = wanted.text.as_str();
        let mut fail = |code, message: String, help: String| {
            report.add(code, &wanted.span, message, help);
        };
        let Some(target) = packs::target(source, name) else {
            let message = format!("there is no pack `{name}`");
            return fail(Code::UnknownPack, message, packs::help(name));
        };
        if self.chain.contains(&target.path) {
            let message = format!("`{name}` extends itself by way of what it extends");
            return fail(Code::ExtendsCircle, message, "remove it here or there".to_owned());
        }
        if self.chain.len() > DEEPEST {
            let message = format!("`{name}` is more than {DEEPEST} files away from the first");
            return fail(Code::ExtendsDepth, message, "extend it higher up".to_owned());
        }
        if !self.taken.iter().any(|taken| taken.path == target.path) {
            if self.read.len() >= MOST {
                let message = format!("`{name}` is one file more than the {MOST} that may come in");
                return fail(Code::ExtendsDepth, message, "put files together".to_owned());
            }
            let is_pack = target.pack.is_some();
            let bytes = target.pack.map(|text| Ok(text.into_bytes())).unwrap_or_else(|| {
                self.read.push(target.path.clone());
                read(&target.path)
            });
            let bytes = match bytes {
                Ok(bytes) => bytes,
                Err(error) => {
                    let message = format!("`{name}` cannot be read: {error}");
                    let help = format!("it was looked for at {}", target.path.display());
                    return fail(Code::UnknownPack, message, help);
                }
            };
            let (path, shown) = (target.path, target.shown);
            let source = SourceText { path, shown, layer: source.layer, bytes };
            let origin = Origin { shown: source.shown.clone(), ..origin.clone() };
            let help = format!("mend {}", source.shown);
            if !self.add(Entry { source: &source, origin, written: name, is_pack }, read) {
                let message = format!("`{name}` has errors, so nothing of this file counts");
                return fail(Code::BrokenExtends, message, help);
            }
        }
        self.conflict(wanted, report);
    }

    /// Packs of one file that cannot be combined; told where the later of them comes in.
    fn conflict(&mut self, wanted: &Text, report: &mut Report<'_>) {
        let mut left = Vec::new();
        for conflict in std::mem::take(&mut self.conflicts) {
            let Some(taken) = self.taken.iter().find(|taken| taken.stem == conflict.other) else {
                left.push(conflict);
                continue;
            };
            let Conflict { one, declared, .. } = conflict;
            let message = format!("`{one}` cannot be combined with `{}`", taken.written);
            report.add(Code::ConflictingPacks, &wanted.span, message, "extend one of them");
            report.label(declared);
        }
        self.conflicts = left;
    }
}
