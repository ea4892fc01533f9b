//! Words that are options, and the values they take from the words behind them.

use std::rc::Rc;

use bstr::{BString, ByteSlice};

use super::super::words::{Flag, Wrapped};
use super::super::{Grammar, Wraps};
use super::Reader;
use super::found::{Found, Need};

/// What an option leaves behind for the words after it.
pub(super) enum Then {
    Continue,
    /// The option is not known: the next word may be its value.
    Doubt,
    /// No option follows.
    OperandsOnly,
    /// All that follows was taken.
    Done,
}

impl<L: Fn(&str) -> Option<Rc<Grammar>>> Reader<L> {
    /// Is it, as it stands, an option whose value is shell text?
    pub(super) fn is_text_option(&self, word: &BString) -> bool {
        let level = self.level();
        let found = level.option(word);
        found.is_some_and(|spec| level.texts.iter().any(|text| text == spec.canonical()))
    }

    /// Reads a word as an option, with its values; `None` when it is an operand.
    pub(super) fn option(&mut self, word: &BString) -> Option<Then> {
        let first = *word.first()?;
        if first.is_ascii_alphanumeric() || matches!(first, b'/' | b'.' | b'_') {
            return None;
        }
        // A word that is exactly a name is that option, before bundling.
        if let Some(found) = self.find(word) {
            return Some(self.take(found, None));
        }
        if word == "--" {
            self.words.dashes = Some(self.words.words.len());
            return Some(Then::OperandsOnly);
        }
        let signs: &[u8] = if self.wraps() == Wraps::Shell { b"-+" } else { b"-" };
        if word.len() < 2 || !signs.contains(&first) {
            return None;
        }
        if word.starts_with(b"--") || self.level().single_dash_long {
            return Some(self.long(word));
        }
        if self.level().numeric && word[1..].iter().all(u8::is_ascii_digit) {
            self.flag(word.clone(), String::new(), None);
            return Some(Then::Continue);
        }
        Some(self.bundle(word).unwrap_or_else(|| self.unknown(word.clone(), None)))
    }

    fn long(&mut self, word: &BString) -> Then {
        let (name, attached) = match word.find_byte(b'=') {
            Some(at) => (&word[..at], Some(BString::from(&word[at + 1..]))),
            None => (&word[..], None),
        };
        let found = self.find(name).or_else(|| self.abbreviated(name));
        match found {
            Some(found) => self.take(found, attached),
            None => match self.attached(word) {
                Some((found, value)) if !word.starts_with(b"--") => self.take(found, Some(value)),
                _ => self.unknown(BString::from(name), attached),
            },
        }
    }

    /// `-O3` where options are words of one dash, and `-ofile` where that is usual.
    fn attached(&self, word: &BString) -> Option<(Found, BString)> {
        let found = self.find(word.get(..2)?)?;
        let attaches = match found.takes {
            Need::Optional => true,
            Need::Values(1) => self.level().attached,
            _ => false,
        };
        attaches.then(|| (found, BString::from(&word[2..])))
    }

    fn unknown(&mut self, name: BString, attached: Option<BString>) -> Then {
        let doubt = attached.is_none();
        // Of an option that counts only before the subcommand nobody knows what it means here;
        // help is help wherever it stands.
        let outer = self.levels.iter().find_map(|grammar| grammar.option(&name));
        let is_outer = outer.is_some_and(|spec| spec.canonical() != "--help");
        self.flag(name, String::new(), attached);
        if is_outer && let Some(flag) = self.words.flags.last_mut() {
            flag.doubtful = true;
        }
        if doubt { Then::Doubt } else { Then::Continue }
    }

    /// `-uf`, `-n1`, `-Cdir`: every letter known, the last may take the rest.
    fn bundle(&mut self, word: &BString) -> Option<Then> {
        let mut letters = Vec::new();
        let mut at = 1;
        while at < word.len() {
            let found = self.find(&[word[0], word[at]])?;
            at += 1;
            let attaches = match found.takes {
                Need::Nothing => false,
                // A shell that has its text as a value reads its options as others do: fish.
                Need::Values(_) => self.wraps() != Wraps::Shell || !self.level().texts.is_empty(),
                Need::Optional | Need::Listed(_) => true,
            };
            let rest = &word[at..];
            // `-f=true`, where flags are read by Go's pflag.
            let is_told = !attaches && rest.len() > 1 && rest[0] == b'=';
            let value = match is_told {
                true => Some(BString::from(&rest[1..])),
                false => (attaches && !rest.is_empty()).then(|| BString::from(rest)),
            };
            let ends = value.is_some();
            letters.push((found, value));
            if ends {
                break;
            }
        }
        let mut then = Then::Continue;
        for (found, value) in letters {
            then = self.take(found, value);
        }
        Some(then)
    }

    /// Records an option, with the values it needs from the words after it.
    pub(super) fn take(&mut self, found: Found, attached: Option<BString>) -> Then {
        let Found { depth, canonical, spellings, takes } = found;
        if self.wraps() == Wraps::Exec && is_exec(&canonical) {
            self.flag(canonical.into(), spellings, None);
            self.exec();
            return Then::Continue;
        }
        let value = match (attached, takes) {
            (Some(value), _) => Some(value),
            (None, Need::Values(count)) => {
                let values: Vec<BString> = (0..count).map_while(|_| self.rest.pop()).collect();
                (!values.is_empty()).then(|| BString::from(bstr::join(" ", values)))
            }
            (None, Need::Listed(list)) => {
                let listed = |word: &&BString| list.iter().any(|l| word.as_slice() == l.as_bytes());
                self.rest.last().filter(listed).is_some().then(|| self.rest.pop()).flatten()
            }
            (None, Need::Nothing | Need::Optional) => None,
        };
        let level = &self.levels[depth];
        let is_in = |list: &[String]| list.contains(&canonical);
        let ends = is_in(&level.ends_options);
        if is_in(&level.directory) {
            let moves = level.directory.first() == Some(&canonical);
            self.words.moved.extend(value.iter().map(|_| moves));
            self.words.directories.extend(value.clone());
        }
        let split = is_in(&level.splits);
        let text = value.as_ref().and_then(|value| shell_text(&level.texts, &canonical, value));
        let is_module = level.wraps == Wraps::Module && canonical == "-m";
        self.flag(canonical.into(), spellings, value.clone());
        self.words.wrapped.extend(text.map(Wrapped::Text));
        if split && let Some(value) = &value {
            self.rest.extend(crate::line::split(&value.to_str_lossy()).into_iter().rev());
        }
        if is_module && let Some(module) = value {
            let arguments = std::mem::take(&mut self.rest).into_iter().rev();
            let inner = std::iter::once(module).chain(arguments).collect();
            self.words.wrapped.push(Wrapped::Argv(inner));
            return Then::Done;
        }
        if ends { Then::OperandsOnly } else { Then::Continue }
    }

    fn flag(&mut self, name: BString, spellings: String, value: Option<BString>) {
        let known = self.described;
        let doubtful = self.strange;
        self.words.flags.push(Flag { name, spellings, known, value, doubtful });
    }

    /// `-exec … ;` or `… {} +`.
    fn exec(&mut self) {
        let mut inner = Vec::new();
        while let Some(word) = self.rest.pop() {
            if word == ";" || word == "+" && inner.last().is_some_and(|w| w == "{}") {
                break;
            }
            inner.push(word);
        }
        if !inner.is_empty() {
            self.words.wrapped.push(Wrapped::Argv(inner));
        }
    }
}

fn is_exec(name: &str) -> bool {
    matches!(name, "-exec" | "-execdir" | "-ok" | "-okdir" | "--exec" | "--exec-batch")
}

/// What of an option's value is shell text; a `!` before it says that it is: git-config(1).
fn shell_text(texts: &[String], option: &str, value: &BString) -> Option<BString> {
    texts.iter().find_map(|text| {
        let (name, begins) = text.split_once(' ').unwrap_or((text, ""));
        let text = value.strip_prefix(begins.as_bytes()).filter(|_| name == option)?;
        let text = text.strip_prefix(b"!").unwrap_or(text);
        (!text.is_empty()).then(|| text.into())
    })
}
