//! Where an entry of `extends` leads: to a pack that is compiled in, or to a file.

use std::path::{Component, Path, PathBuf};

use crate::policy::{Layer, Origin};

use super::file::{File, file};
use super::report::Report;
use super::rule::Draft;
use super::source::Page;
use super::{SourceText, suggest, text};

/// A file as `build.rs` has packed it, in a section of its own: `.cargo/hot.ld` keeps these out
/// of the way of what a pass reads.
macro_rules! packed {
    ($path:literal) => {{
        #[cfg_attr(target_os = "linux", unsafe(link_section = ".rodata.cold"))]
        static PACKED: [u8; include_bytes!($path).len()] = *include_bytes!($path);
        &PACKED
    }};
}

include!(concat!(env!("OUT_DIR"), "/packs.rs"));

/// A policy that is compiled in, for `extends` and to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pack {
    pub name: &'static str,
    packed: &'static [u8],
}

impl Pack {
    /// Every pack, by name.
    pub fn all() -> impl Iterator<Item = Pack> {
        PACKS.iter().map(|&(name, packed)| Pack { name, packed })
    }

    /// The pack of this name, or what to write instead.
    pub fn named(name: &str) -> Result<Pack, String> {
        let found = Pack::all().find(|pack| pack.name == name);
        let names: Vec<&str> = Pack::all().map(|pack| pack.name).collect();
        found.ok_or_else(|| suggest::word(name, &names))
    }

    /// The whole file, as it stands in `examples/`.
    pub fn text(self) -> String {
        text_of(self.packed)
    }

    /// What it is for: the first line of its comment, without the stop.
    pub fn summary(self) -> String {
        let text = self.text();
        let first = text.lines().next().unwrap_or_default();
        first.trim_start_matches(['#', ' ']).trim_end_matches('.').to_owned()
    }

    /// Packs and files that make no sense beside it.
    pub fn conflicts(self) -> Vec<String> {
        self.read(|file| file.conflicts.into_iter().map(|t| t.text).collect())
    }

    /// The ids of its rules, in their order.
    pub fn rules(self) -> Vec<String> {
        self.read(|file| file.rules.into_iter().map(|draft| draft.rule.id.0).collect())
    }

    /// The programs that its rules name.
    pub fn programs(self) -> Vec<String> {
        let forms = |draft: &Draft| draft.rule.subject.forms.clone();
        self.read(|file| {
            file.rules.iter().flat_map(forms).map(|f| f.program().to_owned()).collect()
        })
    }

    /// Has it a rule on this program?
    pub fn speaks_of(self, program: &str) -> bool {
        let is_it = |draft: &Draft| draft.rule.subject.forms.iter().any(|f| f.program() == program);
        self.read(|file| file.rules.iter().any(is_it))
    }

    fn read<T: Default>(self, part: impl FnOnce(File) -> T) -> T {
        let (path, shown) = (PathBuf::from(self.name), self.name.to_owned());
        let source = SourceText { path, shown, layer: Layer::User, bytes: self.text().into() };
        let origin =
            Origin { layer: Layer::User, file: String::new(), shown: String::new(), line: 0 };
        let page = Page::new(&source);
        let mut report = Report::new(&page);
        let node = text::parse(&source, &mut report);
        node.map(|node| part(file(&node, &origin, &mut report))).unwrap_or_default()
    }
}

/// What `build.rs` has packed is text, and whole: it had it as such.
fn text_of(packed: &[u8]) -> String {
    let bytes = miniz_oxide::inflate::decompress_to_vec(packed).unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_default()
}

/// A pack or a file that is extended.
pub(super) struct Target {
    pub path: PathBuf,
    pub shown: String,
    /// The text, where it is compiled in.
    pub pack: Option<String>,
}

/// Where `name` leads from a source; `None` when there is no such pack.
pub(super) fn target(source: &SourceText, name: &str) -> Option<Target> {
    let is_path = name.contains('/') || name.ends_with(".toml") || name.ends_with(".json");
    if is_path {
        let beside =
            |file: &Path| resolved(file.parent().unwrap_or(Path::new("")), Path::new(name));
        let shown = beside(Path::new(&source.shown)).display().to_string();
        return Some(Target { path: beside(&source.path), shown, pack: None });
    }
    let text = text_of(PACKS.iter().find(|(pack, _)| *pack == name)?.1);
    let shown = format!("pack {name}");
    Some(Target { path: PathBuf::from(format!("<pack>/{name}.toml")), shown, pack: Some(text) })
}

/// What to do about a name that is no pack.
pub(super) fn help(name: &str) -> String {
    let names: Vec<&str> = PACKS.iter().map(|(name, _)| *name).collect();
    match suggest::nearest(name, names.iter().copied()) {
        Some(near) => {
            format!("did you mean `{near}`? A file is written with its path: `./house.toml`")
        }
        None => format!(
            "{}; a file is written with its path: `./house.toml`",
            suggest::word(name, &names)
        ),
    }
}

/// The name by which `conflicts` knows a pack or a file: `./conda.toml` is `conda`.
pub(super) fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// A file by its name from a directory. `x/..` in the name is nothing, as in an address, so
/// that a file has one name; `..` before that goes up from the directory, by way of links.
fn resolved(directory: &Path, name: &Path) -> PathBuf {
    let mut within = PathBuf::new();
    for part in name.components().filter(|part| *part != Component::CurDir) {
        let is_inner = matches!(within.components().next_back(), Some(Component::Normal(_)));
        match part {
            Component::ParentDir if is_inner => drop(within.pop()),
            _ => within.push(part),
        }
    }
    directory.join(within).components().filter(|part| *part != Component::CurDir).collect()
}
