//! An argv taken apart.

use bstr::{BStr, BString, ByteSlice};

use super::behind_here;

/// A call's argv: program, words, flags, and the command inside it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Words {
    pub(super) argv: Vec<BString>,
    /// The description's first name; empty when the program has no description.
    pub(super) canonical: String,
    pub(super) words: Vec<Word>,
    pub(super) flags: Vec<Flag>,
    pub(super) directories: Vec<BString>,
    /// Which of them the option gave that is listed first: it moves the command there.
    pub(super) moved: Vec<bool>,
    /// The command and its subcommands: `git push`.
    pub(super) path: String,
    /// How many words are subcommands, or stand before one.
    pub(super) subcommands: usize,
    /// How many words stand before a bare `--`.
    pub(super) dashes: Option<usize>,
    pub(super) wrapped: Vec<Wrapped>,
    /// What the text of a shell is given: `$0`, `$1` and so on.
    pub(super) parameters: Vec<BString>,
}

/// A subcommand or operand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    pub text: BString,
    /// Stands right after an option that is not known: it may be its value.
    pub doubtful: bool,
}

/// An option as it was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flag {
    /// The canonical spelling, or as typed when the option is not known.
    pub name: BString,
    /// Every spelling of it, `, ` between.
    pub(super) spellings: String,
    /// The command has a description: then a bundle was already taken apart.
    pub(super) known: bool,
    pub value: Option<BString>,
    /// Stands behind a subcommand that is not described, which may mean another option by it.
    pub doubtful: bool,
}

/// A command inside the arguments of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wrapped {
    Argv(Vec<BString>),
    /// Shell text.
    Text(BString),
}

impl Words {
    /// argv as it was given.
    pub fn argv(&self) -> &[BString] {
        &self.argv
    }

    /// Basename of argv\[0\].
    pub fn called(&self) -> &BStr {
        self.argv.first().map_or(BStr::new(b""), |a| basename(a))
    }

    /// The canonical name where there is a description, else the name as called.
    pub fn program(&self) -> &BStr {
        if self.canonical.is_empty() { self.called() } else { self.canonical.as_bytes().as_bstr() }
    }

    /// A rule that names the description's first name covers all its names
    /// (`python` covers `python3`); any other name covers just itself.
    pub fn is_program(&self, name: &str) -> bool {
        self.called() == name.as_bytes() || self.canonical == name
    }

    /// Subcommands and operands, in order.
    pub fn words(&self) -> &[Word] {
        &self.words
    }

    pub fn flags(&self) -> &[Flag] {
        &self.flags
    }

    /// Values of options that change the directory, in order: each relative to the one before.
    pub fn directories(&self) -> &[BString] {
        &self.directories
    }

    /// The command and its subcommands, as descriptions know them: `git stash push`.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The words behind the last subcommand.
    pub fn operands(&self) -> &[Word] {
        self.words.get(self.subcommands..).unwrap_or_default()
    }

    /// The words behind a bare `--`, if there is one.
    pub fn behind_dashes(&self) -> Option<&[Word]> {
        self.words.get(self.dashes?.max(self.subcommands)..)
    }

    /// Where the command stands, as seen from where it was started, and each other place where
    /// it may work (`--work-tree`): relative paths among its arguments count from there.
    pub fn stands(&self) -> Vec<BString> {
        let mut at = BString::default();
        let mut others = Vec::new();
        for (directory, moves) in self.directories.iter().zip(&self.moved) {
            let is_rooted = matches!(directory.first(), Some(b'/' | b'~' | b'$'));
            match *moves {
                // Grown in place: each counts from the one before.
                true if !is_rooted && !at.is_empty() && directory != "." => {
                    at.push(b'/');
                    at.extend_from_slice(directory);
                }
                true => at = joined(&at, directory),
                false => others.push(joined(&at, directory)),
            }
        }
        std::iter::once(at).chain(others).collect()
    }

    /// The commands inside.
    pub fn wrapped(&self) -> &[Wrapped] {
        &self.wrapped
    }

    /// What shell text inside is given: `$0`, `$1` and so on.
    pub fn parameters(&self) -> &[BString] {
        &self.parameters
    }

    /// The i-th argument as given, from 0.
    pub fn argument(&self, i: usize) -> Option<&BStr> {
        self.argv.get(i + 1).map(|a| a.as_bstr())
    }

    /// Are these the first words after the program? A doubtful word may be passed over.
    pub fn begin_with(&self, wanted: &[String]) -> bool {
        fn walk(words: &[Word], wanted: &[String]) -> bool {
            let Some((want, more)) = wanted.split_first() else { return true };
            let Some((word, rest)) = words.split_first() else { return false };
            word.text == want.as_bytes() && walk(rest, more) || word.doubtful && walk(rest, wanted)
        }
        walk(&self.words, wanted)
    }

    /// The same, where doubt does not help: a word that may be a value is none of them.
    pub fn certainly_begin_with(&self, wanted: &[String]) -> bool {
        let certain =
            |(word, want): (&Word, &String)| !word.doubtful && word.text == want.as_bytes();
        self.words.len() >= wanted.len() && self.words.iter().zip(wanted).all(certain)
    }

    /// Is this option given, in any of its spellings? `--opt=value` asks for the value
    /// too, and `-rf` for both letters.
    pub fn has_flag(&self, wanted: &str) -> bool {
        let is_off = |flag: &Flag| flag.value.as_ref().is_some_and(|value| value == "false");
        self.some_flag_is(wanted, |flag| wanted.contains('=') || !is_off(flag))
    }

    /// The same, where doubt does not help.
    pub fn certainly_has_flag(&self, wanted: &str) -> bool {
        self.some_flag_is(wanted, |flag| !flag.doubtful)
            && (wanted.contains('=') || !self.takes_back(wanted))
    }

    /// `--dry-run=false`, or `--no-dry-run` beside it, in whatever order.
    fn takes_back(&self, wanted: &str) -> bool {
        let given: Vec<&Flag> = self.flags.iter().filter(|flag| flag.is(wanted)).collect();
        let spellings = given.iter().flat_map(|flag| flag.spellings.split(", "));
        let opposites: Vec<String> = spellings
            .chain([wanted])
            .filter_map(|name| name.strip_prefix("--"))
            .map(|name| format!("--no-{name}"))
            .collect();
        given.iter().any(|flag| flag.is_false())
            || self.flags.iter().any(|flag| opposites.iter().any(|no| flag.name == no.as_bytes()))
    }

    fn some_flag_is(&self, wanted: &str, counts: impl Fn(&Flag) -> bool) -> bool {
        let given = |wanted: &str| self.flags.iter().any(|flag| counts(flag) && flag.is(wanted));
        given(wanted) || {
            let letters = wanted.strip_prefix('-').unwrap_or_default();
            letters.len() > 1
                && letters.chars().all(|c| c.is_ascii_alphabetic())
                && letters.chars().all(|letter| given(&format!("-{letter}")))
        }
    }
}

impl Flag {
    /// A value by which programs mean that the flag is not given.
    fn is_false(&self) -> bool {
        const FALSE: [&str; 8] = ["false", "no", "0", "off", "none", "never", "f", "n"];
        let value = self.value.as_ref().map(|v| v.to_ascii_lowercase());
        value.is_some_and(|value| FALSE.iter().any(|no| value == no.as_bytes()))
    }

    /// Is this one of its spellings?
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name.as_bytes() || self.spellings.split(", ").any(|s| s == name)
    }

    fn is(&self, wanted: &str) -> bool {
        let (name, value) = match wanted.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (wanted, None),
        };
        // Go's pflag reads `-n=prod` as `-n prod`.
        let has = |have: &BString, v: &str| {
            have == v.as_bytes() || have.strip_prefix(b"=") == Some(v.as_bytes())
        };
        let value_fits = value.is_none_or(|v| self.value.as_ref().is_some_and(|have| has(have, v)));
        let named = self.name == name.as_bytes() || self.spellings.split(", ").any(|s| s == name);
        value_fits && (named || value.is_none() && self.bundles(name)) || self.attaches(wanted)
    }

    /// `-DskipTests`, `-O3`: a letter with its value behind it, as it is typed.
    fn attaches(&self, wanted: &str) -> bool {
        let Some(value) = self.value.as_ref().filter(|value| !value.is_empty()) else {
            return false;
        };
        let mut spellings = self.spellings.split(", ").filter(|s| s.len() == 2);
        spellings
            .any(|letter| wanted.strip_prefix(letter).is_some_and(|rest| value == rest.as_bytes()))
    }

    /// `-rf` of a command without description holds `-f`.
    fn bundles(&self, name: &str) -> bool {
        let letter = match name.as_bytes() {
            [b'-', letter] if letter.is_ascii_alphabetic() => *letter,
            _ => return false,
        };
        let is_bundle = self.name.len() > 2
            && self.name[0] == b'-'
            && self.name[1..].iter().all(u8::is_ascii_alphabetic);
        !self.known && is_bundle && self.name.contains(&letter)
    }
}

/// A path from where `at` leads; an empty `at` leads nowhere else. What begins with `~` or `$`
/// is expanded to an absolute path, or already was; but for `$PWD`, which is there.
pub fn joined(at: &BString, path: &[u8]) -> BString {
    if at.is_empty() {
        return path.into();
    }
    if let Some(rest) = behind_here(path) {
        return if rest.is_empty() { at.clone() } else { joined(at, rest) };
    }
    if matches!(path.first(), Some(b'/' | b'~' | b'$')) {
        return path.into();
    }
    let at = at.trim_end_with(|c| c == '/');
    match path {
        b"." if at.is_empty() => "/".into(),
        b"." => at.into(),
        path => [at, b"/", path].concat().into(),
    }
}

pub(super) fn basename(path: &[u8]) -> &BStr {
    path.rsplit(|b| *b == b'/').next().unwrap_or(path).as_bstr()
}
