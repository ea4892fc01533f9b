//! What a name means to an interactive shell, before PATH is looked at.

use std::path::PathBuf;

use super::shell::StartUp;
use super::symptom::Reach;

/// What a shell makes of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolved {
    /// Its text, and what that needs and is not there.
    Alias {
        text: String,
        missing: Option<String>,
    },
    /// Its text.
    Function(String),
    Builtin,
    /// A shell can remember another file than the first on PATH.
    File {
        path: PathBuf,
        is_shim: bool,
    },
    Nothing,
}

/// What an alias stands for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Meant {
    pub command: String,
    /// Words that name a file.
    pub paths: Vec<String>,
}

/// Words that hand on to the command behind them.
const HANDING_ON: [&str; 9] =
    ["command", "exec", "noglob", "nocorrect", "sudo", "env", "time", "nice", "nohup"];

/// Reads the text of an alias, word by word.
pub fn meant(alias: &str) -> Meant {
    let plain =
        |word: &str| word.trim_matches(['\'', '"', ';']).trim_start_matches('\\').to_owned();
    let words: Vec<String> = alias.split_whitespace().map(plain).collect();
    let is_beside = |word: &&String| {
        word.contains('=') || word.starts_with('-') || HANDING_ON.contains(&word.as_str())
    };
    let command = words.iter().find(|word| !is_beside(word)).cloned().unwrap_or_default();
    let is_path = |word: &&String| word.starts_with('/') || word.starts_with("~/");
    Meant { command, paths: words.iter().filter(is_path).cloned().collect() }
}

/// Is the shim of this name not what is run? `shims` are all shimmed names.
pub fn shadow(
    name: &str,
    resolved: Resolved,
    shims: &[String],
    start_up: &Option<StartUp>,
) -> Option<Reach> {
    let (name, start_up) = (name.to_owned(), start_up.clone());
    match resolved {
        Resolved::Nothing | Resolved::File { is_shim: true, .. } => None,
        Resolved::File { path, .. } => Some(Reach::Remembered { name, path, start_up }),
        Resolved::Builtin => Some(Reach::Builtin { name }),
        Resolved::Function(text) if text.contains(&format!("command {name}")) => {
            Some(Reach::FunctionAround { name })
        }
        Resolved::Function(_) => Some(Reach::Function { name, start_up }),
        Resolved::Alias { text, missing: Some(missing) } => {
            Some(Reach::AliasToNothing { name, text, missing, start_up })
        }
        Resolved::Alias { text, missing: None } => {
            let command = meant(&text).command;
            match command {
                command if command == name => None,
                command if shims.contains(&command) => Some(Reach::AliasToShim { name, command }),
                _ => Some(Reach::Alias { name, text, start_up }),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_alias_stands_for() {
        let rows: [(&str, &str, &[&str]); 7] = [
            ("safe-rm", "safe-rm", &[]),
            ("ls --color=auto", "ls", &[]),
            ("LC_ALL=C command ls -l", "ls", &[]),
            (r"\rm -i", "rm", &[]),
            ("sudo -n gradle", "gradle", &[]),
            ("bash '/opt/safe rm.sh' ~/x", "bash", &["/opt/safe", "~/x"]),
            ("", "", &[]),
        ];
        for (text, command, paths) in rows {
            let paths = paths.iter().map(|word| (*word).to_owned()).collect();
            assert_eq!(meant(text), Meant { command: command.to_owned(), paths });
        }
    }

    #[test]
    fn what_hides_a_shim() {
        let alias = |text: &str, missing: Option<&str>| Resolved::Alias {
            text: text.to_owned(),
            missing: missing.map(str::to_owned),
        };
        let function = |text: &str| Resolved::Function(text.to_owned());
        let file = |is_shim| Resolved::File { path: "/x/rm".into(), is_shim };
        let rows = [
            (alias("rm -i", None), None),
            (alias("safe-rm", None), Some("Alias")),
            (alias("safe-rm", Some("safe-rm")), Some("AliasToNothing")),
            (alias("rm -i /gone", Some("/gone")), Some("AliasToNothing")),
            (alias("trash", None), Some("AliasToShim")),
            (function("rm () { trash \"$@\"; }"), Some("Function")),
            (function("rm () { command rm -i \"$@\"; }"), Some("FunctionAround")),
            (Resolved::Builtin, Some("Builtin")),
            (file(true), None),
            (file(false), Some("Remembered")),
            (Resolved::Nothing, None),
        ];
        let shims = ["rm", "trash"].map(str::to_owned);
        for (resolved, wanted) in rows {
            let found = shadow("rm", resolved.clone(), &shims, &None);
            let found = found.map(|symptom| format!("{symptom:?}"));
            let kind = found.as_deref().and_then(|text| text.split([' ', '{']).next());
            assert_eq!(kind, wanted, "{resolved:?}");
        }
    }
}
