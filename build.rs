//! Compiles in the data: packs as they are, descriptions of commands as they are read. A
//! new command or pack is a new file, and no Rust.
//!
//! Descriptions go through the very reader that a user's own go through, so it is part of
//! this program too: reading eighty of them as TOML is nothing that a call can wait for.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use command::Catalogue;
use config::SourceText;
use policy::Layer;

#[expect(dead_code, reason = "what only the library calls")]
#[path = "src/command"]
mod command {
    mod catalogue;
    mod clause;
    mod compiled;
    mod effect;
    mod grammar;

    pub use catalogue::{Catalogue, Description, Example};
    pub use clause::{Clause, ClauseFault};
    pub use compiled::compile;
    pub use effect::{Act, Thing};
    pub use grammar::{Grammar, OptionSpec, Wraps};
}

#[expect(dead_code, reason = "what only the library calls")]
#[path = "src/policy"]
mod policy {
    mod layer;

    pub use layer::Layer;
}

#[expect(dead_code, reason = "what only the library calls")]
#[path = "src/config"]
mod config {
    mod code;
    mod description;
    mod diagnostic;
    mod fields;
    mod from_json;
    mod from_toml;
    mod level;
    mod node;
    mod options;
    mod report;
    mod source;
    mod suggest;
    mod text;
    mod value;

    pub use code::{Code, Level};
    pub use description::description;
    pub use diagnostic::{Diagnostic, Place};
    pub use source::SourceText;
}

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let (places, records) = command::compile(&catalogue(&root)?)?;
    fs::write(out.join("places.bin"), places)?;
    fs::write(out.join("records.bin"), records)?;
    fs::write(out.join("packs.rs"), packs(&root, &out)?)?;
    // Views are keyed by build: another build never reads this one's layout.
    let mut hasher = DefaultHasher::new();
    for dir in ["src", "shims", "examples", "Cargo.toml", "Cargo.lock", "build.rs"] {
        digest(&root.join(dir), &mut hasher)?;
        println!("cargo::rerun-if-changed={dir}");
    }
    println!("cargo::rustc-env=EMBARGO_BUILD_ID={:016x}", hasher.finish());
    println!("cargo::rerun-if-changed=build.rs");
    Ok(())
}

/// All of `shims/`, without what nothing in the binary reads: examples, sources, flags that
/// always ask, and what manuals call the values of options.
fn catalogue(root: &Path) -> Result<Catalogue, Failure> {
    let mut catalogue = Catalogue::default();
    for path in tables(&root.join("shims"))? {
        let shown = path.strip_prefix(root)?.display().to_string();
        let bytes = fs::read(&path)?;
        let source = SourceText { path, shown, layer: Layer::System, bytes };
        let mut description = config::description(&source).map_err(|faults| {
            let line = |d: &config::Diagnostic| {
                format!("{}:{}:{}: {}; {}", d.shown, d.line, d.column, d.message, d.help)
            };
            faults.iter().map(line).collect::<Vec<_>>().join("\n")
        })?;
        description.examples.clear();
        description.manual.clear();
        description.dangerous.clear();
        description.action_words.clear();
        for grammar in description.grammars.values_mut() {
            grammar.options = nameless(&grammar.options);
        }
        catalogue.add(description);
    }
    Ok(catalogue)
}

/// `--output=<file>` takes a value whatever that is called: `--output=<>`.
fn nameless(options: &str) -> String {
    let mut within = false;
    let keep = |c: &char| {
        let kept = !within || *c == '>';
        within = *c == '<' || within && *c != '>';
        kept
    };
    options.chars().filter(keep).collect()
}

/// Policies as text are a fifth of a mebibyte that nearly no call reads: they are packed.
fn packs(root: &Path, out: &Path) -> Result<String, Failure> {
    let mut entries = String::new();
    for path in tables(&root.join("examples"))? {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let packed = out.join(format!("{name}.deflate"));
        fs::write(&packed, miniz_oxide::deflate::compress_to_vec(text.as_bytes(), 10))?;
        let packed = packed.display().to_string();
        entries += &format!("    ({name:?}, packed!({packed:?})),\n");
    }
    Ok(format!(
        "/// Files of `examples/`: name without extension, and text, packed.\npub static PACKS: &[(&str, &[u8])] = &[\n{entries}];\n"
    ))
}

/// The TOML files of a directory, by name.
fn tables(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(directory)?.map(|entry| entry.map(|e| e.path()));
    let mut paths = entries.collect::<Result<Vec<_>, _>>()?;
    paths.retain(|path| path.extension().is_some_and(|e| e == "toml"));
    paths.sort();
    Ok(paths)
}

/// Feeds names and contents below `path`, in order, into the hasher.
fn digest(path: &Path, hasher: &mut DefaultHasher) -> io::Result<()> {
    if path.is_dir() {
        let mut entries: Vec<_> = fs::read_dir(path)?.collect::<Result<_, _>>()?;
        entries.sort_by_key(fs::DirEntry::path);
        return entries.iter().try_for_each(|entry| digest(&entry.path(), hasher));
    }
    path.file_name().hash(hasher);
    fs::read(path)?.hash(hasher);
    Ok(())
}
