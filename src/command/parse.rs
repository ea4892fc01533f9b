//! argv → [`Words`], by the grammar of the command.

use bstr::{BString, ByteSlice};

use super::words::{Flag, Word, Words, Wrapped, basename};
use super::{Catalogue, Grammar, OptionSpec, Takes, Wraps};

/// Takes argv apart by the descriptions of a catalogue.
pub fn parse(argv: &[BString], catalogue: &Catalogue) -> Words {
    let canonical = argv.first().and_then(|a| catalogue.canonical(basename(a)));
    parse_with(argv, canonical, |path| catalogue.grammar(path).cloned())
}

/// Takes argv apart. `canonical` is the description's first name, and `lookup`
/// answers for a path of it and its subcommands (`git`, `git push`).
pub fn parse_with(
    argv: &[BString],
    canonical: Option<&str>,
    lookup: impl Fn(&str) -> Option<Grammar>,
) -> Words {
    let mut words = Words { argv: argv.to_vec(), ..Words::default() };
    let mut levels = Vec::new();
    if let Some(name) = canonical {
        words.canonical = name.to_owned();
        levels.extend(lookup(name));
    }
    let described = !levels.is_empty();
    let path = canonical.unwrap_or_default().to_owned();
    Reader { words, levels, path, described, rest: argv.get(1..).unwrap_or_default(), lookup }
        .read()
}

struct Reader<'a, L> {
    words: Words,
    /// The command's grammar, then its subcommand's, innermost last.
    levels: Vec<Grammar>,
    path: String,
    described: bool,
    rest: &'a [BString],
    lookup: L,
}

impl<'a, L: Fn(&str) -> Option<Grammar>> Reader<'a, L> {
    fn read(mut self) -> Words {
        let mut expects_subcommand = true;
        let mut skip = None;
        let mut doubtful = false;
        while let Some((word, rest)) = self.rest.split_first() {
            if word == "--" {
                self.rest = rest;
                if self.wraps() == Wraps::Nothing && !self.level().options_first {
                    self.operands_only();
                    break;
                }
                self.inner_or_operands(skip);
                break;
            }
            if is_option(word, self.wraps()) {
                self.rest = rest;
                doubtful = self.option(word);
                continue;
            }
            if self.wraps() == Wraps::Assignments && is_assignment(word) {
                self.rest = rest;
                continue;
            }
            if expects_subcommand && let Some(name) = self.subcommand(word) {
                self.rest = rest;
                self.descend(name);
                doubtful = false;
                skip = None;
                continue;
            }
            expects_subcommand = false;
            if self.level().options_first || self.wraps_command() {
                let left = skip.get_or_insert(self.level().skip_operands);
                if *left > 0 {
                    *left -= 1;
                    self.rest = rest;
                    self.push(word, false);
                    continue;
                }
                self.inner_or_operands(Some(0));
                break;
            }
            self.rest = rest;
            self.push(word, doubtful);
            doubtful = false;
        }
        self.words
    }

    fn level(&self) -> &Grammar {
        const EMPTY: &Grammar = &Grammar {
            options: String::new(),
            directory: Vec::new(),
            subcommands: String::new(),
            wraps: Wraps::Nothing,
            skip_operands: 0,
            options_first: false,
            single_dash_long: false,
            abbreviations: false,
            numeric: false,
        };
        self.levels.last().unwrap_or(EMPTY)
    }

    fn wraps(&self) -> Wraps {
        self.level().wraps
    }

    fn wraps_command(&self) -> bool {
        matches!(self.wraps(), Wraps::Operands | Wraps::Assignments | Wraps::Shell)
    }

    fn subcommand(&self, word: &BString) -> Option<String> {
        self.level().subcommand(word).map(str::to_owned)
    }

    fn descend(&mut self, name: String) {
        self.path.push(' ');
        self.path.push_str(&name);
        self.words.words.push(Word { text: name.into(), doubtful: false });
        let inner = (self.lookup)(&self.path).unwrap_or_default();
        self.levels.push(inner);
    }

    fn push(&mut self, word: &BString, doubtful: bool) {
        self.words.words.push(Word { text: word.clone(), doubtful });
    }

    fn operands_only(&mut self) {
        for word in std::mem::take(&mut self.rest) {
            self.push(word, false);
        }
    }

    /// What follows the options of a command that ends them at its first operand.
    fn inner_or_operands(&mut self, skip: Option<u32>) {
        let skip = skip.unwrap_or(self.level().skip_operands) as usize;
        match self.wraps() {
            Wraps::Operands | Wraps::Assignments => {
                let assigned =
                    |w: &&BString| self.wraps() == Wraps::Assignments && is_assignment(w);
                let start = self.rest.iter().take_while(assigned).count();
                let (skipped, inner) =
                    self.rest[start..].split_at(skip.min(self.rest.len() - start));
                self.rest = &[];
                skipped.iter().for_each(|word| self.push(word, false));
                if !inner.is_empty() {
                    self.words.wrapped.push(Wrapped::Argv(inner.to_vec()));
                }
            }
            Wraps::Shell if self.words.has_flag("-c") => {
                if let Some((text, _)) = std::mem::take(&mut self.rest).split_first() {
                    self.words.wrapped.push(Wrapped::Text(text.clone()));
                }
            }
            Wraps::Shell | Wraps::Nothing | Wraps::Exec => self.operands_only(),
        }
    }

    /// Reads an option, with its value; says whether the next word may be a value too.
    fn option(&mut self, word: &BString) -> bool {
        if word.starts_with(b"--") || self.level().single_dash_long {
            self.long(word)
        } else {
            self.short(word)
        }
    }

    fn long(&mut self, word: &BString) -> bool {
        let (name, attached) = match word.find_byte(b'=') {
            Some(at) => (&word[..at], Some(BString::from(&word[at + 1..]))),
            None => (&word[..], None),
        };
        let Some((depth, name, spellings, takes)) = self.find(name, true) else {
            if !word.starts_with(b"--") && self.short_bundle(word) {
                return false;
            }
            let guess = attached.is_none();
            self.flag(BString::from(name), String::new(), attached);
            return guess;
        };
        if self.wraps() == Wraps::Exec && is_exec(&name) {
            self.exec();
            return false;
        }
        let value = match (attached, takes) {
            (Some(value), _) => Some(value),
            (None, Takes::Value) => self.next(),
            (None, _) => None,
        };
        self.directory(depth, &name, value.as_ref());
        self.flag(name.into(), spellings, value);
        false
    }

    fn short(&mut self, word: &BString) -> bool {
        let digits = word[1..].iter().all(u8::is_ascii_digit);
        if digits && self.level().numeric {
            self.flag(word.clone(), String::new(), None);
            return false;
        }
        if self.short_bundle(word) {
            return false;
        }
        // `-h` of git is an option whole; `-n1` of a letter that is not known is left as typed.
        self.flag(word.clone(), String::new(), None);
        true
    }

    /// `-uf`, `-n1`, `-Cdir`: every letter known, the last may take the rest.
    fn short_bundle(&mut self, word: &BString) -> bool {
        let mut found = Vec::new();
        let sign = word[0];
        let mut at = 1;
        while at < word.len() {
            let letter = [sign, word[at]];
            let Some((depth, name, spellings, takes)) = self.find(&letter, false) else {
                return false;
            };
            at += 1;
            let rest = &word[at..];
            let attached =
                rest.strip_prefix(b"=").filter(|_| takes == Takes::Optional).unwrap_or(rest);
            match takes {
                Takes::Nothing => found.push((depth, name, spellings, None, false)),
                Takes::Optional | Takes::Value if !rest.is_empty() => {
                    found.push((depth, name, spellings, Some(BString::from(attached)), false));
                    break;
                }
                Takes::Optional => found.push((depth, name, spellings, None, false)),
                Takes::Value => found.push((depth, name, spellings, None, true)),
            }
        }
        if found.is_empty() {
            return false;
        }
        for (depth, name, spellings, attached, wants) in found {
            let value = if wants { self.next() } else { attached };
            self.directory(depth, &name, value.as_ref());
            self.flag(name.into(), spellings, value);
        }
        true
    }

    fn next(&mut self) -> Option<BString> {
        let (word, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(word.clone())
    }

    /// Looks an option up, innermost level first.
    fn find(&self, name: &[u8], long: bool) -> Option<(usize, String, String, Takes)> {
        let owned = |depth: usize, spec: OptionSpec<'_>| {
            let spellings: Vec<&str> = spec.names().collect();
            (depth, spec.canonical().to_owned(), spellings.join(", "), spec.takes())
        };
        let mut levels = self.levels.iter().enumerate().rev();
        if let Some(hit) = levels.find_map(|(d, g)| g.option(name).map(|s| owned(d, s))) {
            return Some(hit);
        }
        let mut levels = self.levels.iter().enumerate().rev();
        (long
            && name.starts_with(b"--")
            && name.len() > 2
            && self.levels[..].first()?.abbreviations)
            .then(|| levels.find_map(|(d, g)| g.abbreviated(name).map(|s| owned(d, s))))?
    }

    fn directory(&mut self, depth: usize, name: &str, value: Option<&BString>) {
        if self.levels[depth].directory.iter().any(|d| d == name) {
            self.words.directories.extend(value.cloned());
        }
    }

    fn flag(&mut self, name: BString, spellings: String, value: Option<BString>) {
        let spellings =
            if self.described && spellings.is_empty() { " ".to_owned() } else { spellings };
        self.words.flags.push(Flag { name, spellings, value });
    }

    /// `-exec … ;` or `… {} +`.
    fn exec(&mut self) {
        let ends = |i: usize| {
            self.rest[i] == ";" || self.rest[i] == "+" && i > 0 && self.rest[i - 1] == "{}"
        };
        let end = (0..self.rest.len()).find(|i| ends(*i)).unwrap_or(self.rest.len());
        let inner = self.rest[..end].to_vec();
        self.rest = self.rest.get(end + 1..).unwrap_or_default();
        if !inner.is_empty() {
            self.words.wrapped.push(Wrapped::Argv(inner));
        }
    }
}

fn is_option(word: &BString, wraps: Wraps) -> bool {
    word.len() > 1 && (word[0] == b'-' || word[0] == b'+' && wraps == Wraps::Shell)
}

fn is_assignment(word: &BString) -> bool {
    let Some(at) = word.find_byte(b'=') else { return false };
    let name = &word[..at];
    !name.is_empty()
        && !name[0].is_ascii_digit()
        && name.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_')
}

fn is_exec(name: &str) -> bool {
    matches!(name, "-exec" | "-execdir" | "-ok" | "-okdir")
}
