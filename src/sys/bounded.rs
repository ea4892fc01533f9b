//! A program that is not waited for for ever: apart from our terminal, ended with all that
//! it has started in its group, after a time or when somebody wants us to end.

use std::io::{self, Read};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use bstr::ByteSlice as _;
use rustix::process::{Pid, Signal, kill_process_group};

use super::raw::{Held, apart};

/// How often we look up while nothing comes.
const PAUSE: Duration = Duration::from_millis(10);
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

/// Which stream a piece is of.
#[derive(Debug, Clone, Copy)]
enum Stream {
    Out,
    Err,
}

/// Runs it, with nothing to read. The answer is whole when `end` has come on standard output,
/// or else when both streams are closed. Only below a [`Held`].
pub fn run(mut command: Command, limit: Duration, end: Option<&[u8]>) -> Result<Ended, Stopped> {
    let deadline = Instant::now() + limit;
    apart(&mut command);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(Stopped::NotStarted)?;
    let (sender, pieces) = mpsc::channel();
    // Whoever holds a pipe open for longer keeps a thread, and not us.
    child.stdout.take().into_iter().for_each(|pipe| follow(pipe, Stream::Out, sender.clone()));
    child.stderr.take().into_iter().for_each(|pipe| follow(pipe, Stream::Err, sender.clone()));
    drop(sender);

    let mut ended = Ended::default();
    let stop = loop {
        match pieces.recv_timeout(PAUSE) {
            Ok((Stream::Out, piece)) => ended.stdout.extend(piece),
            Ok((Stream::Err, piece)) => ended.stderr.extend(piece),
            Err(RecvTimeoutError::Disconnected) => break None,
            Err(RecvTimeoutError::Timeout) => {}
        }
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
            std::thread::sleep(PAUSE);
        }
        ended.status = child.try_wait().ok().flatten();
    }
    // What it has left behind, too; a group that is gone is no failure.
    let _ = kill_process_group(Pid::from_child(&child), Signal::KILL);
    let _ = child.wait();
    stop.map_or(Ok(ended), Err)
}

fn follow(mut pipe: impl Read + Send + 'static, stream: Stream, to: Sender<(Stream, Vec<u8>)>) {
    std::thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(length @ 1..) = pipe.read(&mut buffer) {
            if to.send((stream, buffer[..length].to_vec())).is_err() {
                break;
            }
        }
    });
}
