//! PATH for harnesses whose shells read the profile again, and so put other directories before the
//! shims: a table in Codex's `config.toml`, and a line in the profile for agents alone. Texts →
//! texts; what else is there keeps its bytes.

use super::Dialect;

/// Why PATH cannot be put into a `config.toml`; a person has to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ByHand {
    /// It is no TOML that can be read.
    NoToml,
    /// It sets variables of its own there.
    HasOwn,
}

const BEGIN: &str =
    "# embargo: the shims first on PATH (`embargo hook uninstall codex` takes this out)";
const END: &str = "# embargo: end";

/// Behind the profile's line, by which it is known.
const MARK: &str = "# embargo hook: the shims first on PATH, for agents alone";

impl Dialect {
    /// Does this harness run a login shell, whose profile has the last word on PATH?
    pub fn reads_the_profile(self) -> bool {
        matches!(self, Dialect::Codex | Dialect::Cursor)
    }
}

/// Codex's configuration with PATH in it. What is there with these shims stays: it is trusted, and
/// other directories on it are the user's matter.
pub fn into_config(text: &str, shims: &str, path: &str) -> Result<String, ByHand> {
    let first = format!("PATH = {}", toml::Value::from(format!("{shims}:")));
    let first = first.trim_end_matches('"');
    if let Some((from, to)) = block(text)
        && text[from..to].lines().any(|line| line.starts_with(first))
    {
        return Ok(text.to_owned());
    }
    let rest = out_of_config(text);
    let found: toml::Table = rest.parse().map_err(|_| ByHand::NoToml)?;
    let policy = found.get("shell_environment_policy");
    if policy.is_some_and(|policy| policy.get("set").is_some()) {
        return Err(ByHand::HasOwn);
    }
    let value = toml::Value::from(format!("{shims}:{path}"));
    let end = if rest.is_empty() || rest.ends_with('\n') { "" } else { "\n" };
    let after =
        format!("{rest}{end}\n{BEGIN}\n[shell_environment_policy.set]\nPATH = {value}\n{END}\n");
    // An inline table cannot be added to.
    after.parse::<toml::Table>().map_err(|_| ByHand::HasOwn)?;
    Ok(after)
}

/// The same without ours.
pub fn out_of_config(text: &str) -> String {
    match block(text) {
        Some((from, to)) => {
            let before = text[..from].strip_suffix('\n').unwrap_or(&text[..from]);
            format!("{before}{}", &text[to..])
        }
        None => text.to_owned(),
    }
}

/// Is PATH there?
pub fn is_in_config(text: &str) -> bool {
    block(text).is_some()
}

/// Where ours begins, and where what follows begins.
fn block(text: &str) -> Option<(usize, usize)> {
    let from = text.find(BEGIN)?;
    let to = from + text[from..].find(END)? + END.len();
    Some((from, to + usize::from(text[to..].starts_with('\n'))))
}

/// A profile with our line at its end, where nothing comes after it. `call` is this program as a
/// shell reads it.
pub fn into_profile(text: &str, call: &str) -> String {
    let line = line(call);
    if text.lines().any(|found| found == line) {
        return text.to_owned();
    }
    let rest = out_of_profile(text);
    let end = if rest.is_empty() || rest.ends_with('\n') { "" } else { "\n" };
    format!("{rest}{end}{line}\n")
}

/// The same without ours.
pub fn out_of_profile(text: &str) -> String {
    text.split_inclusive('\n').filter(|line| !line.trim_end().ends_with(MARK)).collect()
}

/// Is our line there?
pub fn is_in_profile(text: &str) -> bool {
    text.lines().any(|line| line.trim_end().ends_with(MARK))
}

/// Only where Cursor or Codex has set its variable, and this program is still there.
fn line(call: &str) -> String {
    format!(
        "case ${{CURSOR_AGENT-}}${{CODEX_THREAD_ID-}} in ?*) [ ! -x {call} ] || eval \"$({call} env --shell sh)\" ;; esac {MARK}"
    )
}
