//! Where an entry of `extends` leads: to a pack that is compiled in, or to a file.

use std::path::{Component, Path, PathBuf};

use super::{SourceText, suggest};

include!(concat!(env!("OUT_DIR"), "/packs.rs"));

/// A pack or a file that is extended.
pub(super) struct Target {
    pub path: PathBuf,
    pub shown: String,
    /// The text, where it is compiled in.
    pub pack: Option<&'static str>,
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
    let text = PACKS.iter().find(|(pack, _)| *pack == name)?.1;
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
