//! PATH beside the hook, for harnesses whose shells read the profile again. Only where there are
//! shims, and for the user: a project's file has no home's paths.

use std::path::{Path, PathBuf};

use bstr::ByteSlice as _;

use super::change::{binary, read, unwritable};
use crate::command::quote;
use crate::hook::Dialect;
use crate::hook::path::{self, ByHand};
use crate::hook::plan::Change;
use crate::render::hooks::{self, PathState};
use crate::sys::context::Context;
use crate::sys::{environment, install, runs, settings, stdio};

/// Puts the shims first where this harness's shells would not have them so; says what was done.
pub fn install(dialect: Dialect) -> anyhow::Result<()> {
    if !dialect.reads_the_profile() {
        return Ok(());
    }
    let Some(shims) = shims() else {
        stdio::print(&hooks::no_shims_yet());
        return Ok(());
    };
    if let Some(file) = config(dialect) {
        let found = read(&file)?;
        match path::into_config(found.as_deref().unwrap_or_default(), &shims, &rest_of_path(&shims))
        {
            Ok(after) => put(&file, found.as_deref(), &after)?,
            Err(why) => {
                let is_toml = why == ByHand::HasOwn;
                stdio::print(&hooks::path_by_hand(&file, &shims, is_toml));
            }
        }
    }
    let call = call()?;
    let profiles = profiles();
    if profiles.is_empty() {
        stdio::print(&hooks::no_profile());
    }
    for file in profiles {
        let found = read(&file)?;
        let after = path::into_profile(found.as_deref().unwrap_or_default(), &call);
        put(&file, found.as_deref(), &after)?;
    }
    Ok(())
}

/// Takes it out again; the profile's line stays while another harness needs it.
pub fn uninstall(dialect: Dialect, is_needed: bool) -> anyhow::Result<()> {
    if let Some(file) = config(dialect) {
        let again = |before: &str, text: &str| {
            // With the PATH that stands there, whatever it is today.
            let value = text.parse::<toml::Table>().ok()?;
            let value = value.get("shell_environment_policy")?.get("set")?.get("PATH")?.as_str()?;
            let (shims, rest) = value.split_once(':')?;
            path::into_config(before, shims, rest).ok()
        };
        take(&file, path::is_in_config, path::out_of_config, again)?;
    }
    if dialect.reads_the_profile() && !is_needed {
        let call = call()?;
        for file in profiles() {
            let again = |before: &str, _: &str| Some(path::into_profile(before, &call));
            take(&file, path::is_in_profile, path::out_of_profile, again)?;
        }
    }
    Ok(())
}

/// Whether all of it is there; none without shims, and where this harness keeps the PATH it was
/// started with.
pub fn state(dialect: Dialect) -> Option<PathState> {
    if !dialect.reads_the_profile() {
        return None;
    }
    shims()?;
    let has = |file: &Path, is_in: fn(&str) -> bool| {
        settings::text(file).ok().flatten().is_some_and(|text| is_in(&text))
    };
    let profiles = profiles();
    let is_there = config(dialect).is_none_or(|file| has(&file, path::is_in_config))
        && !profiles.is_empty()
        && profiles.iter().all(|file| has(file, path::is_in_profile));
    Some(if is_there { PathState::Installed } else { PathState::Absent })
}

fn put(file: &Path, found: Option<&str>, after: &str) -> anyhow::Result<()> {
    if found == Some(after) {
        stdio::print(&hooks::path(file, Change::Kept));
        return Ok(());
    }
    let backup = settings::backup_of(file);
    if found.is_some() && !backup.exists() {
        settings::back_up(file).map_err(|e| unwritable(file, &e))?;
    }
    settings::write(file, after).map_err(|e| unwritable(file, &e))?;
    stdio::print(&hooks::path(file, Change::Written));
    Ok(())
}

/// As it was before where nothing else has changed since; else only ours goes.
fn take(
    file: &Path,
    is_in: fn(&str) -> bool,
    out: fn(&str) -> String,
    again: impl Fn(&str, &str) -> Option<String>,
) -> anyhow::Result<()> {
    let Some(text) = read(file)?.filter(|text| is_in(text)) else { return Ok(()) };
    let backup = settings::backup_of(file);
    let before = read(&backup)?;
    let rest = out(&text);
    let change = match &before {
        Some(before) if again(before, &text).as_deref() == Some(&*text) => {
            settings::write(file, before)
                .and_then(|()| settings::remove(&backup))
                .map(|()| Change::Restored)
        }
        None if rest.trim().is_empty() => settings::remove(file).map(|()| Change::Restored),
        _ => settings::write(file, &rest).map(|()| Change::Removed),
    };
    stdio::print(&hooks::uninstalled(file, change.map_err(|e| unwritable(file, &e))?));
    Ok(())
}

/// The user's own directory of shims, if it has any.
fn shims() -> Option<String> {
    let directory = Context::of_caller().by_variables?.shims();
    let has_shims = install::shims(&directory).is_ok_and(|shims| !shims.is_empty());
    directory.to_str().filter(|_| has_shims).map(str::to_owned)
}

/// PATH as it is, without shims.
fn rest_of_path(shims: &str) -> String {
    let is_other = |dir: &PathBuf| dir.as_path() != Path::new(shims) && !runs::is_run(dir);
    let kept: Vec<String> = environment::path()
        .filter(|dir| is_other(dir) && dir.is_absolute())
        .filter_map(|dir| dir.to_str().map(str::to_owned))
        .collect();
    kept.join(":")
}

fn call() -> anyhow::Result<String> {
    Ok(quote(binary()?.as_bytes()).as_bytes().to_str_lossy().into_owned())
}

fn home() -> Option<PathBuf> {
    environment::text("HOME").map(PathBuf::from).filter(|home| home.is_absolute())
}

fn config(dialect: Dialect) -> Option<PathBuf> {
    let named = environment::text("CODEX_HOME").map(PathBuf::from).filter(|dir| dir.is_absolute());
    let directory = named.or_else(|| Some(home()?.join(".codex")))?;
    (dialect == Dialect::Codex).then(|| directory.join("config.toml"))
}

/// What a login shell of the user's reads last: bash(1), zsh(1). None for a shell whose language is
/// another one.
fn profiles() -> Vec<PathBuf> {
    let Some(home) = home() else { return Vec::new() };
    let shell = environment::text("SHELL").unwrap_or_default();
    match shell.rsplit('/').next().unwrap_or_default() {
        "bash" => {
            let files = [".bash_profile", ".bash_login", ".profile"].map(|file| home.join(file));
            let found = files.iter().find(|file| file.exists()).cloned();
            vec![found.unwrap_or_else(|| home.join(".profile"))]
        }
        "zsh" => {
            let named = environment::text("ZDOTDIR").map(PathBuf::from);
            let directory = named.filter(|dir| dir.is_absolute()).unwrap_or(home);
            let interactive = Some(directory.join(".zshrc")).filter(|file| file.exists());
            std::iter::once(directory.join(".zprofile")).chain(interactive).collect()
        }
        "sh" | "dash" | "ksh" | "mksh" | "ash" => vec![home.join(".profile")],
        _ => Vec::new(),
    }
}
