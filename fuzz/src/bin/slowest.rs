//! Replays inputs of the target `line` without a fuzzer, each as it is and as long as a text
//! may be, and tells which took longest. In a release build the bar is 50 ms of CPU.

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{env, fs, io};

use embargo_fuzz::{Costly, Took, line};

const BAR: Duration = Duration::from_millis(50);

fn main() -> io::Result<()> {
    let mut inputs = Vec::new();
    env::args_os().skip(1).try_for_each(|path| files(Path::new(&path), &mut inputs))?;
    let mut took: Vec<(Took, &PathBuf)> = Vec::new();
    for path in &inputs {
        let bytes = fs::read(path)?;
        let mut least = line(&bytes, Costly::Always);
        // A busy machine shows in CPU time too.
        for _ in 0..4 {
            if least.parse.max(least.calls) > BAR / 2 {
                let again = line(&bytes, Costly::Always);
                least.parse = least.parse.min(again.parse);
                least.calls = least.calls.min(again.calls);
            }
        }
        took.push((least, path));
    }
    let count = took.len();
    for (what, key) in [("parse", of_parse as fn(&Took) -> Duration), ("calls", of_calls)] {
        took.sort_by_key(|(took, _)| std::cmp::Reverse(key(took)));
        let over = took.iter().filter(|(took, _)| key(took) >= BAR).count();
        println!("{what}: {over} of {count} took 50 ms or more; the slowest:");
        for (took, path) in took.iter().take(5) {
            println!("  {:?} {}", key(took), path.display());
        }
    }
    Ok(())
}

fn of_parse(took: &Took) -> Duration {
    took.parse
}

fn of_calls(took: &Took) -> Duration {
    took.calls
}

fn files(path: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    if !path.is_dir() {
        found.push(path.to_owned());
        return Ok(());
    }
    for entry in fs::read_dir(path)? {
        files(&entry?.path(), found)?;
    }
    Ok(())
}
