//! A program that is not waited for for ever: apart from our terminal, ended with all that
//! it has started in its group, after a time or when somebody wants us to end.

use std::io;
use std::process::{ChildStderr, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use bstr::ByteSlice as _;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process_group};

use super::raw::{Held, apart};

/// How often we look up while nothing comes.
const PAUSE: Timespec = Timespec { tv_sec: 0, tv_nsec: 10_000_000 };
/// How often we look whether it has ended.
const STEP: Duration = Duration::from_millis(10);
/// Who has said all it was asked gets so long to end by itself.
const GRACE: Duration = Duration::from_secs(1);
/// Nothing that is asked has longer answers.
const LARGEST: usize = 1 << 20;

/// What came of it.
#[derive(Debug, Default)]
pub struct Ended {
    /// None where it had to be ended after its answer.
    pub status: Option<ExitStatus>,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

/// Why there is no answer.
#[derive(Debug)]
pub enum Stopped {
    NotStarted(io::Error),
    TimedOut,
    /// Somebody wants us to end.
    Interrupted,
}

/// What is still open of its output. Whoever holds a pipe open for longer does not hold us.
struct Pipes {
    out: Option<ChildStdout>,
    err: Option<ChildStderr>,
}

/// Runs it, with nothing to read. The answer is whole when `end` has come on standard output,
/// or else when both streams are closed. Only below a [`Held`].
pub fn run(mut command: Command, limit: Duration, end: Option<&[u8]>) -> Result<Ended, Stopped> {
    let deadline = Instant::now() + limit;
    apart(&mut command);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(Stopped::NotStarted)?;
    let mut pipes = Pipes { out: child.stdout.take(), err: child.stderr.take() };

    let mut ended = Ended::default();
    let stop = loop {
        if pipes.out.is_none() && pipes.err.is_none() {
            break None;
        }
        pipes.read(&mut ended);
        if end.is_some_and(|end| ended.stdout.contains_str(end)) {
            break None;
        }
        if Held::is_pending() {
            break Some(Stopped::Interrupted);
        }
        if Instant::now() > deadline || ended.stdout.len() + ended.stderr.len() > LARGEST {
            break Some(Stopped::TimedOut);
        }
    };
    if stop.is_none() {
        let until = Instant::now() + GRACE;
        while let Ok(None) = child.try_wait()
            && Instant::now() < until
            && !Held::is_pending()
        {
            std::thread::sleep(STEP);
        }
        ended.status = child.try_wait().ok().flatten();
    }
    // What it has left behind, too; a group that is gone is no failure.
    let _ = kill_process_group(Pid::from_child(&child), Signal::KILL);
    let _ = child.wait();
    stop.map_or(Ok(ended), Err)
}

impl Pipes {
    /// Waits for what comes next, and takes it.
    fn read(&mut self, into: &mut Ended) {
        let mut open: Vec<PollFd<'_>> = Vec::new();
        open.extend(self.out.iter().map(|pipe| PollFd::new(pipe, PollFlags::IN)));
        open.extend(self.err.iter().map(|pipe| PollFd::new(pipe, PollFlags::IN)));
        if poll(&mut open, Some(&PAUSE)).is_err() {
            return; // a signal
        }
        let mut ready = open.iter().map(|fd| !fd.revents().is_empty());
        let out = self.out.is_some() && ready.next() == Some(true);
        let err = self.err.is_some() && ready.next() == Some(true);
        drop(ready);
        take(&mut self.out, out, &mut into.stdout);
        take(&mut self.err, err, &mut into.stderr);
    }
}

/// Reads what is there. At its end the pipe is closed.
fn take(pipe: &mut Option<impl io::Read>, is_ready: bool, into: &mut Vec<u8>) {
    let mut buffer = [0; 4096];
    let Some(open) = pipe.as_mut().filter(|_| is_ready) else { return };
    match open.read(&mut buffer) {
        Ok(length @ 1..) => into.extend_from_slice(&buffer[..length]),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
        Ok(_) | Err(_) => *pipe = None,
    }
}
