//! Where a harness's configuration is.

use std::path::PathBuf;

use crate::cli::failure;
use crate::hook::Dialect;
use crate::hook::plan::Scope;
use crate::render::hooks;
use crate::sys::context::Context;
use crate::sys::environment::text;

/// The file that holds our lines; an error without a home or a working directory.
pub fn file(dialect: Dialect, scope: Scope) -> anyhow::Result<PathBuf> {
    let base = match scope {
        Scope::User => users(dialect),
        Scope::Project => Context::of_caller().cwd.map(|cwd| cwd.join(in_project(dialect))),
    };
    let base = base.ok_or_else(|| failure(hooks::no_place(scope)))?;
    Ok(base.join(match dialect {
        Dialect::Claude | Dialect::Gemini => "settings.json",
        Dialect::Copilot | Dialect::VsCode => "hooks/embargo.json",
        Dialect::OpenCode => "plugins/embargo.ts",
        _ => "hooks.json",
    }))
}

fn users(dialect: Dialect) -> Option<PathBuf> {
    let named = match dialect {
        Dialect::Claude => text("CLAUDE_CONFIG_DIR"),
        Dialect::Codex => text("CODEX_HOME"),
        Dialect::Copilot => text("COPILOT_HOME"),
        Dialect::OpenCode => text("XDG_CONFIG_HOME").map(|dir| format!("{dir}/opencode")),
        _ => None,
    };
    let named = named.map(PathBuf::from).filter(|path| path.is_absolute());
    let below = match dialect {
        Dialect::Claude => ".claude",
        Dialect::Codex => ".codex",
        Dialect::Copilot | Dialect::VsCode => ".copilot",
        Dialect::Cursor => ".cursor",
        Dialect::Gemini => ".gemini",
        _ => ".config/opencode",
    };
    let home = || text("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
    named.or_else(|| Some(home()?.join(below)))
}

fn in_project(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Claude => ".claude",
        Dialect::Codex => ".codex",
        Dialect::Copilot | Dialect::VsCode => ".github",
        Dialect::Cursor => ".cursor",
        Dialect::Gemini => ".gemini",
        _ => ".opencode",
    }
}
