//! What `embargo uninstall` asks, and what it leaves.

use std::path::{Path, PathBuf};

use super::prose::shown;

/// What stays, as far as it is there.
#[derive(Debug, Default)]
pub struct Left {
    /// File, line number and text of each line in a start-up file that speaks of us.
    pub startup: Vec<(PathBuf, usize, String)>,
    /// Harnesses that call us, each with the file that says so.
    pub hooks: Vec<(&'static str, PathBuf)>,
    pub config: Option<PathBuf>,
    pub state: Option<PathBuf>,
    pub cache: Option<PathBuf>,
    /// Directories of `embargo run` that something still has on its PATH.
    pub runs: Option<PathBuf>,
    pub binary: Option<PathBuf>,
}

/// One line for each thing that stays, and how to be rid of it.
pub fn left(left: &Left) -> String {
    let mut text = String::from(
        "Shells that are open may remember the shims: `hash -r` there (in zsh `rehash`).\nWhat stays:\n",
    );
    let mut line = |what: &str, path: &Path, how: &str| {
        text += &format!("  {what}: {}{how}\n", file(path));
    };
    for (path, number, content) in &left.startup {
        line("start-up file", path, &format!(":{number}: `{}`, to be taken out", shown(content)));
    }
    for (name, path) in &left.hooks {
        line(&format!("hook of {name}"), path, &format!(": embargo hook uninstall {name}"));
    }
    let of = [
        ("policies and descriptions", &left.config, ""),
        ("evidence", &left.state, ""),
        ("compiled policies", &left.cache, ", safe to remove"),
        ("directories of runs that go on", &left.runs, ", gone with the next `embargo run`"),
    ];
    for (what, path, how) in of {
        path.iter().for_each(|path| line(what, path, how));
    }
    if let Some(path) = &left.binary {
        let by_cargo = path.parent().is_some_and(|dir| dir.ends_with(".cargo/bin"));
        line("this program", path, if by_cargo { ": cargo uninstall embargo-shim" } else { "" });
    }
    text
}

pub fn question(directory: &Path, shims: usize) -> String {
    format!("Remove {} in {}? [Y/n] ", count(shims), file(directory))
}

/// No terminal, and no `--yes`.
pub fn not_asked(directory: &Path, shims: usize) -> String {
    format!(
        "{} in {} would be removed, and nobody can be asked here\nembargo uninstall --yes",
        count(shims),
        file(directory)
    )
}

/// Who is under the embargo does not lift it.
pub fn not_by_an_agent(verb: &str, agent: Option<&str>, is_below_a_harness: bool) -> String {
    let session = match (agent, is_below_a_harness) {
        (Some(agent), _) => shown(agent),
        (None, true) => "an agent's harness".to_owned(),
        (None, false) => "`embargo run`".to_owned(),
    };
    format!(
        "this is a session of {session}, and who is under an embargo does not lift it\n\
         a person runs `{verb}` in a shell of their own"
    )
}

fn count(shims: usize) -> String {
    if shims == 1 { "1 shim".to_owned() } else { format!("{shims} shims") }
}

fn file(path: &Path) -> String {
    shown(&path.to_string_lossy())
}
