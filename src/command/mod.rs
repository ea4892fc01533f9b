//! What argv means: which words are the command, which are options, which are
//! their values, and which other command is wrapped inside. Driven by data
//! (`shims/*.toml`), never by Rust that knows one command.

mod catalogue;
mod clause;
mod compiled;
mod does;
mod effect;
mod grammar;
mod here;
mod names;
mod parse;
mod quote;
mod words;

pub use catalogue::{Catalogue, Description, Example};
pub use clause::{Clause, ClauseFault, Condition, Reach, Stand, What};
pub use compiled::{Compiled, Program, compile, stem};
pub use does::effects;
pub use effect::{Act, Effect, Object, Thing};
pub use grammar::{Grammar, OptionSpec, Takes, Wraps};
pub use here::{behind_here, behind_root};
pub use names::{is_own_name, is_shim_name};
pub use parse::{parse, parse_with};
pub use quote::{join, join_in_a_line, quote, quote_in_a_line};
pub use words::{Flag, Word, Words, Wrapped, joined};
