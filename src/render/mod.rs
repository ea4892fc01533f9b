//! Every sentence and every JSON object, made from data alone.

pub mod accept;
pub mod add;
pub mod answer;
pub mod brief;
pub mod diagnostic;
pub mod doctor;
pub mod examples;
pub mod explain;
pub mod findings;
pub mod history;
pub mod hooked;
pub mod hooks;
pub mod init;
pub mod installing;
pub mod last;
pub mod log;
pub mod packs;
pub mod prose;
pub mod refusal;
mod sealed;
pub mod seals;
pub mod shells;
pub mod told;
pub mod trouble;
pub mod uninstalling;
pub mod usage;
pub mod why;
