//! Evasions by variable, directory and name: every row of `tests/cases/evasions.toml`
//! is run for real, below an `embargo run` and with installed shims.

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

use common::{EMBARGO, Found, NOBODY, Test, World};
use embargo::sys::evidence::{Filter, rows};
use serde::Deserialize;

/// Its last byte is the end of a string.
const GRADLE: &str = "[[embargo]]\nid = \"no-gradle\"\ncommand = \"gradle\"\nreason = \"x\"";

#[derive(Deserialize)]
struct Table {
    case: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    id: String,
    policy_at: String,
    /// In words; `stage` does it.
    #[serde(rename = "setup")]
    _setup: Option<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    #[serde(default)]
    unset: Vec<String>,
    cwd: String,
    argv: Vec<String>,
    expect: String,
    /// Below `embargo run`, where that differs.
    below_run: Option<String>,
    /// In words; `also` asserts it.
    #[serde(rename = "also")]
    _also: Option<String>,
    why: String,
}

/// How the shims came to be first on PATH.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Door {
    /// The caller is the session that `embargo run` recorded.
    Run,
    /// `embargo shim install --dir`, in nobody's session.
    Installed,
}

#[test]
fn every_evasion_gets_what_its_row_says() {
    let table: Table =
        toml::from_str(include_str!("cases/evasions.toml")).expect("the table parses");
    assert!(table.case.len() >= 75, "the table has shrunk to {}", table.case.len());
    let jobs: Vec<(&Row, Door)> = table
        .case
        .iter()
        .flat_map(|row| row.doors().iter().map(move |door| (row, *door)))
        .collect();
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some((row, door)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(why) = Stage::new(row, *door).play() {
                        let text = format!("{} ({door:?}): {why}\n  {}", row.id, row.why);
                        failures.lock().expect("no panic").push(text);
                    }
                }
            });
        }
    });
    let mut failures = failures.into_inner().expect("no panic");
    failures.sort();
    let (failed, all) = (failures.len(), jobs.len());
    assert!(failures.is_empty(), "{failed} of {all} failed:\n\n{}", failures.join("\n\n"));
}

impl Row {
    /// Where the row means something: some need a session, a start directory or no policy at all.
    fn doors(&self) -> &'static [Door] {
        match self.id.as_str() {
            "session-label-fresh-count"
            | "cwd-other-project"
            | "typed-single-command"
            | "typed-underscore-removed"
            | "typed-through-a-script"
            | "underscore-without-script"
            | "underscore-with-script" => &[Door::Run],
            "hop-past-everything" | "directory-option" => &[Door::Installed],
            _ => &[Door::Run, Door::Installed],
        }
    }
}

/// A row, set up.
struct Stage<'r> {
    row: &'r Row,
    door: Door,
    world: World,
    /// Run by the session before the call; the shims are its first on PATH.
    before: String,
    names: Vec<&'static str>,
    user: u32,
    /// Words that run the call, inside the session.
    around: Vec<String>,
    /// Words that run the session on a machine that looks otherwise.
    machine: Vec<String>,
}

impl<'r> Stage<'r> {
    fn new(row: &'r Row, door: Door) -> Self {
        let world = World::new();
        fs::create_dir(world.path("tmp")).expect("a directory");
        world.stub("gradle");
        match row.policy_at.as_str() {
            "user" => world.write("home/.config/embargo/embargo.toml", GRADLE),
            "project" => world.policy(GRADLE),
            "named" => world.write("tmp/named.toml", GRADLE),
            "none" => &world,
            other => panic!("{}: no policy_at {other}", row.id),
        };
        let user = rustix::process::geteuid().as_raw();
        let names = vec!["gradle"];
        let (before, around, machine) = (String::new(), Vec::new(), Vec::new());
        let mut stage = Stage { row, door, world, before, names, user, around, machine };
        stage.set_up();
        stage
    }

    /// What `setup` says.
    fn set_up(&mut self) {
        let world = &self.world;
        let user_file = "home/.config/embargo/embargo.toml";
        let allow = "[[embargo]]\ncommand = \"gradle\"\nverdict = \"allow\"\nreason = \"x\"\n";
        let typed = |name: &str| {
            format!(
                "[[embargo]]\ncommand = \"{name}\"\ncallers = \"typed\"\nreason = \"people do it\"\n"
            )
        };
        match self.row.id.as_str() {
            "xdg-config-with-allow" => {
                world.write("tmp/config/embargo/embargo.toml", allow);
            }
            "xdg-cache-forged-view" => {
                let (name, bytes) = world.forged_view();
                world.write(&format!("tmp/cache/embargo/views/{name}"), bytes);
            }
            "session-label-fresh-count" => {
                // What begins in the tick of the clock in which this ended would be the same offence.
                self.before = "EMBARGO_SESSION=first gradle test 2>/dev/null; sleep 0.03".into();
            }
            "policy-replaced" | "policy-allow-over-user" => {
                world.write("tmp/allow.toml", allow);
            }
            "cwd-deleted" => {
                let gone = "mkdir gone; cd gone; rmdir ../gone; exec \"$@\"";
                self.around = ["bash", "-c", gone, "bash"].map(String::from).into();
            }
            "cwd-symlink" => {
                world.write("project/sub/file", "");
                symlink(world.path("project/sub"), world.path("tmp/link")).expect("a link");
            }
            "cwd-other-project" => {
                world.write("tmp/other/embargo.toml", "");
            }
            "directory-option" => {
                let git = GRADLE.replace("\"gradle\"", "\"git push\"");
                world.policy(&git).stub("git");
                self.names = vec!["git"];
            }
            "nearer-project-allows" => {
                world.write("project/sub/embargo.toml", allow);
            }
            "git-ceiling" => {
                world.write("project/sub/file", "");
            }
            "path-reordered-two-shims" => {
                fs::create_dir(world.path("tmp/shims2")).expect("a directory");
                symlink(EMBARGO, world.path("tmp/shims2/gradle")).expect("a link");
            }
            "symlink-copied" | "symlink-copied-home-moved" => {
                fs::create_dir(world.path("tmp/bin")).expect("a directory");
                symlink(EMBARGO, world.path("tmp/bin/gradle")).expect("a link");
            }
            "symlink-renamed" => {
                let link = world.path("tmp/bin/gradel");
                fs::create_dir(world.path("tmp/bin")).expect("a directory");
                self.before = format!("ln -s \"${{PATH%%:*}}/gradle\" {}", link.display());
            }
            "hardlink-copy" => {
                fs::create_dir(world.path("tmp/bin")).expect("a directory");
                fs::copy(EMBARGO, world.path("tmp/bin/gradle")).expect("a copy");
            }
            "script-inside" => {
                world.write("tmp/x.sh", "echo >/dev/null\ngradle build\n");
            }
            "project-file-broken" => {
                let file = world.path("project/embargo.toml");
                self.before = format!(
                    "gradle build 2>/dev/null; truncate -s -1 {}; rm -f {}",
                    file.display(),
                    world.path("calls").display()
                );
            }
            "project-file-emptied-of-record" => {
                world.policy("[[embargo]]\ncommand = \"npm\"\nreason = \"x\"\n");
                self.before = format!("gradle 2>/dev/null; rm {}/embargo.toml", self.proj());
            }
            "user-file-unreadable" => {
                self.before = format!("chmod 0 {}", world.path(user_file).display());
                if self.user == 0 {
                    self.user = NOBODY;
                }
            }
            "user-file-made-a-directory" => {
                self.before = format!("rm {0}; mkdir {0}", world.path(user_file).display());
            }
            "state-removed" => {
                self.before = format!("rm -r {}", world.path("home/.local/state").display());
            }
            "underscore-without-script" => {
                world.write(user_file, typed("python3")).stub("python3");
                world.write("project/notes.py", "print()\n");
                self.names = vec!["python3"];
            }
            "underscore-with-script" => {
                world.write(user_file, typed("python3")).stub("python3");
                world.script("project/x.py", "#!/usr/bin/env python3\nprint()\n");
                self.names = vec!["python3"];
            }
            "typed-single-command" | "typed-underscore-removed" | "typed-through-a-script" => {
                world.write(user_file, typed("git")).stub("git");
                world.write("tmp/x.sh", "git status\n");
                self.names = vec!["git"];
            }
            "under-by-a-fake-wrapper" => {
                world.write(user_file, format!("{GRADLE}\nunless_under = [\"gradlew\"]\n"));
                world.write("tmp/gradlew", "gradle build\ntrue\n");
            }
            "command-p" => {
                world.write("tmp/usr/placeholder", "");
                fs::copy(world.path("bin/gradle"), world.path("tmp/usr/gradle")).expect("a copy");
                let mount = format!(
                    "mount -t overlay overlay -o lowerdir={}:/usr/bin /usr/bin && exec \"$@\"",
                    world.path("tmp/usr").display()
                );
                self.machine = ["unshare", "-m", "sh", "-c", &mount, "sh"].map(String::from).into();
            }
            "real-program-copied" => {
                fs::copy(world.path("bin/gradle"), world.path("tmp/g")).map(drop).expect("a copy");
            }
            _ => {
                let (id, setup) = (&self.row.id, &self.row._setup);
                let named = self.row.policy_at == "named";
                let known = ["own-loader", "no-argv0"].contains(&id.as_str());
                assert!(setup.is_none() || named || known, "{id}: nobody sets up: {setup:?}");
            }
        }
    }

    fn play(mut self) -> Result<(), String> {
        if !self.machine.is_empty() && !works(&self.machine) {
            eprintln!("skipped {}: no mount namespace with an overlay here", self.row.id);
            return Ok(());
        }
        if self.user == NOBODY {
            self.world.give_to(NOBODY);
        }
        let found = self.call();
        let (row, calls) = (self.row, self.world.calls());
        let told = format!("\n{}\ncalls: {calls:?}", found.stderr);
        if !found.stdout.is_empty() {
            return Err(format!("stdout is {:?}{told}", found.stdout));
        }
        let below_run = row.below_run.as_ref().filter(|_| self.door == Door::Run);
        match below_run.unwrap_or(&row.expect).as_str() {
            "pass" => self.passed(&found, &calls),
            status if found.status.to_string() != status => {
                Err(format!("status {}, not {status}{told}", found.status))
            }
            _ if !calls.is_empty() => Err(format!("a real program ran{told}")),
            _ => self.also(&found).map_err(|why| format!("{why}{told}")),
        }
    }

    fn passed(&self, found: &Found, calls: &str) -> Result<(), String> {
        let expected = match self.row.id.as_str() {
            "symlink-renamed" => (127, ""),
            "hop-past-everything" if found.status == 127 => (127, ""),
            "real-program-copied" => (0, "g build\n"),
            "underscore-with-script" => (0, "python3 ./x.py\n"),
            "typed-underscore-removed" | "typed-through-a-script" => (0, "git status\n"),
            _ => (0, "gradle build\n"),
        };
        match (found.status, calls) == expected {
            true => Ok(()),
            false => Err(format!("status {}, calls {calls:?}: {}", found.status, found.stderr)),
        }
    }

    /// What `also` says.
    fn also(&self, found: &Found) -> Result<(), String> {
        let is = |holds: bool, what: &str| if holds { Ok(()) } else { Err(what.to_owned()) };
        match self.row.id.as_str() {
            "xdg-state" => {
                let rows = rows(&self.world.path("home/.local/state/embargo"), &Filter::default());
                is(rows.is_ok_and(|rows| rows.len() == 1), "not one row in the recorded state")?;
                is(!self.world.path("tmp/state").exists(), "something is in the other state")
            }
            "session-label-fresh-count" => is(found.stderr.contains("this 2 times"), "not counted"),
            "project-file-broken" => {
                is(found.stderr.contains("embargo: embargo.toml:4:"), "the fault has no place")
            }
            _ => Ok(()),
        }
    }

    /// The session runs `before` and then the row's words, which no shell takes apart.
    fn call(&mut self) -> Found {
        let mut words: Vec<String> = std::mem::take(&mut self.machine);
        let named = self.world.path("tmp/named.toml").display().to_string();
        let policy = if self.row.policy_at == "named" { vec!["--policy", &named] } else { vec![] };
        match self.door {
            Door::Run => {
                words.extend([EMBARGO, "run"].map(str::to_owned));
                words.extend(policy.iter().map(|word| (*word).to_owned()));
                words.push("--".into());
            }
            Door::Installed => self.install(&policy),
        }
        words.extend([session().display().to_string(), self.before.clone()]);
        words.extend(std::mem::take(&mut self.around));
        if self.row.argv.is_empty() {
            words.extend(["--without-argv", "{shims}/gradle"].map(|word| self.fill(word)));
        } else {
            words.push("/usr/bin/env".into());
            if self.row.id != "cwd-deleted" {
                words.extend(["-C".into(), self.fill(&self.row.cwd)]);
            }
            words.extend(self.row.unset.iter().flat_map(|name| ["-u".into(), name.clone()]));
            words.extend(self.row.env.iter().map(|(k, v)| format!("{k}={}", self.fill(v))));
            words.extend(self.row.argv.iter().map(|word| self.fill(word)));
        }
        let start = words.remove(0);
        let path = match self.door {
            Door::Run => &["bin", "/usr/bin", "/bin"][..],
            Door::Installed => &["shims", "bin", "/usr/bin", "/bin"],
        };
        let test = Test::new(&self.world, start.as_ref(), &words).path(path);
        test.by_user(self.user).any_output().run()
    }

    fn install(&self, policy: &[&str]) {
        let directory = self.world.path("shims").display().to_string();
        let mut words = vec!["shim", "install", "--dir", &directory];
        words.extend(policy);
        words.extend(&self.names);
        self.world.embargo(&words).by_user(self.user).any_output().run();
        assert!(self.world.path("shims").join(self.names[0]).exists(), "{}", self.row.id);
    }

    fn fill(&self, text: &str) -> String {
        let path = |below: &str| self.world.path(below).display().to_string();
        text.replace("{proj}", &path("project"))
            .replace("{tmp}", &path("tmp"))
            .replace("{real}", &path("bin"))
            .replace("{shims}", "@SHIMS@")
    }

    fn proj(&self) -> String {
        self.world.path("project").display().to_string()
    }
}

fn works(around: &[String]) -> bool {
    let (program, words) = around.split_first().expect("a program");
    let status = Command::new(program).args(words).arg("true").output();
    status.is_ok_and(|output| output.status.success())
}

/// `session.c`, compiled once.
fn session() -> &'static Path {
    static SESSION: OnceLock<PathBuf> = OnceLock::new();
    SESSION.get_or_init(|| {
        let to = Path::new(env!("CARGO_TARGET_TMPDIR")).join("session");
        let beside = to.with_extension(std::process::id().to_string());
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/common/session.c");
        let cc = Command::new("cc").arg("-o").arg(&beside).arg(source).status();
        assert!(cc.expect("a C compiler").success());
        fs::rename(&beside, &to).expect("a program");
        to
    })
}
