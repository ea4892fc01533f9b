//! One call of a shim, start to end: judge it, then refuse it or become the real
//! program.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use bstr::{BString, ByteSlice};

use crate::accept::{self, Asked, Watch};
use crate::decide::{Subject, decide};
use crate::policy::{Accepted, Exit, Verdict};
use crate::refuse::{Door, distrusted, overruled, refuse};
use crate::render::{accept as words, trouble};
use crate::sys::child::{self, Ended, Side};
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
    let mut decision = match decide(&context, Subject::Call(&judged)) {
        Ok(decision) => decision,
        Err(doubt) => {
            return distrusted(&context, &judged, &doubt.words(name));
        }
    };
    for notice in &decision.notices {
        stdio::say(&trouble::notice(notice));
    }
    if !decision.threats.is_empty() {
        overruled(&context, &mut decision);
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
    match &decision.accepted {
        Some(accepted) => watched(start, us, &context, accepted, &judged, decision.argv0_is_path),
        None => become_real(start, name, us, decision.argv0_is_path),
    }
}

/// Runs a check and waits for it, so that nobody notices; when it passes, what it proved is sealed.
fn watched(
    start: &Start,
    us: &Executed,
    context: &Context,
    accepted: &Accepted,
    argv: &[BString],
    argv0_is_path: bool,
) -> Exit {
    let name = us.name();
    let Ok(program) = program::anywhere(name, us) else {
        return become_real(start, name, us, argv0_is_path);
    };
    let program = Path::new(OsStr::from_bytes(program.path.to_bytes())).to_owned();
    let asked = Asked::from(accepted);
    let check = accept::check(&asked, argv, context);
    let mut watch = Watch::begin(context, check.clone(), &program);
    let child = match child::fork() {
        Ok(Side::Parent(child)) => child,
        // A check that cannot be watched runs all the same.
        Ok(Side::Child) | Err(_) => return become_real(start, name, us, argv0_is_path),
    };
    let ended = child.wait();
    watch.end();
    match ended {
        Ended::Status(0) => {
            stdio::fill_closed();
            if let Err(why) = watch.seal(&asked, argv, context) {
                stdio::say(&words::unsealed(&check, &why));
            }
            Exit::Success
        }
        Ended::Status(status) => Exit::Own(status),
        Ended::Signal(signal) => {
            child::end_by(signal);
            Exit::Own(u8::try_from(128 + signal).unwrap_or(u8::MAX))
        }
        Ended::Unknown => Exit::Findings,
    }
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
