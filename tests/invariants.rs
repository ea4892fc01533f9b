//! The invariants of `ARCHITECTURE.md` that can be read off the source.

use std::path::{Path, PathBuf};

fn sources(below: &str) -> Vec<(PathBuf, String)> {
    fn walk(path: &Path, found: &mut Vec<(PathBuf, String)>) {
        if path.is_dir() {
            for entry in std::fs::read_dir(path).expect("a readable directory") {
                walk(&entry.expect("an entry").path(), found);
            }
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push((path.to_owned(), std::fs::read_to_string(path).expect("a readable file")));
        }
    }
    let mut found: Vec<(PathBuf, String)> = Vec::new();
    walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(below), &mut found);
    // Unit tests in a file of their own.
    found.retain(|(path, _)| !path.ends_with("tests.rs"));
    assert!(!found.is_empty(), "no source below src/{below}");
    found
}

/// Lines that are code: comments speak of everything, and tests stand at the end.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_comment = |line: &str| line.trim_start().starts_with("//");
    let product = text.lines().take_while(|line| !line.starts_with("#[cfg(test)]"));
    product.enumerate().filter(move |(_, line)| !is_comment(line)).map(|(i, l)| (i + 1, l))
}

fn offending(below: &[&str], words: &[&str], except: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for (path, text) in below.iter().flat_map(|dir| sources(dir)) {
        if except.iter().any(|e| path.ends_with(e)) {
            continue;
        }
        for (number, line) in code(&text) {
            if let Some(word) = words.iter().find(|w| line.contains(*w)) {
                found.push(format!("{}:{number}: `{word}`", path.display()));
            }
        }
    }
    found
}

#[test]
fn the_pure_modules_perform_no_effects() {
    let effects = [
        "std::fs",
        "std::env::var",
        "std::env::args",
        "std::env::current",
        "std::process",
        "std::time",
        "std::io::std",
        "std::net",
        "std::thread",
        "rustix",
        "libc::",
        "rusqlite",
        "println!",
        "print!(",
        "eprintln!",
        "memmap2",
    ];
    let pure = [
        "policy", "seal", "command", "line", "config", "view", "doctor", "hook", "history",
        "render",
    ];
    assert_eq!(offending(&pure, &effects, &[]), [] as [String; 0]);
}

#[test]
fn only_sys_touches_the_machine() {
    let effects =
        ["std::fs::", "rustix::", "libc::", "rusqlite::", "Command::new", "println!", "eprintln!"];
    assert_eq!(offending(&["cli"], &effects, &[]), [] as [String; 0]);
    for file in ["shim.rs", "decide.rs", "refuse.rs", "lib.rs"] {
        assert_eq!(offending(&[file], &effects, &[]), [] as [String; 0]);
    }
}

#[test]
fn the_shim_names_neither_clap_nor_what_issues_grants() {
    assert_eq!(
        offending(&["shim.rs"], &["clap", "cli::", "grant", "approve"], &[]),
        [] as [String; 0]
    );
}

#[test]
fn only_main_ends_the_process() {
    let ends = ["process::exit", "process::abort", "libc::exit", "libc::_exit"];
    // And a hook's last word, where there is no way back to it.
    assert_eq!(offending(&[""], &ends, &["main.rs", "raw/last_word.rs"]), [] as [String; 0]);
}

#[test]
fn unsafe_code_stands_in_one_module_and_says_why() {
    assert_eq!(
        offending(
            &[""],
            &["unsafe "],
            &[
                "main.rs",
                "raw/mod.rs",
                "raw/apart.rs",
                "raw/child.rs",
                "raw/heap.rs",
                "raw/last_word.rs"
            ]
        ),
        [] as [String; 0]
    );
    for file in [
        "main.rs",
        "sys/raw/mod.rs",
        "sys/raw/apart.rs",
        "sys/raw/child.rs",
        "sys/raw/heap.rs",
        "sys/raw/last_word.rs",
    ] {
        let (path, text) = sources(file).remove(0);
        let lines: Vec<&str> = text.lines().collect();
        for (i, line) in lines
            .iter()
            .enumerate()
            .filter(|(_, l)| l.contains("unsafe {") && !l.trim_start().starts_with("//"))
        {
            let above = lines[i.saturating_sub(6)..=i].join("\n");
            assert!(above.contains("SAFETY"), "{}:{}: {line}", path.display(), i + 1);
        }
    }
}

#[test]
fn nothing_in_the_source_panics_on_purpose() {
    let panics = [
        ".unwrap()",
        ".expect(",
        "panic!(",
        "todo!",
        "unimplemented!",
        "unreachable!",
        "#[allow(",
        "dbg!",
    ];
    assert_eq!(offending(&[""], &panics, &[]), [] as [String; 0]);
}
