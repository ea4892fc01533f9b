//! `embargo` refuses what a coding agent must not run, in the agent's own voice
//! and with the next right step, or becomes the real program and leaves no trace.
//!
//! `ARCHITECTURE.md` is the map. Data goes down the list of modules there and
//! never back up: `policy`, `seal`, `command`, `line`, `config`, `view`, `doctor`,
//! `hook`, `history` and `render` are pure; only `sys` touches the machine.

pub mod accept;
pub mod cli;
pub mod command;
pub mod config;
pub mod decide;
pub mod doctor;
pub mod history;
pub mod hook;
pub mod line;
pub mod policy;
pub mod refuse;
pub mod render;
pub mod seal;
pub mod shim;
pub mod sys;
pub mod view;

use std::os::unix::ffi::OsStrExt as _;

use policy::Exit;
use sys::Start;
use sys::executed::Executed;

/// Runs the face that the executed file's name asks for, and says what to exit with.
pub fn run(start: Start) -> Exit {
    let argv = start.arguments();
    let us = Executed::find(&argv);
    let name = us.name().as_bytes();
    if name.is_empty() || command::is_own_name(name) {
        return cli::run(&argv);
    }
    shim::run(&start, &argv, &us)
}
