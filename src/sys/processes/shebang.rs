//! Was the program called to run a script whose first line names it?

use std::fs::OpenOptions;
use std::io::Read;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};

use bstr::{BString, ByteSlice};

/// How much of a first line the kernel reads.
const LINE: u64 = 256;

/// Is the first operand an executable script whose `#!` line names argv\[0\]?
pub(super) fn names_program(argv: &[BString]) -> bool {
    let Some((called, rest)) = argv.split_first() else { return false };
    let Some(script) = rest.iter().find(|word| !word.starts_with(b"-")) else { return false };
    first_line(script).is_some_and(|line| interpreter(&line) == Some(basename(called)))
}

fn first_line(script: &BString) -> Option<Vec<u8>> {
    let path = script.to_path().ok()?;
    // Looked at before it is opened: opening a pipe or a device may have effects.
    let found = path.metadata().ok()?;
    if !found.is_file() || found.mode() & 0o111 == 0 {
        return None;
    }
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path).ok()?;
    let mut start = Vec::new();
    file.take(LINE).read_to_end(&mut start).ok()?;
    Some(start.lines().next()?.to_vec())
}

/// The program that a first line names, directly or through `env`.
fn interpreter(line: &[u8]) -> Option<&[u8]> {
    let mut words = line.strip_prefix(b"#!")?.fields();
    let first = basename(words.next()?);
    if first != b"env" {
        return Some(first);
    }
    words.find(|word| !word.starts_with(b"-") && !word.contains(&b'=')).map(basename)
}

fn basename(path: &[u8]) -> &[u8] {
    path.rsplit(|b| *b == b'/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::interpreter;

    #[test]
    fn first_lines_name_their_program() {
        let rows: [(&str, Option<&str>); 10] = [
            ("#!/bin/sh", Some("sh")),
            ("#! /usr/bin/python3 -u", Some("python3")),
            ("#!/usr/bin/env python3", Some("python3")),
            ("#!/usr/bin/env -S node --harmony", Some("node")),
            ("#!/usr/bin/env -S A=1 B=2 uv run", Some("uv")),
            ("#!/usr/bin/env", None),
            ("#!", None),
            ("", None),
            ("\x7fELF", None),
            ("# !/bin/sh", None),
        ];
        for (line, program) in rows {
            assert_eq!(interpreter(line.as_bytes()), program.map(str::as_bytes), "{line}");
        }
    }
}
