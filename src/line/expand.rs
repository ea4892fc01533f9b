//! A word's text → its words: quotes, braces and literal variables, in the order of bash(1).

use bstr::{BString, ByteSlice};

use super::atoms::{Atom, Atoms, Instead, Quoting, When, atoms};
use super::braces::braced;
use super::scope::Scope;
use super::word::{Dynamic, Piece, Word};

/// One text of a command, read.
pub struct Expanded {
    pub words: Vec<Word>,
    /// The commands in it.
    pub inside: Vec<String>,
}

/// What expansions may still add to a line, and how it is read.
#[derive(Debug, Clone)]
pub struct Budget {
    /// Bytes of variables.
    pub bytes: usize,
    /// Parts of words that braces make.
    pub braces: usize,
    /// `${x:-git}` is `git`, where `x` is not known.
    pub defaults: Defaults,
    /// Values inside values.
    depth: usize,
}

/// Is what stands for a variable without a value taken for its value?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Defaults {
    /// Not taken; was there one?
    Left(bool),
    Taken,
}

impl Default for Budget {
    fn default() -> Self {
        Budget { bytes: 1 << 18, braces: 1 << 15, defaults: Defaults::Left(false), depth: 4 }
    }
}

/// A word of a command.
pub fn expand(source: &str, scope: &Scope, budget: &mut Budget) -> Expanded {
    if is_plain(source) {
        return Expanded { words: vec![Word::of(source, source)], inside: Vec::new() };
    }
    let Atoms { atoms, inside } = atoms(source, Quoting::Word);
    let words = match braced(&atoms, &mut budget.braces) {
        Some(several) => several
            .into_iter()
            .flat_map(|atoms| Builder::new(source, scope, budget, Splits::Yes).build(atoms))
            .collect(),
        None => {
            let mut word = single(source, atoms, scope, budget);
            word.pieces = vec![dynamic(source, Dynamic::Brace)];
            vec![word]
        }
    };
    Expanded { words, inside }
}

/// Does it mean itself, as most words do?
fn is_plain(source: &str) -> bool {
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || b"-_./,:=+%@".contains(&b);
    !source.is_empty() && source.bytes().all(is_plain)
}

/// A word that stays one: the value of an assignment, what a redirection names.
pub fn expand_one(source: &str, scope: &Scope, budget: &mut Budget) -> (Word, Vec<String>) {
    if is_plain(source) {
        return (Word::of(source, source), Vec::new());
    }
    let Atoms { atoms, inside } = atoms(source, Quoting::Word);
    (single(source, atoms, scope, budget), inside)
}

/// A here-document that is expanded.
pub fn expand_text(text: &str, scope: &Scope, budget: &mut Budget) -> (Word, Vec<String>) {
    let Atoms { atoms, inside } = atoms(text, Quoting::None);
    (single(text, atoms, scope, budget), inside)
}

fn single(source: &str, atoms: Vec<Atom>, scope: &Scope, budget: &mut Budget) -> Word {
    let mut words = Builder::new(source, scope, budget, Splits::No).build(atoms);
    words.pop().unwrap_or_else(|| Word::of(source, ""))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Splits {
    Yes,
    No,
}

struct Builder<'a> {
    source: &'a str,
    scope: &'a Scope,
    budget: &'a mut Budget,
    splits: Splits,
    words: Vec<Word>,
    pieces: Vec<Piece>,
    /// There is a word, even if it is empty.
    is_word: bool,
    tilde: bool,
}

impl<'a> Builder<'a> {
    fn new(source: &'a str, scope: &'a Scope, budget: &'a mut Budget, splits: Splits) -> Self {
        let (words, pieces) = (Vec::new(), Vec::new());
        Builder { source, scope, budget, splits, words, pieces, is_word: false, tilde: false }
    }

    fn build(mut self, atoms: Vec<Atom>) -> Vec<Word> {
        self.tilde = matches!(atoms.first(), Some(Atom::Byte { byte: b'~', quoted: false }));
        for (at, atom) in atoms.iter().enumerate() {
            match atom {
                Atom::Quotes => self.is_word = true,
                Atom::Byte { byte, quoted } => {
                    let is_glob = !quoted && self.is_glob(*byte, &atoms[at + 1..]);
                    self.byte(*byte, is_glob);
                }
                Atom::Expansion { source, kind, name, quoted, instead } => {
                    let all = name.as_deref().filter(|name| *name == "@" || name.ends_with("[@]"));
                    if let Some(all) = all.filter(|_| *quoted && self.splits == Splits::Yes) {
                        match self.all_given(all) {
                            Some(given) => self.each(given),
                            None => self.pieces.push(dynamic(source, *kind)),
                        }
                        continue;
                    }
                    let value = match (name, kind) {
                        (Some(name), _) => self.value(name, *quoted),
                        (None, Dynamic::Substitution) => self.printed(source, *quoted),
                        _ => None,
                    };
                    let value = match instead {
                        Some(instead) => self.instead(value, instead),
                        None => value,
                    };
                    match value {
                        Some(value) if *quoted || self.splits == Splits::No => {
                            self.is_word = true;
                            value.iter().for_each(|byte| self.byte(*byte, false));
                        }
                        Some(value) => self.fields(&value),
                        None => self.pieces.push(dynamic(source, *kind)),
                    }
                }
            }
        }
        self.finish();
        self.words
    }

    /// What `"$@"` gives, as long as the line may still grow by it.
    fn all_given(&mut self, name: &str) -> Option<Vec<BString>> {
        let given: Vec<BString> = match name.strip_suffix("[@]") {
            Some(array) => self.scope.list(array)?.clone(),
            None => self.scope.positional()?.into_iter().cloned().collect(),
        };
        self.budget.bytes =
            self.budget.bytes.checked_sub(given.iter().map(|word| word.len()).sum())?;
        Some(given)
    }

    /// Each a word of its own, the first and the last with what stands beside them.
    fn each(&mut self, given: Vec<BString>) {
        for (nth, word) in given.iter().enumerate() {
            if nth > 0 {
                self.finish();
            }
            self.is_word = true;
            word.iter().for_each(|byte| self.byte(*byte, false));
        }
    }

    /// `${x:-git}`, `${x:+git}`: what is to be had instead of the value, if that is known.
    fn instead(&mut self, value: Option<BString>, instead: &Instead) -> Option<BString> {
        let is_known = value.is_some();
        let is_set = value.as_ref().is_some_and(|value| !value.is_empty());
        match instead.when {
            When::Unset if is_set => return value,
            When::Set if is_known && !is_set => return Some(BString::default()),
            _ => {}
        }
        self.budget.depth = self.budget.depth.checked_sub(1)?;
        let (word, _) = expand_one(&instead.text, self.scope, self.budget);
        self.budget.depth += 1;
        let literal = word.literal().filter(|_| !word.tilde)?;
        match &mut self.budget.defaults {
            Defaults::Left(_) if is_known => Some(literal),
            Defaults::Taken => Some(literal),
            Defaults::Left(is_left) => {
                *is_left = true;
                None
            }
        }
    }

    /// What a variable holds, as long as the line may still grow by it.
    fn value(&mut self, name: &str, quoted: bool) -> Option<BString> {
        let all: BString;
        let value = match name {
            "@" | "*" => {
                all = bstr::join(" ", self.scope.positional()?).into();
                &all
            }
            name => match name.strip_suffix(']').and_then(|name| name.split_once('[')) {
                Some((array, "@" | "*")) => {
                    all = bstr::join(" ", self.scope.list(array)?).into();
                    &all
                }
                Some((array, nth)) => self.scope.list(array)?.get(nth.parse::<usize>().ok()?)?,
                None => self.scope.get(name)?,
            },
        };
        if !quoted && self.splits == Splits::Yes && self.scope.splits_oddly {
            return None;
        }
        self.budget.bytes = self.budget.bytes.checked_sub(value.len())?;
        Some(value.clone())
    }

    /// `$(echo git)`, `` `echo git` ``
    fn printed(&mut self, source: &str, quoted: bool) -> Option<BString> {
        let inside = source.strip_prefix("$(").and_then(|text| text.strip_suffix(')'));
        let inside = inside.or(source.strip_prefix('`').and_then(|text| text.strip_suffix('`')))?;
        let printed = super::fed::printed(inside)?;
        if !quoted && self.splits == Splits::Yes && self.scope.splits_oddly {
            return None;
        }
        self.budget.bytes = self.budget.bytes.checked_sub(inside.len())?;
        Some(printed.trim_end_with(|c| c == '\n').into())
    }

    /// Does a pattern begin here?
    fn is_glob(&self, byte: u8, behind: &[Atom]) -> bool {
        let is_next = |wanted: u8| matches!(behind.first(), Some(Atom::Byte { byte, quoted: false }) if *byte == wanted);
        let closes = |atom: &Atom| matches!(atom, Atom::Byte { byte: b']', quoted: false });
        self.splits == Splits::Yes
            && match byte {
                b'*' | b'?' => true,
                b'[' => behind.iter().skip(1).take(64).any(closes),
                b'@' | b'+' | b'!' => is_next(b'('),
                _ => false,
            }
    }

    fn byte(&mut self, byte: u8, is_glob: bool) {
        if is_glob {
            let sign = char::from(byte).to_string();
            return self.pieces.push(dynamic(&sign, Dynamic::Glob));
        }
        match self.pieces.last_mut() {
            Some(Piece::Literal(bytes)) => bytes.push(byte),
            _ => self.pieces.push(Piece::Literal(BString::from(vec![byte]))),
        }
    }

    /// A value without quotes: split at blanks.
    fn fields(&mut self, value: &BString) {
        let blank = |b: &u8| matches!(b, b' ' | b'\t' | b'\n');
        for (nth, field) in value.as_bytes().split(blank).enumerate() {
            if nth > 0 {
                self.finish();
            }
            for byte in field {
                self.byte(*byte, matches!(byte, b'*' | b'?'));
            }
        }
    }

    fn finish(&mut self) {
        let mut pieces = std::mem::take(&mut self.pieces);
        if std::mem::take(&mut self.is_word) && pieces.is_empty() {
            pieces.push(Piece::Literal(BString::default()));
        }
        if !pieces.is_empty() {
            let tilde = std::mem::take(&mut self.tilde);
            self.words.push(Word { source: self.source.to_owned(), pieces, tilde });
        }
    }
}

fn dynamic(source: &str, kind: Dynamic) -> Piece {
    Piece::Dynamic { source: source.to_owned(), kind }
}
