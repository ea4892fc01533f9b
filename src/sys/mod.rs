//! Every effect: what was executed and by whom, where things are, files, the
//! real program, evidence, processes, terminal and clock.

pub mod acts;
pub mod asking;
pub mod bounded;
pub mod clock;
pub mod context;
pub mod doctor;
pub mod environment;
pub mod evidence;
pub mod exec;
pub mod executed;
pub mod home;
pub mod hop;
pub mod install;
pub mod ledger;
pub mod notify;
pub mod policy_file;
pub mod policy_view;
pub mod processes;
pub mod program;
mod raw;
pub mod redact;
pub mod runs;
pub mod session;
pub mod settings;
pub mod shells;
pub mod sources;
pub mod startup;
pub mod stdio;
pub mod store;
pub mod touch;

pub use raw::{Held, Start, child, last_word};
