//! Histories of shells: bash(1) under HISTFILE and HISTTIMEFORMAT, zshoptions(1) under
//! EXTENDED_HISTORY, fish's own YAML-like file.

use bstr::ByteSlice as _;

use super::{Came, Entry};
use crate::hook::Shell;

fn entry(line: usize, command: &str) -> Option<Entry> {
    let command = command.trim_end_matches(['\n', '\r']);
    (!command.trim().is_empty()).then(|| Entry {
        line,
        command: command.to_owned(),
        shell: Shell::Posix,
        cwd: None,
        came: Came::Unknown,
    })
}

/// A line each; with times, all that stands between two of them.
pub(super) fn bash(text: &str) -> Vec<Entry> {
    let is_time = |line: &str| {
        line.strip_prefix('#').is_some_and(|n| n.len() > 5 && n.bytes().all(|b| b.is_ascii_digit()))
    };
    let mut found = Vec::new();
    // Of the command that a time stands before: its first line and its text.
    let mut timed: Option<(usize, String)> = None;
    for (at, line) in text.lines().enumerate() {
        match &mut timed {
            _ if is_time(line) => {
                found
                    .extend(timed.replace((at + 2, String::new())).and_then(|(n, t)| entry(n, &t)));
            }
            Some((_, command)) => {
                *command += line;
                command.push('\n');
            }
            None if line.starts_with('#') => {}
            None => found.extend(entry(at + 1, line)),
        }
    }
    found.extend(timed.and_then(|(line, text)| entry(line, &text)));
    found
}

/// `: 1700000000:12;command`
pub(super) fn is_extended(line: &[u8]) -> bool {
    command_of(&line.to_str_lossy()).is_some()
}

fn command_of(line: &str) -> Option<&str> {
    let (times, command) = line.strip_prefix(": ")?.split_once(';')?;
    let (began, took) = times.split_once(':')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    (is_number(began.trim()) && is_number(took)).then_some(command)
}

/// A newline in a command stands behind a backslash.
pub(super) fn zsh(text: &str) -> Vec<Entry> {
    let mut found = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        let mut command = command_of(line).unwrap_or(line).to_owned();
        while goes_on(&command) {
            let Some((_, next)) = lines.next() else { break };
            command.pop();
            command.push('\n');
            command += next;
        }
        found.extend(entry(at + 1, &command));
    }
    found
}

fn goes_on(command: &str) -> bool {
    let backslashes = command.bytes().rev().take_while(|b| *b == b'\\').count();
    backslashes % 2 == 1
}

/// zsh writes bytes that mean something to itself as 0x83 and the byte with bit 5 turned.
pub(super) fn unmetafied(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut bytes = bytes.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            0x83 => out.extend(bytes.next().map(|byte| byte ^ 32)),
            byte => out.push(*byte),
        }
    }
    out
}

/// `- cmd: text`, with `\n` and `\\`.
pub(super) fn fish(text: &str) -> Vec<Entry> {
    let mut found = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let Some(command) = line.strip_prefix("- cmd: ") else { continue };
        let mut plain = String::with_capacity(command.len());
        let mut chars = command.chars();
        while let Some(c) = chars.next() {
            match (c, chars.clone().next()) {
                ('\\', Some('n')) => plain.push('\n'),
                ('\\', Some('\\')) => plain.push('\\'),
                _ => {
                    plain.push(c);
                    continue;
                }
            }
            chars.next();
        }
        found.extend(entry(at + 1, &plain));
    }
    found
}
