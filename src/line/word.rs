//! One word of a command: what is literal in it and what only the shell will know.

use bstr::BString;

/// A word after quote removal and those expansions that text alone decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// As it was typed; one text may give several words (`{a,b}`).
    pub source: String,
    pub pieces: Vec<Piece>,
    /// Begins with a `~` that the shell replaces; it stays in the pieces.
    pub tilde: bool,
}

/// A part of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Bytes that stay as they are.
    Literal(BString),
    Dynamic {
        /// As it was typed.
        source: String,
        kind: Dynamic,
    },
}

/// Why a piece of a word is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dynamic {
    /// `$x`, `${x…}`
    Variable,
    /// `$(…)`, `` `…` ``, `<(…)`, `>(…)`
    Substitution,
    /// `$((…))`, `$[…]`
    Arithmetic,
    /// `*`, `?`, `[…]`, `@(…)`
    Glob,
    /// `{…}` that would give too many words.
    Brace,
}

impl Word {
    /// The bytes, if all of them are known.
    pub fn literal(&self) -> Option<BString> {
        let is_literal = |piece: &Piece| matches!(piece, Piece::Literal(_));
        self.pieces.iter().all(is_literal).then(|| self.typed())
    }

    /// Is every byte of it known?
    pub fn is_literal(&self) -> bool {
        self.pieces.iter().all(|piece| matches!(piece, Piece::Literal(_)))
    }

    /// Is it known to be one of these?
    pub fn is_one_of(&self, texts: &[&str]) -> bool {
        match self.pieces.as_slice() {
            [Piece::Literal(bytes)] => texts.iter().any(|text| *bytes == *text),
            _ => self.literal().is_some_and(|word| texts.iter().any(|text| word == *text)),
        }
    }

    /// The bytes, quotes taken off; what is not known as it was typed.
    pub fn typed(&self) -> BString {
        if let [Piece::Literal(bytes)] = self.pieces.as_slice() {
            return bytes.clone();
        }
        let mut typed = BString::default();
        for piece in &self.pieces {
            typed.extend_from_slice(match piece {
                Piece::Literal(bytes) => bytes,
                Piece::Dynamic { source, .. } => source.as_bytes(),
            });
        }
        typed
    }

    /// A word of bytes alone.
    pub fn of(source: &str, bytes: impl Into<BString>) -> Self {
        let pieces = vec![Piece::Literal(bytes.into())];
        Word { source: source.to_owned(), pieces, tilde: false }
    }
}
