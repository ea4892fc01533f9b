//! Programs in C for what only C can show, compiled once, by content.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::common::World;

/// The program that writes down what it received.
pub fn recorder() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| compiled("recorder", include_str!("recorder.c"), &[]))
}

/// A program, or with other options something else, from C.
pub fn compiled(name: &str, source: &str, options: &[&str]) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let digest = blake3::hash(source.as_bytes()).to_hex();
    let program = directory.join(format!("{name}-{}", &digest[..16]));
    if program.exists() {
        return program;
    }
    let beside = directory.join(format!("{name}-{}.c", std::process::id()));
    let output = beside.with_extension("out");
    fs::write(&beside, source).expect("the source is written");
    let status =
        Command::new("cc").arg("-O1").args(options).arg("-o").args([&output, &beside]).status();
    assert!(status.expect("a C compiler").success(), "{name}.c");
    fs::rename(&output, &program).expect("the program is in place");
    fs::remove_file(&beside).expect("the source is gone");
    program
}

/// A copy of a program below the world. Not written by this process: a child forked
/// meanwhile would hold it open, and it could not be executed (ETXTBSY).
pub fn put(world: &World, program: &Path, below: impl AsRef<Path>) -> PathBuf {
    let path = world.path(below);
    fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
    let status = Command::new("/bin/cp").arg("--").args([program, &path]).status();
    assert!(status.expect("cp").success(), "{}", path.display());
    path
}
