//! `launcher.c` starts programs in a given state, as often as it is asked.

use std::ffi::OsStr;
use std::io::{Read as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::OnceLock;

use crate::common::World;
use crate::programs::compiled;

/// The program that starts others.
pub fn launcher() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| compiled("launcher", include_str!("launcher.c"), &[]))
}

/// A launcher at work.
pub struct Launcher {
    child: Child,
    requests: Option<ChildStdin>,
    answers: ChildStdout,
}

/// What came of one start.
#[derive(Debug, PartialEq, Eq)]
pub struct Answer {
    /// As wait(2) gives it.
    pub status: i32,
    pub record: Vec<u8>,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

impl Launcher {
    /// For programs that start in this state, in the world's project.
    pub fn new<S: AsRef<OsStr>>(world: &World, state: &[S]) -> Self {
        let mut command = Command::new(launcher());
        command.args(state).current_dir(world.path("project")).env_clear();
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the launcher");
        let requests = child.stdin.take();
        let answers = child.stdout.take().expect("a pipe");
        Launcher { child, requests, answers }
    }

    /// Starts one program, and waits for its end.
    pub fn run(&mut self, program: &Path, argv: &[&[u8]], env: &[Vec<u8>]) -> Answer {
        let mut request = Vec::new();
        let number = |n: usize, request: &mut Vec<u8>| {
            request.extend_from_slice(&u32::try_from(n).expect("small").to_ne_bytes());
        };
        number(argv.len(), &mut request);
        number(env.len(), &mut request);
        let words = argv.iter().copied().chain(env.iter().map(Vec::as_slice));
        for word in std::iter::once(program.as_os_str().as_bytes()).chain(words) {
            number(word.len(), &mut request);
            request.extend_from_slice(word);
        }
        let requests = self.requests.as_mut().expect("a pipe");
        requests.write_all(&request).expect("the launcher reads");
        let status = i32::from_ne_bytes(self.four());
        let [record, stdout, stderr] = [(); 3].map(|()| {
            let length = u32::from_ne_bytes(self.four());
            let mut bytes = vec![0; usize::try_from(length).expect("small")];
            self.answers.read_exact(&mut bytes).expect("an answer");
            bytes
        });
        Answer { status, record, stdout, stderr }
    }

    fn four(&mut self) -> [u8; 4] {
        let mut bytes = [0; 4];
        self.answers.read_exact(&mut bytes).expect("an answer");
        bytes
    }
}

impl Drop for Launcher {
    fn drop(&mut self) {
        self.requests = None;
        // Without requests it ends.
        let _ = self.child.wait();
    }
}
