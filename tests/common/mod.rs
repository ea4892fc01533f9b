//! A throw-away world with a home, a project and stub programs, and a consuming `Test`
//! that runs the built binary in it and asserts everything, silence included.
//!
//! Nothing of the caller's environment gets in. What differs from run to run is
//! replaced before it is compared: evidence ids by `e_ID`, the world's directory by
//! `[W]`, the directory of a run by `runs/RUN`.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender};
use std::time::Duration;

use embargo::sys::context::Context;
use embargo::sys::home::HomeRecord;
use embargo::sys::{policy_view, sources};
use embargo::view::{Contents, encode};

/// The binary under test.
pub const EMBARGO: &str = env!("CARGO_BIN_EXE_embargo");

/// Another user, where tests run as root.
pub const NOBODY: u32 = 65534;

/// One rule, on gradle.
pub const NO_GRADLE: &str = "\
[[embargo]]
id = \"no-gradle\"
command = \"gradle\"
reason = \"raw gradle does not have the libraries our application needs\"
alternative = \"run `./gradlew {args}`\"
";

/// What NO_GRADLE in the project's file says of `gradle build`.
pub const REFUSED: &str = "\
I must not use `gradle` because raw gradle does not have the libraries our application needs. Instead, run `./gradlew build`.
This is policy, not a fault: rule `no-gradle` (embargo.toml:1) covers every use of it; trying again or with other flags will be refused too.
";

/// A home, a project directory and a directory of programs, removed in the end.
pub struct World {
    root: tempfile::TempDir,
}

impl World {
    pub fn new() -> Self {
        let root = tempfile::Builder::new().prefix("embargo-test-").tempdir().expect("a directory");
        let world = World { root };
        for directory in ["home", "project", "bin"] {
            fs::create_dir(world.path(directory)).expect("a directory");
        }
        world
    }

    /// A path below the world: `home`, `project`, `bin`, `shims` and what is in them.
    pub fn path(&self, below: impl AsRef<Path>) -> PathBuf {
        let root = self.root.path().canonicalize().expect("the world");
        root.join(below)
    }

    /// Writes a file, and the directories above it.
    pub fn write(&self, below: &str, text: impl AsRef<[u8]>) -> &Self {
        let path = self.path(below);
        fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
        fs::write(&path, text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        self
    }

    pub fn read(&self, below: &str) -> String {
        let path = self.path(below);
        fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    }

    /// The project's policy.
    pub fn policy(&self, text: &str) -> &Self {
        self.write("project/embargo.toml", text)
    }

    /// An executable script.
    pub fn script(&self, below: &str, text: &str) -> &Self {
        self.write(below, text);
        fs::set_permissions(self.path(below), fs::Permissions::from_mode(0o755)).expect("a mode");
        self
    }

    /// A program in `bin` that does nothing but write its name and arguments down.
    pub fn stub(&self, name: &str) -> &Self {
        let log = self.path("calls");
        let text = format!(
            "#!/bin/sh\nline=${{0##*/}}\nfor word; do line=\"$line $word\"; done\nprintf '%s\\n' \"$line\" >> '{}'\n",
            log.display()
        );
        self.script(&format!("bin/{name}"), &text)
    }

    /// What stubs were called, a line each.
    pub fn calls(&self) -> String {
        fs::read_to_string(self.path("calls")).unwrap_or_default()
    }

    /// Shims in the world's `shims`, whether or not there is anything behind them.
    pub fn install(&self, names: &[&str]) -> &Self {
        let directory = self.path("shims");
        let mut words = ["shim", "install", "--force", "--dir"].map(OsStr::new).to_vec();
        words.push(directory.as_os_str());
        words.extend(names.iter().map(OsStr::new));
        let found = self.embargo(&words).any_output().run();
        assert_eq!(found.status, 0, "{}{}", found.stdout, found.stderr);
        self
    }

    /// The command line.
    pub fn embargo<S: AsRef<OsStr>>(&self, args: &[S]) -> Test<'_> {
        Test::new(self, EMBARGO.as_ref(), args)
    }

    /// A shim of [`World::install`], with the shims first on PATH.
    pub fn shim<S: AsRef<OsStr>>(&self, name: &str, args: &[S]) -> Test<'_> {
        Test::new(self, self.path("shims").join(name).as_os_str(), args).path(&["shims", "bin"])
    }

    /// Makes everything in the world another user's, who then can also get in.
    pub fn give_to(&self, user: u32) -> &Self {
        fn give(path: &Path, user: u32) {
            std::os::unix::fs::lchown(path, Some(user), Some(user)).expect("a change of owner");
            if path.is_dir() && !path.is_symlink() {
                let entries = fs::read_dir(path).expect("a directory");
                entries.for_each(|entry| give(&entry.expect("an entry").path(), user));
            }
        }
        give(&self.path(""), user);
        self
    }

    /// What shims of this world know, in the project.
    pub fn context(&self) -> Context {
        let record = HomeRecord {
            owner: rustix::process::geteuid().as_raw(),
            config: self.path("home/.config/embargo"),
            state: self.path("home/.local/state/embargo"),
            cache: self.path("home/.cache/embargo"),
            starts: Vec::new(),
            policies: Vec::new(),
            session: None,
        };
        let (record, cwd) = (Some(record), Some(self.path("project")));
        Context { record, cwd, by_variables: None, named: Vec::new(), ..Context::of_caller() }
    }

    /// Name and bytes of a view without rules that claims to be of the sources as they are.
    pub fn forged_view(&self) -> (String, Vec<u8>) {
        // What has just been written is read again at every call.
        std::thread::sleep(std::time::Duration::from_millis(50));
        let context = self.context();
        let found = sources::find(&context, &[]);
        drop(policy_view::get(&context, &found).expect("a good policy"));
        let views = fs::read_dir(self.path("home/.cache/embargo/views")).expect("views");
        let mut names = views.map(|entry| entry.expect("an entry").file_name());
        let name = names.next().expect("a view").into_string().expect("text");
        assert_eq!(names.next(), None, "which of them is it?");
        let contents = policy_view::contents(&context, &found, &[]).expect("a good policy");
        (name, encode(&Contents { policy: Default::default(), ..contents }))
    }

    /// `sh -c`, with the shims first on PATH.
    pub fn shell(&self, text: &str) -> Test<'_> {
        Test::new(self, "/bin/sh".as_ref(), &["-c", text]).path(&["shims", "bin"])
    }
}

/// What is expected of one stream.
enum Expected {
    Exactly(String),
    Containing(Vec<String>),
    Anything,
}

/// One call: as it is set up, silent and with status 0 is expected of it.
#[must_use = "a test that is not run tests nothing"]
pub struct Test<'w> {
    world: &'w World,
    command: Command,
    stdin: Vec<u8>,
    stdout: Expected,
    stderr: Expected,
    status: Option<i32>,
    within: Option<Duration>,
}

/// What came of it, with what differs from run to run replaced.
#[derive(Debug, PartialEq, Eq)]
pub struct Found {
    pub stdout: String,
    pub stderr: String,
    /// 128 + n for signal n.
    pub status: i32,
}

/// A program that a test has just written cannot be run while another test's fork, which has not
/// come to its own program yet, still holds it open for writing.
fn spawned<T>(mut spawn: impl FnMut() -> std::io::Result<T>) -> T {
    loop {
        match spawn() {
            Err(e) if e.kind() == std::io::ErrorKind::ExecutableFileBusy => {
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
            done => return done.expect("a program"),
        }
    }
}

impl<'w> Test<'w> {
    /// In the project, with HOME and PATH (`bin`) and no other variable.
    pub fn new<S: AsRef<OsStr>>(world: &'w World, program: &OsStr, args: &[S]) -> Self {
        let mut command = Command::new(program);
        command.args(args).env_clear().current_dir(world.path("project"));
        command.env("HOME", world.path("home"));
        let silent = || Expected::Exactly(String::new());
        let test = Test {
            world,
            command,
            stdin: Vec::new(),
            stdout: silent(),
            stderr: silent(),
            status: Some(0),
            within: None,
        };
        test.path(&["bin"])
    }

    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    pub fn without(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    /// As another user of a machine whose tests run as root.
    pub fn by_user(mut self, user: u32) -> Self {
        self.command.uid(user).gid(user);
        self
    }

    /// Directories for PATH, below the world or absolute.
    pub fn path(self, directories: &[&str]) -> Self {
        let directories: Vec<OsString> =
            directories.iter().map(|d| self.world.path(d).into_os_string()).collect();
        let path = directories.join(OsStr::new(":"));
        self.env("PATH", path)
    }

    pub fn cwd(mut self, below: &str) -> Self {
        self.command.current_dir(self.world.path(below));
        self
    }

    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = bytes.into();
        self
    }

    pub fn stdout(mut self, text: impl Into<String>) -> Self {
        self.stdout = Expected::Exactly(text.into());
        self
    }

    pub fn stderr(mut self, text: impl Into<String>) -> Self {
        self.stderr = Expected::Exactly(text.into());
        self
    }

    /// All of these occur on standard output.
    pub fn stdout_has(mut self, texts: &[&str]) -> Self {
        self.stdout = Expected::Containing(texts.iter().map(|t| (*t).to_owned()).collect());
        self
    }

    /// All of these occur on standard error.
    pub fn stderr_has(mut self, texts: &[&str]) -> Self {
        self.stderr = Expected::Containing(texts.iter().map(|t| (*t).to_owned()).collect());
        self
    }

    pub fn status(mut self, status: i32) -> Self {
        self.status = Some(status);
        self
    }

    /// After so many seconds it is killed, and all that it started.
    pub fn within(mut self, seconds: u64) -> Self {
        self.command.process_group(0);
        self.within = Some(Duration::from_secs(seconds));
        self
    }

    /// Whatever comes: the caller looks at it.
    pub fn any_output(mut self) -> Self {
        self.stdout = Expected::Anything;
        self.stderr = Expected::Anything;
        self.status = None;
        self
    }

    /// What a refusal by the project's rule on gradle looks like.
    pub fn refused(self) -> Self {
        self.stderr(format!("{REFUSED}[embargo refused e_ID exit 86]\n")).status(86)
    }

    /// Runs, and asserts the status; a failure names the row.
    #[track_caller]
    pub fn run_expecting(mut self, status: i32, row: &str) -> Found {
        self.status = None;
        let found = self.run();
        assert_eq!(found.status, status, "{row}\n{found:#?}");
        found
    }

    /// Runs and asserts.
    #[track_caller]
    pub fn run(mut self) -> Found {
        use std::os::unix::process::ExitStatusExt as _;
        let pipes = self.command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let pipes = pipes.stderr(Stdio::piped());
        let mut child = spawned(|| pipes.spawn());
        let ended = self.within.map(|limit| kill_after(limit, &child));
        let mut stdin = child.stdin.take().expect("a pipe");
        // Who does not read its input may end before it is written.
        let _ = stdin.write_all(&self.stdin);
        drop(stdin);
        let output = child.wait_with_output().expect("an end");
        drop(ended);
        let signal = output.status.signal().map(|n| 128 + n);
        let found = Found {
            stdout: self.world.same(&output.stdout),
            stderr: self.world.same(&output.stderr),
            status: output.status.code().or(signal).expect("a status"),
        };
        let call = &self.command;
        if let Some(status) = self.status {
            assert_eq!(found.status, status, "status of {call:?}\n{found:#?}");
        }
        for (name, expected, text) in
            [("stderr", &self.stderr, &found.stderr), ("stdout", &self.stdout, &found.stdout)]
        {
            match expected {
                Expected::Anything => {}
                Expected::Exactly(wanted) => {
                    assert_eq!(text, wanted, "{name} of {call:?}");
                }
                Expected::Containing(wanted) => {
                    for part in wanted {
                        assert!(text.contains(part), "{name} of {call:?} lacks {part:?}:\n{text}");
                    }
                }
            }
        }
        found
    }
}

/// Kills the child's group, unless what is returned is dropped before.
fn kill_after(limit: Duration, child: &Child) -> Sender<()> {
    let (ended, end) = std::sync::mpsc::channel();
    let group = rustix::process::Pid::from_child(child);
    std::thread::spawn(move || {
        if end.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
            // It may have ended just now.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    });
    ended
}

impl World {
    /// Output without what differs from run to run.
    fn same(&self, bytes: &[u8]) -> String {
        let text = String::from_utf8_lossy(bytes);
        let text = text.replace(&self.path("").display().to_string(), "[W]/");
        let text = regex::Regex::new("e_[0-9A-Z]{26}").expect("a regex").replace_all(&text, "e_ID");
        let runs = regex::Regex::new(r"runs/\d+-\d+(-\d+)?").expect("a regex");
        runs.replace_all(&text, "runs/RUN").into_owned()
    }
}

/// Each suite uses a part of this; what none used would be dead code in it.
const _: fn(&World) = |world| {
    world.policy(NO_GRADLE).script("", "").stub("").write("", "").install(&[]);
    let _ = (world.read(""), world.calls(), REFUSED, EMBARGO);
    let test = world.shell("").env("", "").without("").cwd("").stdin("").path(&[]).any_output();
    let test = test.by_user(0).within(1);
    world.give_to(NOBODY).forged_view();
    let test = test.stdout("").stderr("").stdout_has(&[]).stderr_has(&[]).status(0).refused();
    let found = test.run();
    let _ = world.shell("").run_expecting(0, "");
    let _ = (world.shim("", &[""]), found.stdout, found.stderr, found.status);
};
