//! `embargo` refuses what a coding agent must not run, in the agent's own voice
//! and with the next right step, or becomes the real program and leaves no trace.
//!
//! `ARCHITECTURE.md` is the map. Data goes down the list of modules there and
//! never back up: `policy`, `command`, `line`, `config`, `view` and `render` are
//! pure; only `sys` touches the machine.

pub mod command;
pub mod policy;
