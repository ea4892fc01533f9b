//! `embargo hook status`: where hook lines stand, and whether they are those of today.

use std::path::PathBuf;

use super::{change, path, place};
use crate::cli::Outcome;
use crate::hook::merge;
use crate::hook::plan::{self, INSTALLED, Plan, Scope};
use crate::policy::Exit;
use crate::render::answer;
use crate::render::hooks::{self, State, Status};
use crate::sys::{settings, stdio};

/// Shows them, one harness or all.
pub fn status(name: Option<&str>, scopes: &[Scope], json: bool) -> Outcome {
    let mut found = Vec::new();
    for name in INSTALLED.into_iter().filter(|n| name.is_none_or(|name| name == *n)) {
        for scope in scopes {
            found.push(one(name, *scope)?);
        }
    }
    stdio::print(&match json {
        true => answer::object(&hooks::json(&found)),
        false => hooks::status(&found),
    });
    Ok(Exit::Success)
}

/// Harnesses that call us by the user's own configuration, and where that is.
pub fn installed() -> Vec<(&'static str, PathBuf)> {
    let of_user = INSTALLED.into_iter().filter_map(|name| one(name, Scope::User).ok());
    let calls_us = of_user.filter(|it| matches!(it.state, State::Installed | State::Changed));
    calls_us.map(|it| (it.name, it.file)).collect()
}

fn one(name: &'static str, scope: Scope) -> anyhow::Result<Status> {
    let dialect = change::dialect(name)?;
    let file = place::file(dialect, scope)?;
    let of_path = if scope == Scope::User { path::state(dialect) } else { None };
    let status =
        |state, binary| Status { name, scope, file: file.clone(), state, binary, path: of_path };
    let text = match settings::text(&file) {
        Ok(Some(text)) => text,
        Ok(None) => return Ok(status(State::Absent, None)),
        Err(_) => return Ok(status(State::Unreadable, None)),
    };
    let (binary, wanted) = match dialect.plan() {
        Plan::Json(json) => {
            let call = change::call(&change::binary()?, name);
            match merge::install(&text, &json, &call) {
                Ok(wanted) => (merge::binary(&text), wanted),
                Err(_) => return Ok(status(State::Unreadable, None)),
            }
        }
        _ => (plan::plugins_binary(&text), plan::plugin(&change::binary()?)),
    };
    let state = match &binary {
        None => State::Absent,
        Some(_) if wanted == text => State::Installed,
        Some(_) => State::Changed,
    };
    Ok(status(state, binary))
}
