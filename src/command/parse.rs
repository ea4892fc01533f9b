//! argv → [`Words`], by the grammar of the command.

use bstr::{BString, ByteSlice};

use super::words::{Flag, Word, Words, Wrapped, basename};
use super::{Catalogue, Grammar, Takes, Wraps};

/// Takes argv apart by the descriptions of a catalogue.
pub fn parse(argv: &[BString], catalogue: &Catalogue) -> Words {
    let canonical = argv.first().and_then(|a| catalogue.canonical(basename(a)));
    parse_with(argv, canonical.as_deref(), |path| catalogue.grammar(path))
}

/// Takes argv apart. `canonical` is the description's first name, and `lookup`
/// answers for a path of it and its subcommands (`git`, `git push`).
pub fn parse_with(
    argv: &[BString],
    canonical: Option<&str>,
    lookup: impl Fn(&str) -> Option<Grammar>,
) -> Words {
    let mut words = Words { argv: argv.to_vec(), ..Words::default() };
    let root = canonical.and_then(&lookup);
    words.canonical = canonical.unwrap_or_default().to_owned();
    let path = words.canonical.clone();
    let reader = Reader {
        described: root.is_some(),
        strange: false,
        levels: vec![root.unwrap_or_default()],
        rest: argv.get(1..).unwrap_or_default().iter().rev().cloned().collect(),
        inner: Vec::new(),
        words,
        path,
        lookup,
    };
    reader.read()
}

struct Reader<L> {
    words: Words,
    /// The command's grammar, then its subcommand's, innermost last; never empty.
    levels: Vec<Grammar>,
    path: String,
    described: bool,
    /// A word stood where a subcommand was expected, and is none that is described.
    strange: bool,
    /// What is left, last word first.
    rest: Vec<BString>,
    /// Operands that are a wrapped command, where options may stand among them.
    inner: Vec<BString>,
    lookup: L,
}

/// An option that was found in a grammar.
struct Found {
    depth: usize,
    canonical: String,
    spellings: String,
    takes: Need,
}

enum Need {
    Nothing,
    Values(usize),
    Optional,
    Listed(Vec<String>),
}

/// What an option leaves behind for the words after it.
enum Then {
    Continue,
    /// The option is not known: the next word may be its value.
    Doubt,
    /// No option follows.
    OperandsOnly,
    /// All that follows was taken.
    Done,
}

impl<L: Fn(&str) -> Option<Grammar>> Reader<L> {
    fn read(mut self) -> Words {
        let mut expects_subcommand = true;
        let mut doubtful = false;
        let mut skip = None;
        self.letters();
        while let Some(word) = self.rest.pop() {
            let option = self.option(&word);
            match option {
                Some(Then::Continue) => doubtful = false,
                Some(Then::Doubt) => doubtful = true,
                Some(Then::OperandsOnly) => {
                    self.operands(skip);
                    break;
                }
                Some(Then::Done) => break,
                None if self.wraps() == Wraps::Assignments && is_assignment(&word) => {}
                None if expects_subcommand && self.descend(&word, doubtful) => {
                    self.strange = false;
                    doubtful = false;
                    skip = None;
                }
                None => {
                    self.strange |= expects_subcommand && !self.level().subcommands.is_empty();
                    expects_subcommand &= doubtful;
                    if self.level().options_first {
                        self.rest.push(word);
                        self.operands(skip);
                        break;
                    }
                    self.operand(word, doubtful, &mut skip);
                    doubtful = false;
                }
            }
        }
        if !self.inner.is_empty() {
            let inner = std::mem::take(&mut self.inner);
            self.words.wrapped.push(Wrapped::Argv(inner));
        }
        self.words.path = self.path;
        self.words
    }

    /// `tar xzf a.tgz`: the first word is letters of options, whose values follow in order.
    fn letters(&mut self) {
        if !self.level().letters_first {
            return;
        }
        let Some(word) = self.rest.pop_if(|w| !w.is_empty() && !w.starts_with(b"-")) else {
            return;
        };
        let found: Option<Vec<Found>> = word.iter().map(|b| self.find(&[b'-', *b])).collect();
        match found {
            Some(found) => {
                for found in found {
                    self.take(found, None);
                }
            }
            None => self.rest.push(word),
        }
    }

    fn level(&self) -> &Grammar {
        // `levels` starts with the command's own grammar and only grows.
        &self.levels[self.levels.len() - 1]
    }

    fn wraps(&self) -> Wraps {
        let level = self.level();
        let is_given = |name: &String| self.words.has_flag(name);
        let lacks = !level.wraps_if.is_empty() && !level.wraps_if.iter().any(is_given);
        match lacks || level.wraps_unless.iter().any(is_given) {
            true => Wraps::Nothing,
            false => level.wraps,
        }
    }

    /// Goes into a subcommand, by one word or by two (`docker container run`). Behind an option
    /// that is not known it may be the value of that.
    fn descend(&mut self, word: &BString, doubtful: bool) -> bool {
        let pair = self.rest.last().map(|next| [word.as_slice(), b" ", next.as_slice()].concat());
        let by_two = pair.and_then(|p| self.level().subcommand(&p).map(str::to_owned));
        let by_one = self.level().subcommand(word).map(str::to_owned);
        if by_two.is_some() {
            self.rest.pop();
        }
        let Some(name) = by_two.or(by_one) else { return false };
        self.path.push(' ');
        self.path.push_str(&name);
        self.words.words.push(Word { text: name.into(), doubtful });
        self.words.subcommands = self.words.words.len();
        let inner = (self.lookup)(&self.path).unwrap_or_default();
        self.levels.push(inner);
        true
    }

    /// One operand among options.
    fn operand(&mut self, word: BString, doubtful: bool, skip: &mut Option<u32>) {
        let left = skip.get_or_insert(self.level().skip_operands);
        match self.wraps() {
            Wraps::Operands | Wraps::Assignments if *left == 0 => self.inner.push(word),
            Wraps::Each => self.words.wrapped.push(Wrapped::Text(word)),
            _ => {
                *left = left.saturating_sub(1);
                self.words.words.push(Word { text: word, doubtful });
            }
        }
    }

    /// All that is left, none of it an option.
    fn operands(&mut self, skip: Option<u32>) {
        let mut rest = std::mem::take(&mut self.rest);
        if self.wraps() == Wraps::Assignments {
            let kept = rest.iter().rposition(|w| !is_assignment(w)).map_or(0, |i| i + 1);
            rest.truncate(kept);
        }
        let skip = skip.unwrap_or(self.level().skip_operands) as usize;
        match self.wraps() {
            Wraps::Operands | Wraps::Assignments => {
                for _ in 0..skip.min(rest.len()) {
                    self.words.words.extend(rest.pop().map(|text| Word { text, doubtful: false }));
                }
                // `flock file -c text`
                while skip > 0
                    && let Some(word) = rest.pop_if(|word| self.is_text_option(word))
                {
                    self.rest = rest;
                    self.option(&word);
                    rest = std::mem::take(&mut self.rest);
                }
                self.inner.extend(rest.into_iter().rev());
            }
            Wraps::Each => {
                self.words.wrapped.extend(rest.into_iter().rev().map(Wrapped::Text));
            }
            Wraps::Shell if self.words.has_flag("-c") && self.words.wrapped.is_empty() => {
                self.words.wrapped.extend(rest.pop().map(Wrapped::Text));
                self.words.parameters.extend(rest.into_iter().rev());
            }
            Wraps::Line => {
                for _ in 0..skip.min(rest.len()) {
                    self.words.words.extend(rest.pop().map(|text| Word { text, doubtful: false }));
                }
                self.rest = rest;
                // Options may stand behind the first operand as well: ssh(1).
                while skip > 0
                    && let Some(word) = self.rest.pop_if(|word| word.starts_with(b"-"))
                    && word != "--"
                {
                    self.option(&word);
                }
                let mut rest = std::mem::take(&mut self.rest);
                // What follows is put into the text, or read from files: parallel(1).
                let sources = rest.iter().rposition(|word| word.starts_with(b":::"));
                rest.drain(..sources.map_or(0, |at| at + 1));
                let text = BString::from(bstr::join(" ", rest.iter().rev()));
                self.words.wrapped.extend((!text.is_empty()).then_some(Wrapped::Text(text)));
            }
            _ => {
                let words = rest.into_iter().rev().map(|text| Word { text, doubtful: false });
                self.words.words.extend(words);
            }
        }
    }

    /// Is it, as it stands, an option whose value is shell text?
    fn is_text_option(&self, word: &BString) -> bool {
        let level = self.level();
        let found = level.option(word);
        found.is_some_and(|spec| level.texts.iter().any(|text| text == spec.canonical()))
    }

    /// Reads a word as an option, with its values; `None` when it is an operand.
    fn option(&mut self, word: &BString) -> Option<Then> {
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
    fn take(&mut self, found: Found, attached: Option<BString>) -> Then {
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

    /// The levels whose options may stand here, innermost first.
    fn in_reach(&self) -> impl Iterator<Item = (usize, &Grammar)> {
        let last = self.levels.len() - 1;
        let levels = self.levels.iter().enumerate().rev();
        levels.filter(move |(depth, grammar)| *depth == last || !grammar.before_subcommand)
    }

    /// Looks a name up as it is spelled, innermost level first.
    fn find(&self, name: &[u8]) -> Option<Found> {
        self.in_reach().find_map(|(depth, grammar)| {
            let spec = grammar.option(name)?;
            Some(found(depth, spec, name))
        })
    }

    fn abbreviated(&self, name: &[u8]) -> Option<Found> {
        if name.len() < 3 || !name.starts_with(b"--") {
            return None;
        }
        self.in_reach().filter(|(_, g)| g.abbreviations).find_map(|(depth, grammar)| {
            let spec = grammar.abbreviated(name)?;
            let whole = spec.names().find(|n| n.as_bytes().starts_with(name))?;
            Some(found(depth, spec, whole.as_bytes()))
        })
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

fn found(depth: usize, spec: super::OptionSpec<'_>, name: &[u8]) -> Found {
    let spellings: Vec<&str> = spec.names().collect();
    let takes = match spec.takes(name) {
        Takes::Nothing => Need::Nothing,
        Takes::Values(count) => Need::Values(count),
        Takes::Optional => Need::Optional,
        Takes::Listed(list) => Need::Listed(list.split('|').map(str::to_owned).collect()),
    };
    Found { depth, canonical: spec.canonical().to_owned(), spellings: spellings.join(", "), takes }
}

fn is_assignment(word: &BString) -> bool {
    let Some(at) = word.find_byte(b'=') else { return false };
    let name = &word[..at];
    !name.is_empty()
        && !name[0].is_ascii_digit()
        && name.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_')
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
