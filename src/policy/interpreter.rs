//! What an interpreter was called to run: a script, or text among its own arguments.
//! An option of whose value there is doubt is taken to have none.

use bstr::{BStr, BString, ByteSlice};

/// What an interpreter runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operand<'a> {
    /// Text: `sh -c TEXT`, `node -e TEXT`.
    Text,
    /// The first operand.
    Script(&'a BStr),
    /// Standard input, or nothing of these.
    None,
}

/// What an argv gives its interpreter; `None` where its program is none.
pub fn interpreted(argv: &[BString]) -> Option<Operand<'_>> {
    let (program, arguments) = argv.split_first()?;
    let name = program.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    Options::of(name.as_bstr()).map(|options| options.operand(arguments))
}

/// The options of interpreters that say where the script is.
pub(super) struct Options {
    names: &'static [&'static str],
    /// Letters and long names before text.
    text: &'static [&'static str],
    /// Letters and long names that take a value.
    valued: &'static [&'static str],
    /// What is attached to a letter is its value (`-Idir`); shells take the next word.
    attaches: bool,
}

const INTERPRETERS: [Options; 8] = [
    Options {
        names: &["sh", "bash", "dash", "zsh", "fish", "ksh", "mksh", "ash", "tcsh"],
        text: &["c", "--command"],
        valued: &["o", "O", "--rcfile", "--init-file"],
        attaches: false,
    },
    Options {
        names: &["python", "pypy"],
        text: &["c"],
        valued: &["W", "X", "--check-hash-based-pycs"],
        attaches: true,
    },
    Options {
        names: &["node", "bun", "deno"],
        text: &["e", "p", "--eval", "--print"],
        valued: &["r", "C", "--require", "--import", "--loader", "--conditions", "--env-file"],
        attaches: true,
    },
    Options {
        names: &["ruby"],
        text: &["e"],
        valued: &["r", "I", "C", "E", "--encoding"],
        attaches: true,
    },
    Options { names: &["perl"], text: &["e", "E"], valued: &["I"], attaches: true },
    Options {
        names: &["php"],
        text: &["r", "B", "R", "E", "--run"],
        valued: &["c", "d", "z", "--php-ini", "--define"],
        attaches: true,
    },
    Options { names: &["lua"], text: &["e"], valued: &["l"], attaches: true },
    Options {
        names: &["java"],
        text: &[],
        valued: &["-cp", "-classpath", "--class-path", "-p", "--module-path", "--add-modules"],
        attaches: true,
    },
];

impl Options {
    /// Those of the interpreter of this name, with or without a version.
    pub fn of(name: &BStr) -> Option<&'static Self> {
        let name = name.trim_end_with(|c| c.is_ascii_digit() || c == '.');
        INTERPRETERS.iter().find(|options| options.names.iter().any(|n| name == n.as_bytes()))
    }

    pub fn operand<'a>(&self, arguments: &'a [BString]) -> Operand<'a> {
        let is_shell = !self.attaches;
        let mut words = arguments.iter();
        // `-c` and `-s` of a shell are known when its options have ended.
        let (mut is_text, mut is_input) = (false, false);
        let script = loop {
            let Some(word) = words.next() else { break None };
            if word == "--" || is_shell && word == "-" {
                break words.next();
            }
            let Some(sign @ (b'-' | b'+')) = word.first() else { break Some(word) };
            if *sign == b'+' && !is_shell {
                break Some(word);
            }
            if self.is_in(self.valued, word) {
                words.next();
                continue;
            }
            let long = word.split(|b| *b == b'=').next().unwrap_or(word);
            is_text |= word.starts_with(b"--") && self.is_in(self.text, long);
            if word.starts_with(b"--") {
                continue;
            }
            for (at, letter) in word.iter().enumerate().skip(1) {
                let is = |list: &[&str]| list.iter().any(|l| l.as_bytes() == [*letter]);
                is_text |= is(self.text);
                is_input |= is_shell && *letter == b's';
                let is_last = at + 1 == word.len();
                if is(self.valued) && (is_last || is_shell) {
                    words.next();
                }
                if !is_shell && (is(self.text) || is(self.valued)) {
                    break;
                }
            }
        };
        match script {
            _ if is_text => Operand::Text,
            Some(script) if !is_input => Operand::Script(script.as_bstr()),
            _ => Operand::None,
        }
    }

    fn is_in(&self, list: &[&str], word: &[u8]) -> bool {
        word.len() > 1 && list.iter().any(|l| l.as_bytes() == word)
    }
}
