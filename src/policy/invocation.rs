//! One call of one command, as far as a rule may look at it.

use std::collections::BTreeMap;
use std::sync::Arc;

use bstr::{BString, ByteSlice};

use crate::command::{Effect, Words};

use super::{Ancestry, Location, Operator, Place};

/// A call to be judged.
#[derive(Debug, Clone)]
pub struct Invocation {
    pub words: Arc<Words>,
    /// Of those words that only the shell will know, how they were typed: quotes and all. Shared
    /// with what it wraps.
    pub typed: Option<Arc<BTreeMap<BString, String>>>,
    /// Shell text of this command alone, where a line was seen; else argv joined as by `shlex.join`.
    pub text: String,
    /// The whole line, where one was seen. Rules that name no command match this.
    pub line: Option<Arc<str>>,
    pub stage: Stage,
    /// Commands of earlier stages of its pipeline, as far as a rule names them.
    pub fed_by: Vec<Arc<Feeder>>,
    /// Shared by the calls of a text.
    pub ancestry: Arc<Ancestry>,
    /// What it does, where a rule speaks of that; found by descriptions and by the line.
    pub effects: Vec<Effect>,
    /// Where it does that.
    pub place: Option<Arc<Place>>,
    /// Where the `cd` before it on its line may have led, the likeliest first; nowhere if empty.
    pub locations: Vec<Location>,
    /// What its redirections do, wherever it is made.
    pub written: Vec<Effect>,
    /// The call that it is inside of, by its place among all.
    pub inside: Option<usize>,
    pub machine: Machine,
    /// What the line feeds it to run, where that is no shell text.
    pub code: Option<Arc<str>>,
}

/// On which machine a call works.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Machine {
    #[default]
    This,
    /// Another one, or a container: its files are not those of here.
    Another,
}

/// A command that writes into the pipe from which another reads.
#[derive(Debug, Clone)]
pub struct Feeder {
    pub words: Arc<Words>,
    /// Its own text.
    pub text: String,
}

/// What stands before the command on its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Nothing, or unknown: an argv.
    First,
    /// It reads from a pipe.
    Piped,
    After(Operator),
}

impl Invocation {
    /// A call known by its argv alone: what a shim sees.
    pub fn from_words(words: Words, ancestry: impl Into<Arc<Ancestry>>) -> Self {
        let text = crate::command::join(words.argv());
        Invocation::from_text(words, text, ancestry)
    }

    /// A call on a line.
    pub fn from_text(words: Words, text: String, ancestry: impl Into<Arc<Ancestry>>) -> Self {
        Invocation {
            words: Arc::new(words),
            typed: None,
            text,
            line: None,
            stage: Stage::First,
            fed_by: Vec::new(),
            ancestry: ancestry.into(),
            effects: Vec::new(),
            place: None,
            locations: Vec::new(),
            written: Vec::new(),
            inside: None,
            machine: Machine::This,
            code: None,
        }
    }

    /// The text for rules that name no command.
    pub fn whole(&self) -> &str {
        self.line.as_deref().unwrap_or(&self.text)
    }

    /// The command's name as it was called, for messages.
    pub fn called(&self) -> String {
        self.words.called().to_str_lossy().into_owned()
    }
}
