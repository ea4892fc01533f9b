//! What each shell is told to print, and what its words mean. Records begin with the mark
//! and a letter: `P` and PATH, `N` and name, kind and value, `.` at the end.

use std::path::PathBuf;

use crate::doctor::Shell;

use super::Said;

/// The last record.
pub(super) const END: &str = ".";

/// A script of builtins alone; what is aliased or a function there is not called by it.
pub(super) fn script(shell: Shell, mark: &str, names: &[String]) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._+-".contains(c);
    let can_be_spelled =
        |name: &&String| !name.is_empty() && !name.starts_with('-') && name.chars().all(is_plain);
    let names: Vec<&str> = names.iter().filter(can_be_spelled).map(String::as_str).collect();
    let (print, each) = match shell {
        Shell::Bash => (r"\builtin printf", BASH),
        Shell::Zsh => (r"\builtin printf", ZSH),
        Shell::Sh => (r"\command printf", SH),
        Shell::Fish => ("builtin printf", FISH),
    };
    let path = match shell {
        Shell::Fish => "(string join : -- $PATH)",
        _ => "\"$PATH\"",
    };
    let asked = match names.is_empty() {
        true => String::new(),
        false => each.replace("NAMES", &names.join(" ")).replace("MARK", mark),
    };
    format!("{print} '%s' '{mark}P' {path}\n{asked}{print} '%s' '{mark}{END}'\n")
}

const BASH: &str = r#"for _embargo_n in NAMES; do
  _embargo_v=
  _embargo_t=$(\builtin type -t "$_embargo_n")
  case $_embargo_t in
    alias) _embargo_v=${BASH_ALIASES[$_embargo_n]} ;;
    function) _embargo_v=$(\builtin declare -f "$_embargo_n") ;;
    file) _embargo_v=$(\builtin hash -t "$_embargo_n" 2>/dev/null || \builtin type -P "$_embargo_n") ;;
  esac
  \builtin printf '%s\037%s\037%s' "MARKN$_embargo_n" "$_embargo_t" "$_embargo_v"
done
"#;

const ZSH: &str = r#"for _embargo_n in NAMES; do
  _embargo_v=
  _embargo_t=$(\builtin whence -w "$_embargo_n")
  _embargo_t=${_embargo_t##*: }
  case $_embargo_t in
    alias) _embargo_v=${aliases[$_embargo_n]} ;;
    function) _embargo_v=$(\builtin typeset -f "$_embargo_n") ;;
    command|hashed) _embargo_v=${commands[$_embargo_n]} ;;
  esac
  \builtin printf '%s\037%s\037%s' "MARKN$_embargo_n" "$_embargo_t" "$_embargo_v"
done
"#;

const SH: &str = r#"for _embargo_n in NAMES; do
  _embargo_v=$(\command -v "$_embargo_n")
  _embargo_t=$(LC_ALL=C \command type "$_embargo_n" 2>/dev/null)
  \command printf '%s\037%s\037%s' "MARKN$_embargo_n" "$_embargo_t" "$_embargo_v"
done
"#;

const FISH: &str = r#"for _embargo_n in NAMES
  set -l _embargo_v ''
  set -l _embargo_t (type -t $_embargo_n 2>/dev/null)
  switch "$_embargo_t"
    case function
      set _embargo_v (functions $_embargo_n | string join \n | string collect)
    case file
      set _embargo_v (command -s $_embargo_n)
  end
  builtin printf '%s\037%s\037%s' "MARKN$_embargo_n" "$_embargo_t" "$_embargo_v"
end
"#;

/// What the kind and the value that a shell printed mean.
pub(super) fn said(shell: Shell, name: &str, what: &str, value: &str) -> Said {
    let file = || Said::File(PathBuf::from(value));
    match shell {
        Shell::Sh => match value {
            "" => Said::Nothing,
            alias if alias.starts_with("alias ") => {
                let text = alias.split_once('=').map_or("", |(_, text)| text);
                Said::Alias(text.trim_matches('\'').to_owned())
            }
            path if path.starts_with('/') => file(),
            _ if what.contains("function") => Said::Function(String::new()),
            _ => Said::Builtin,
        },
        _ => match what {
            "alias" => Said::Alias(value.to_owned()),
            "function" => of_fish(name, value).unwrap_or_else(|| Said::Function(value.to_owned())),
            "builtin" | "keyword" | "reserved" => Said::Builtin,
            "file" | "command" | "hashed" => file(),
            _ => Said::Nothing,
        },
    }
}

/// fish makes a function of an alias, and says so in its description.
fn of_fish(name: &str, text: &str) -> Option<Said> {
    let told = text.split_once(&format!("--description 'alias {name}"))?.1;
    let told = told.strip_prefix(['=', ' '])?;
    Some(Said::Alias(told.split('\'').next()?.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_shells() {
        let alias = |text: &str| Said::Alias(text.to_owned());
        let function = |text: &str| Said::Function(text.to_owned());
        let file = Said::File(PathBuf::from("/bin/rm"));
        let fish =
            "function rm --wraps=safe-rm --description 'alias rm=safe-rm'\n  safe-rm $argv; end";
        let rows = [
            (Shell::Bash, "alias", "rm -i", alias("rm -i")),
            (Shell::Bash, "file", "/bin/rm", file.clone()),
            (Shell::Bash, "", "", Said::Nothing),
            (Shell::Bash, "keyword", "", Said::Builtin),
            (Shell::Zsh, "reserved", "", Said::Builtin),
            (Shell::Zsh, "none", "", Said::Nothing),
            (Shell::Zsh, "hashed", "/bin/rm", file.clone()),
            (Shell::Sh, "rm is an alias for rm -i", "alias rm='rm -i'", alias("rm -i")),
            (Shell::Sh, "rm is a shell function", "rm", function("")),
            (Shell::Sh, "rm is a shell builtin", "rm", Said::Builtin),
            (Shell::Sh, "rm is /bin/rm", "/bin/rm", file),
            (Shell::Sh, "", "", Said::Nothing),
            (Shell::Fish, "function", fish, alias("safe-rm")),
            (Shell::Fish, "function", "function rm; end", function("function rm; end")),
        ];
        for (shell, what, value, wanted) in rows {
            assert_eq!(said(shell, "rm", what, value), wanted, "{shell:?} {what} {value}");
        }
    }
}
