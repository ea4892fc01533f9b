//! Text → policy, and every fault at once. Pure: files are read by the caller.
//!
//! A source is first a tree with places (`node`, one for TOML and JSON), then a
//! `file` whose every key was looked at, then part of the [`Policy`] with all
//! other layers and packs (`load`). Descriptions of commands go the same way.
//!
//! [`Policy`]: crate::policy::Policy

mod acceptance;
mod across;
mod bites;
mod catalogue;
mod code;
mod description;
mod diagnostic;
mod extends;
mod fields;
mod file;
mod findings;
mod form;
mod from_json;
mod from_toml;
mod ids;
mod level;
mod load;
mod markers;
mod node;
mod options;
mod packs;
mod protect;
mod report;
mod requires;
mod rule;
mod says;
mod schema;
mod source;
mod subject;
mod suggest;
mod text;
mod value;
mod write;
mod written;

pub use bites::{Bites, Reach, bites};
pub use catalogue::{BUILT_IN, catalogue};
pub use code::{Code, Level};
pub use description::description;
pub use diagnostic::{Diagnostic, Label, Place};
pub use findings::findings;
pub use load::{ExampleLine, Loaded, RuleExamples, load};
pub use markers::{Proposal, Undecided, proposals, rival, undecided};
pub use packs::Pack;
pub use schema::schema;
pub use source::SourceText;
pub use write::{Format, NewRule, append, extend, extends};
