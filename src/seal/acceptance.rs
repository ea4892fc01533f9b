//! A check that passed, and what its argv says that it proved.

use bstr::{BStr, BString, ByteSlice};

use super::Class;
use crate::line::{self, Directory};
use crate::policy::{Operand, Operator, Stage, interpreted};

/// Which check: the same one proves a seal again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// In the ledger, of the last time that it passed; 0 where it is not there.
    pub id: i64,
    pub name: String,
    /// Its argv, quoted.
    pub command: String,
    pub cwd: BString,
}

/// What is kept of one that passed (B24).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Acceptance {
    pub check: Check,
    /// The file that was executed, and what it held.
    pub executable: (BString, [u8; 32]),
    pub at_ms: u64,
    pub duration_ms: u64,
}

/// Who says that a path is a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Said {
    /// An option named it.
    Option,
    /// It stands in the check's argv, and is there.
    Argv,
    /// It is what is run.
    Program,
    /// It stands in a list that the check reads.
    List,
    /// The check ran in it.
    WorkTree,
}

/// A path that a check proves something of, if it is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// As it was named, from where the check ran.
    pub path: BString,
    /// Of a directory another.
    pub class: Class,
    pub said: Said,
}

/// Programs that run the command in their arguments, and are not what is run.
const WRAPPERS: [&[u8]; 8] =
    [b"env", b"time", b"timeout", b"nice", b"nohup", b"stdbuf", b"setsid", b"ionice"];

/// What an argv names: its own script, operands, `--opt=path`, and the same of a shell's text.
pub fn named(argv: &[BString]) -> Vec<Named> {
    let mut found = Vec::new();
    of_argv(argv, b"", &mut found);
    found
}

fn of_argv(argv: &[BString], directory: &[u8], found: &mut Vec<Named>) {
    let argv = unwrapped(argv);
    let Some((program, arguments)) = argv.split_first() else { return };
    let mut add = |word: &[u8], class, said| {
        // `tests/a.py::test_it`
        let word = word.split_str("::").next().unwrap_or_default();
        if word.is_empty() {
            return;
        }
        let is_relative = !directory.is_empty() && !word.starts_with(b"/");
        let path = if is_relative { [directory, b"/", word].concat().into() } else { word.into() };
        found.push(Named { path, class, said });
    };
    let operand = interpreted(argv);
    if operand.is_none() && program.contains(&b'/') {
        add(program, Class::Entry, Said::Program);
    }
    let script = match operand {
        Some(Operand::Script(script)) => Some(script),
        _ => None,
    };
    let reads_list = sums(argv);
    let mut is_script_due = script.is_some();
    for word in arguments {
        let is_script = is_script_due && script == Some(word.as_bstr());
        is_script_due &= !is_script;
        match word.strip_prefix(b"-") {
            _ if is_script => add(word, Class::Entry, Said::Program),
            None if reads_list => add(word, Class::Input, Said::Argv),
            None => add(word, Class::Output, Said::Argv),
            Some(option) => {
                if let Some((_, value)) = option.split_once_str("=") {
                    add(value, Class::Output, Said::Argv);
                }
            }
        }
    }
    if operand == Some(Operand::Text) && base(program).ends_with(b"sh") {
        of_text(arguments, directory, found);
    }
}

/// What the commands of a shell's text name; where it changes to is no target.
fn of_text(arguments: &[BString], directory: &[u8], found: &mut Vec<Named>) {
    let Some(text) = text_of(arguments) else { return };
    for command in line::parse(&text.to_str_lossy()).commands {
        // Where there is doubt nothing is named.
        let at: BString = match command.directories.as_slice() {
            [] => directory.into(),
            [one] => match &one.directory {
                Directory::Start => directory.into(),
                Directory::At(at) => at.clone(),
                Directory::Unknown => continue,
            },
            _ => continue,
        };
        let argv = command.argv();
        if argv.first().is_some_and(|word| word != "cd" && word != "pushd") {
            of_argv(&argv, &at, found);
        }
    }
}

/// What follows `-c`.
fn text_of(arguments: &[BString]) -> Option<&BString> {
    let is_c =
        |word: &BString| word.starts_with(b"-") && !word.starts_with(b"--") && word.contains(&b'c');
    arguments.get(arguments.iter().position(is_c)? + 1)
}

/// Is it `sha256sum -c LIST`, or one of its kin?
fn sums(argv: &[BString]) -> bool {
    let is_check = |word: &BString| word == "-c" || word == "--check";
    argv.first().is_some_and(|program| base(program).ends_with(b"sum"))
        && argv.iter().skip(1).any(is_check)
}

/// The files of a list of sums.
pub fn listed(list: &[u8]) -> impl Iterator<Item = BString> {
    list.lines().filter_map(|line| {
        let (sum, name) = line.split_once_str(" ")?;
        let is_sum = sum.len() >= 8 && sum.iter().all(u8::is_ascii_hexdigit);
        let name = name.get(1..).filter(|name| is_sum && !name.is_empty())?;
        Some(name.into())
    })
}

/// The command behind `env`, `timeout` and the like.
fn unwrapped(mut argv: &[BString]) -> &[BString] {
    let name = |argv: &[BString]| argv.first().map(|p| BString::from(base(p)));
    while name(argv).is_some_and(|name| WRAPPERS.contains(&name.as_slice())) {
        let is_own = |word: &BString| {
            let is_number = word.first().is_some_and(u8::is_ascii_digit);
            word.starts_with(b"-") || word.contains(&b'=') || is_number
        };
        let own = argv.iter().skip(1).take_while(|word| is_own(word)).count();
        argv = argv.get(own + 1..).unwrap_or_default();
    }
    argv
}

fn base(program: &[u8]) -> &BStr {
    program.rsplit(|byte| *byte == b'/').next().unwrap_or_default().as_bstr()
}

/// Why a check proves nothing although its status is 0 (B25).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dubious {
    /// The status is that of the last command of a pipe.
    Pipe,
    /// `|| true`: a failure is no failure.
    Excused,
    /// `true`, `echo`: it looks at nothing.
    Idle,
}

/// Looks at what the status of an argv says; `pipefail` makes a pipe tell.
pub fn dubious(argv: &[BString]) -> Option<Dubious> {
    let argv = unwrapped(argv);
    const IDLE: [&[u8]; 6] = [b"true", b":", b"echo", b"printf", b"sleep", b"exit"];
    if argv.first().is_some_and(|program| IDLE.contains(&base(program).as_bytes())) {
        return Some(Dubious::Idle);
    }
    if interpreted(argv) != Some(Operand::Text) {
        return None;
    }
    let text = text_of(argv)?.to_str_lossy();
    let line = line::parse(&text);
    let last = line.commands.iter().rfind(|command| command.nesting.is_empty())?;
    let own = last.argv();
    let is_idle = own.first().is_some_and(|word| IDLE.contains(&base(word).as_bytes()));
    let tells = argv.iter().any(|word| word.contains_str("pipefail"));
    match last.stage {
        Stage::After(Operator::Or) if is_idle => Some(Dubious::Excused),
        Stage::Piped | Stage::After(Operator::Pipe) if !tells => Some(Dubious::Pipe),
        _ if is_idle => Some(Dubious::Idle),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn argv(words: &[&str]) -> Vec<BString> {
        words.iter().map(|word| BString::from(*word)).collect()
    }

    #[test]
    fn what_hides_a_failure_is_named() {
        for (text, wanted) in [
            ("./verify.sh dist", None),
            ("cd x && make check", None),
            ("make check | tee log", Some(Dubious::Pipe)),
            ("set -o pipefail; make check | tee log", None),
            ("make check || true", Some(Dubious::Excused)),
            ("make check; true", Some(Dubious::Idle)),
            ("make check || make again", None),
            ("test \"$(cat x | wc -l)\" = 3", None),
        ] {
            assert_eq!(dubious(&argv(&["timeout", "60", "sh", "-c", text])), wanted, "{text}");
        }
        assert_eq!(dubious(&argv(&["/bin/true"])), Some(Dubious::Idle));
        assert_eq!(dubious(&argv(&["sh", "true"])), None);
    }

    #[test]
    fn words_that_may_name_files() {
        let paths = |words: &[&str]| -> Vec<String> {
            let found = named(&argv(words)).into_iter();
            found.map(|n| format!("{} {}", n.class.name(), n.path)).collect()
        };
        assert_eq!(
            paths(&["./v.sh", "-x", "--out=dist/a", "b c"]),
            ["entry ./v.sh", "output dist/a", "output b c"]
        );
        assert_eq!(
            paths(&["env", "A=b", "timeout", "9", "python3", "-u", "v.py", "v.py"]),
            ["entry v.py", "output v.py"]
        );
        assert_eq!(
            paths(&["sh", "-c", "cd d && cmp a /b"]),
            ["output cd d && cmp a /b", "output d/a", "output /b"]
        );
        assert_eq!(paths(&["pytest", "t/a.py::test_x"]), ["output t/a.py"]);
        assert_eq!(paths(&["md5sum", "-c", "list"]), ["input list"]);
    }
}
