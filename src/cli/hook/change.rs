//! Installing and uninstalling: read, change the text, keep what was there, write.

use std::path::Path;

use bstr::ByteSlice as _;

use super::{path, place, status};
use crate::cli::uninstall::by_a_person;
use crate::cli::{Outcome, failure};
use crate::command::quote;
use crate::hook::Dialect;
use crate::hook::merge::{self, Unmergeable};
use crate::hook::plan::{self, Change, Json, Plan, Scope};
use crate::policy::Exit;
use crate::render::{hooks, installing, usage};
use crate::sys::install;
use crate::sys::{settings, stdio};

/// Writes our lines, or shows them.
pub fn install(name: &str, scope: Scope) -> Outcome {
    let dialect = dialect(name)?;
    let binary = binary()?;
    let call = call(&binary, name);
    let (file, change) = match dialect.plan() {
        Plan::ByHand { file, snippet } => {
            // In JSON the call stands in a string.
            let inner = if snippet.starts_with('{') { json_inner(&call) } else { call };
            stdio::print(&hooks::by_hand(name, file, &snippet.replace("CALL", &inner)));
            return Ok(Exit::Success);
        }
        Plan::Json(json) => {
            let file = place::file(dialect, scope)?;
            let found = read(&file)?;
            let before = found.as_deref().unwrap_or_default();
            let after = merge::install(before, &json, &call).map_err(|e| unmergeable(&file, &e))?;
            let change =
                if found.as_deref() == Some(&*after) { Change::Kept } else { Change::Written };
            if change == Change::Written {
                let is_first = merge::binary(before).is_none();
                let has_backup = settings::backup_of(&file).exists();
                if found.is_some() && (is_first || !has_backup) {
                    settings::back_up(&file).map_err(|e| unwritable(&file, &e))?;
                }
                settings::write(&file, &after).map_err(|e| unwritable(&file, &e))?;
            }
            (file, change)
        }
        Plan::Plugin => {
            let file = place::file(dialect, scope)?;
            let (found, after) = (read(&file)?, plan::plugin(&binary));
            if found.as_ref().is_some_and(|text| !text.starts_with(plan::PLUGIN_MARK)) {
                return Err(failure(hooks::foreign(&file)));
            }
            let change =
                if found.as_deref() == Some(&*after) { Change::Kept } else { Change::Written };
            if change == Change::Written {
                settings::write(&file, &after).map_err(|e| unwritable(&file, &e))?;
            }
            (file, change)
        }
    };
    stdio::print(&hooks::installed(name, scope, &file, &binary, change == Change::Kept));
    if scope == Scope::User {
        path::install(dialect)?;
    }
    Ok(Exit::Success)
}

/// Takes our lines out.
pub fn uninstall(name: &str, scope: Scope) -> Outcome {
    by_a_person(&format!("embargo hook uninstall {name}"))?;
    let dialect = dialect(name)?;
    let plan = dialect.plan();
    if let Plan::ByHand { file, .. } = plan {
        return Err(failure(hooks::out_by_hand(name, file)));
    }
    let file = place::file(dialect, scope)?;
    let change = match (read(&file)?, plan) {
        (None, _) => Change::Absent,
        (Some(text), Plan::Json(json)) => take_out(&file, &text, &json, name)?,
        (Some(text), _) if text.starts_with(plan::PLUGIN_MARK) => {
            settings::remove(&file).map_err(|e| unwritable(&file, &e))?;
            Change::Restored
        }
        _ => Change::Absent,
    };
    stdio::print(&hooks::uninstalled(&file, change));
    if scope == Scope::User {
        let is_other = |name: &str| {
            self::dialect(name).is_ok_and(|it| it != dialect && it.reads_the_profile())
        };
        path::uninstall(dialect, status::installed().iter().any(|(name, _)| is_other(name)))?;
    }
    Ok(Exit::Success)
}

/// Where nothing else has changed since, the file becomes what it was; else only ours goes.
fn take_out(file: &Path, text: &str, json: &Json, name: &str) -> anyhow::Result<Change> {
    let Some(binary) = merge::binary(text) else { return Ok(Change::Absent) };
    let backup = settings::backup_of(file);
    let before = read(&backup)?;
    let ours = merge::install(before.as_deref().unwrap_or_default(), json, &call(&binary, name));
    // What was kept may have older lines of ours: then it is not how the file was without us.
    let is_without_us = before.as_deref().is_none_or(|before| merge::binary(before).is_none());
    let is_unchanged = is_without_us && ours.is_ok_and(|ours| ours == text);
    let result = match (is_unchanged, &before) {
        (true, Some(before)) => settings::write(file, before)
            .and_then(|()| settings::remove(&backup))
            .map(|()| Change::Restored),
        (true, None) => settings::remove(file).map(|()| Change::Restored),
        (false, _) => {
            let after = merge::uninstall(text).map_err(|e| unmergeable(file, &e))?;
            settings::write(file, &after).map(|()| Change::Removed)
        }
    };
    result.map_err(|e| unwritable(file, &e))
}

/// A harness by its name; clap has let no other through.
pub fn dialect(name: &str) -> anyhow::Result<Dialect> {
    Dialect::named(name.as_bytes()).ok_or_else(|| failure(hooks::unknown(name)))
}

/// The binary as hook lines name it: absolute, and where an upgrade puts the next one.
pub fn binary() -> anyhow::Result<String> {
    let us = install::ourselves().map_err(|e| failure(installing::failure(&e)))?;
    let path = install::lasting(&us);
    path.to_str().map(str::to_owned).ok_or_else(|| failure(hooks::no_text(&path)))
}

/// The call as a shell reads it.
pub fn call(binary: &str, name: &str) -> String {
    format!("{} hook {name}", quote(binary.as_bytes()).as_bytes().to_str_lossy())
}

pub(super) fn read(file: &Path) -> anyhow::Result<Option<String>> {
    settings::text(file).map_err(|e| failure(hooks::unreadable(file, &e)))
}

fn json_inner(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    let inner = quoted.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    inner.unwrap_or_default().to_owned()
}

fn unmergeable(file: &Path, error: &Unmergeable) -> anyhow::Error {
    failure(hooks::unmergeable(file, &error.0))
}

pub(super) fn unwritable(file: &Path, error: &std::io::Error) -> anyhow::Error {
    failure(usage::not_written(file, error))
}
