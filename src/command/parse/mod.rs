//! argv → [`Words`], by the grammar of the command.

mod found;
mod operands;
mod options;

use std::rc::Rc;

use bstr::BString;

use super::words::{Word, Words, Wrapped, basename};
use super::{Catalogue, Grammar, Wraps};
use found::Found;
use operands::is_assignment;
use options::Then;

/// Takes argv apart by the descriptions of a catalogue.
pub fn parse(argv: &[BString], catalogue: &Catalogue) -> Words {
    let canonical = argv.first().and_then(|a| catalogue.canonical(basename(a)));
    let lookup = |path: &str| catalogue.grammar(path).map(Rc::new);
    parse_with(argv.to_vec(), canonical.as_deref(), lookup)
}

/// Takes argv apart. `canonical` is the description's first name, and `lookup`
/// answers for a path of it and its subcommands (`git`, `git push`).
pub fn parse_with(
    argv: Vec<BString>,
    canonical: Option<&str>,
    lookup: impl Fn(&str) -> Option<Rc<Grammar>>,
) -> Words {
    let rest = argv.get(1..).unwrap_or_default().iter().rev().cloned().collect();
    let mut words = Words { argv, ..Words::default() };
    let root = canonical.and_then(&lookup);
    words.canonical = canonical.unwrap_or_default().to_owned();
    let path = words.canonical.clone();
    let reader = Reader {
        described: root.is_some(),
        strange: false,
        levels: vec![root.unwrap_or_default()],
        rest,
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
    levels: Vec<Rc<Grammar>>,
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

impl<L: Fn(&str) -> Option<Rc<Grammar>>> Reader<L> {
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
}
