//! Transcripts of Claude Code (`~/.claude/projects/…/SESSION.jsonl`): an object a line; a tool's use
//! stands in an assistant's message, and its result in the user's that follows.

use std::collections::HashMap;
use std::path::PathBuf;

use bstr::ByteSlice as _;
use serde_json::Value;

use super::{Came, Entry};
use crate::hook::{Shell, shell_of};

/// What embargo's own refusals have in their last line.
const REFUSED: [&str; 2] = ["[embargo refused ", "[embargo asks "];

pub(super) fn read(bytes: &[u8]) -> Vec<Entry> {
    let mut found: Vec<Entry> = Vec::new();
    let mut used: HashMap<String, usize> = HashMap::new();
    for (at, line) in bytes.lines().enumerate() {
        let Ok(value) = serde_json::from_slice::<Value>(line) else { continue };
        let cwd = value.get("cwd").and_then(Value::as_str).map(PathBuf::from);
        let items = value.pointer("/message/content").and_then(Value::as_array);
        for item in items.into_iter().flatten() {
            let text = |key: &str| item.get(key).and_then(Value::as_str);
            match text("type") {
                Some("tool_use") => {
                    let Some(shell) = text("name").and_then(shell_of) else { continue };
                    let command = item.pointer("/input/command").and_then(Value::as_str);
                    let Some(command) = command.filter(|c| !c.trim().is_empty()) else { continue };
                    used.extend(text("id").map(|id| (id.to_owned(), found.len())));
                    found.push(entry(at + 1, command, shell, cwd.clone()));
                }
                Some("tool_result") => {
                    let place = text("tool_use_id").and_then(|id| used.get(id));
                    if let Some(entry) = place.and_then(|at| found.get_mut(*at)) {
                        entry.came = came(item);
                    }
                }
                _ => {}
            }
        }
    }
    found
}

fn entry(line: usize, command: &str, shell: Shell, cwd: Option<PathBuf>) -> Entry {
    Entry { line, command: command.to_owned(), shell, cwd, came: Came::Unknown }
}

fn came(result: &Value) -> Came {
    let content = result.get("content");
    let said = content.map(Value::to_string).unwrap_or_default();
    match result.get("is_error").and_then(Value::as_bool) {
        _ if REFUSED.iter().any(|mark| said.contains(mark)) => Came::Refused,
        Some(true) => Came::Failed,
        Some(false) | None => Came::Succeeded,
    }
}
