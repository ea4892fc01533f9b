//! A word's text → its words: quotes, braces and literal variables, in the order of bash(1).

use bstr::{BString, ByteSlice};

use super::atoms::{Atom, Atoms, Quoting, atoms};
use super::braces::braced;
use super::scope::Scope;
use super::word::{Dynamic, Piece, Word};

/// One text of a command, read.
pub struct Expanded {
    pub words: Vec<Word>,
    /// The commands in it.
    pub inside: Vec<String>,
}

/// A word of a command; `budget` is how many bytes variables may still add.
pub fn expand(source: &str, scope: &Scope, budget: &mut usize) -> Expanded {
    let Atoms { atoms, inside } = atoms(source, Quoting::Word);
    let words = match braced(atoms.clone()) {
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

/// A word that stays one: the value of an assignment, what a redirection names.
pub fn expand_one(source: &str, scope: &Scope, budget: &mut usize) -> (Word, Vec<String>) {
    let Atoms { atoms, inside } = atoms(source, Quoting::Word);
    (single(source, atoms, scope, budget), inside)
}

/// A here-document that is expanded.
pub fn expand_text(text: &str, scope: &Scope, budget: &mut usize) -> (Word, Vec<String>) {
    let Atoms { atoms, inside } = atoms(text, Quoting::None);
    (single(text, atoms, scope, budget), inside)
}

fn single(source: &str, atoms: Vec<Atom>, scope: &Scope, budget: &mut usize) -> Word {
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
    budget: &'a mut usize,
    splits: Splits,
    words: Vec<Word>,
    pieces: Vec<Piece>,
    /// There is a word, even if it is empty.
    is_word: bool,
    tilde: bool,
}

impl<'a> Builder<'a> {
    fn new(source: &'a str, scope: &'a Scope, budget: &'a mut usize, splits: Splits) -> Self {
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
                Atom::Expansion { source, kind, name, quoted } => {
                    if name.as_deref() == Some("@") && *quoted && self.splits == Splits::Yes {
                        match self.all_given() {
                            Some(given) => self.each(given),
                            None => self.pieces.push(dynamic(source, *kind)),
                        }
                        continue;
                    }
                    let value = name.as_ref().and_then(|name| self.value(name, *quoted));
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
    fn all_given(&mut self) -> Option<Vec<BString>> {
        let given: Vec<BString> = self.scope.positional()?.into_iter().cloned().collect();
        *self.budget = self.budget.checked_sub(given.iter().map(|word| word.len()).sum())?;
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

    /// What a variable holds, as long as the line may still grow by it.
    fn value(&mut self, name: &str, quoted: bool) -> Option<BString> {
        let all: BString;
        let value = match name {
            "@" | "*" => {
                all = bstr::join(" ", self.scope.positional()?).into();
                &all
            }
            name => self.scope.get(name)?,
        };
        if !quoted && self.splits == Splits::Yes && self.scope.splits_oddly {
            return None;
        }
        *self.budget = self.budget.checked_sub(value.len())?;
        Some(value.clone())
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
