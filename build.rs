//! Lists the data that is compiled in: a new command or pack is a new file, and no Rust.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::{env, fs, io, path::Path};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = env::var("CARGO_MANIFEST_DIR")?;
    let out = env::var("OUT_DIR")?;
    for (dir, table) in [("shims", "DESCRIPTIONS"), ("examples", "PACKS")] {
        println!("cargo::rerun-if-changed={dir}");
        let mut entries = Vec::new();
        for entry in fs::read_dir(Path::new(&root).join(dir))? {
            let path = entry?.path();
            if path.extension().is_some_and(|e| e == "toml") {
                let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                entries.push(format!(
                    "    ({name:?}, include_str!({:?})),\n",
                    path.display().to_string()
                ));
            }
        }
        entries.sort();
        let text = format!(
            "/// Files of `{dir}/`: name without extension, and text.\npub const {table}: &[(&str, &str)] = &[\n{}];\n",
            entries.concat()
        );
        fs::write(Path::new(&out).join(format!("{dir}.rs")), text)?;
    }
    // Views are keyed by build: another build never reads this one's layout.
    let mut hasher = DefaultHasher::new();
    for dir in ["src", "shims", "examples", "Cargo.toml"] {
        digest(&Path::new(&root).join(dir), &mut hasher)?;
    }
    println!("cargo::rustc-env=EMBARGO_BUILD_ID={:016x}", hasher.finish());
    println!("cargo::rerun-if-changed=src");
    println!("cargo::rerun-if-changed=Cargo.toml");
    Ok(())
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
