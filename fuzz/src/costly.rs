//! Assertions that cost a hundred times what reading the input does.

use std::hash::{DefaultHasher, Hasher};

/// Which inputs are asked the costly questions too. A fuzzer does better with many inputs,
/// each read, than with few of which all is known: what it finds at all, it finds again in
/// a neighbour, which has another hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Costly {
    Always,
    /// One in so many, by a hash of the input, so that one input always does the same.
    OneIn(u64),
}

impl Costly {
    /// The same for what costs so many times more.
    pub fn times(self, more: u64) -> Self {
        match self {
            Costly::Always => Costly::Always,
            Costly::OneIn(many) => Costly::OneIn(many * more),
        }
    }

    /// Is this input asked? Each question by its own name, so that they fall on other inputs.
    pub fn asks(self, question: &str, bytes: &[u8]) -> bool {
        let Costly::OneIn(many) = self else { return true };
        let mut hasher = DefaultHasher::new();
        hasher.write(question.as_bytes());
        hasher.write(bytes);
        hasher.finish().is_multiple_of(many)
    }
}
