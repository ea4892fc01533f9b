//! One call of a shim, start to end: judge it, then refuse it or become the real
//! program.

use std::ffi::OsStr;

use bstr::{BString, ByteSlice};

use crate::decide::{Subject, decide};
use crate::policy::{Exit, Verdict};
use crate::refuse::{Door, distrusted, refuse};
use crate::render::trouble;
use crate::sys::context::Context;
use crate::sys::executed::Executed;
use crate::sys::hop::Hop;
use crate::sys::program::{self, NoProgram};
use crate::sys::{Start, exec, stdio};

/// Runs the shim face. Returns only when no other program was become.
pub fn run(start: &Start, argv: &[BString], us: &Executed) -> Exit {
    let name = us.name();
    let mut judged = vec![BString::from(<[u8]>::from_os_str(name).unwrap_or_default())];
    judged.extend_from_slice(argv.get(1..).unwrap_or_default());

    let context = match Context::of_shim(us) {
        Ok(context) => context,
        Err((directory, error)) => return broken(&trouble::record(name, &directory, &error)),
    };
    if let Some(state) = context.missing_state() {
        return broken(&trouble::state_gone(name, state));
    }
    let decision = match decide(&context, Subject::Call(&judged)) {
        Ok(decision) => decision,
        Err(doubt) => {
            return distrusted(&context, &judged, &doubt.words(name));
        }
    };
    for notice in &decision.notices {
        stdio::say(&trouble::notice(notice));
    }
    match decision.verdict() {
        Verdict::Pass(_) => {}
        Verdict::Warn(it) | Verdict::Refuse(it) => {
            let exit = refuse(&context, &decision, &it, &judged, Door::Shim);
            if exit != Exit::Success {
                return exit;
            }
        }
    }
    become_real(start, name, us, decision.argv0_is_path)
}

fn become_real(start: &Start, name: &OsStr, us: &Executed, argv0_is_path: bool) -> Exit {
    let hop = Hop::read(name);
    match program::find(name, us, hop.as_ref().and_then(Hop::back_from)) {
        Ok(program) => {
            let error = exec::exec(start, &program, argv0_is_path, hop.as_ref());
            stdio::say(&trouble::not_executed(&program.path, &error));
            Exit::NotExecutable
        }
        Err(NoProgram::NotFound) => {
            stdio::say(&trouble::not_found(name));
            Exit::NotFound
        }
        Err(NoProgram::NotExecutable) => {
            stdio::say(&trouble::permission_denied(name));
            Exit::NotExecutable
        }
    }
}

fn broken(message: &str) -> Exit {
    stdio::say(message);
    Exit::Broken
}
