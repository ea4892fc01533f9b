//! `embargo` refuses what a coding agent must not run, in the agent's own voice
//! and with the next right step, or becomes the real program and leaves no trace.
//!
//! `ARCHITECTURE.md` is the map. Data goes down the list of modules there and
//! never back up: `policy`, `command`, `line`, `config`, `view`, `doctor` and `render`
//! are pure; only `sys` touches the machine.

pub mod cli;
pub mod command;
pub mod config;
pub mod decide;
pub mod doctor;
pub mod line;
pub mod policy;
pub mod refuse;
pub mod render;
pub mod shim;
pub mod sys;
pub mod view;

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use policy::Exit;
use sys::Start;
use sys::executed::Executed;

/// Runs the face that the executed file's name asks for, and says what to exit with.
pub fn run(start: Start) -> Exit {
    let argv = start.arguments();
    let us = Executed::find(&argv);
    if us.name().is_empty() || is_command_line(us.name()) {
        return cli::run(&argv);
    }
    shim::run(&start, &argv, &us)
}

/// `embargo`, or a versioned copy of it; a link to one of these is a shim of no command.
fn is_command_line(name: &OsStr) -> bool {
    let name = name.as_bytes();
    name == b"embargo" || name.starts_with(b"embargo-")
}
