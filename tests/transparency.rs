//! What the real program receives is what the shim received: a recorder writes down
//! everything, run directly and through the shim, and both are compared byte for byte.

mod common;
#[path = "common/launcher.rs"]
mod launcher;
#[path = "common/programs.rs"]
mod programs;

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use common::World;
use launcher::{Answer, Launcher, launcher};
use programs::{put, recorder};

/// Every name is judged, none of these tests meets the rule by accident.
const POLICY: &str = "\
[[embargo]]
id = \"never\"
command = [\"probe\", \"git\", \"find\", \"xargs\", \"rm\", \"sudo\", \"docker\", \"head\", \"env\"]
contains = \"never-this\"
reason = \"it is never done\"

[[embargo]]
id = \"seldom\"
command = \"probe\"
contains = \"seldom-this\"
reason = \"it is seldom done\"
verdict = \"warn\"
";

const NOBODY: u32 = 65534;

/// Recorders in `bin`, and shims of them.
fn stage(names: &[&str]) -> World {
    let world = World::new();
    world.policy(POLICY);
    for name in names {
        put(&world, recorder(), format!("bin/{name}"));
    }
    if !names.is_empty() {
        world.install(names);
    }
    for below in ["", "home", "project", "bin"] {
        let path = world.path(below);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a mode");
    }
    world
}

fn bytes(path: &Path) -> Vec<u8> {
    path.as_os_str().as_bytes().to_vec()
}

fn variable(name: &str, value: &[u8]) -> Vec<u8> {
    [name.as_bytes(), b"=", value].concat()
}

fn path_of(world: &World, directories: &[&str]) -> Vec<u8> {
    let directories: Vec<Vec<u8>> = directories.iter().map(|d| bytes(&world.path(d))).collect();
    variable("PATH", &directories.join(&b':'))
}

/// HOME and PATH, and variables in no order.
fn environment(world: &World) -> Vec<Vec<u8>> {
    vec![
        b"Z=last first".to_vec(),
        variable("HOME", &bytes(&world.path("home"))),
        path_of(world, &["shims", "bin", "/usr/bin", "/bin"]),
        b"A=".to_vec(),
    ]
}

/// Runs it directly and through the shim; everything must be the same.
#[track_caller]
fn same(world: &World, at: &mut Launcher, row: &str, argv: &[&[u8]], env: &[Vec<u8>]) -> Answer {
    same_of(at, row, &world.path("bin/probe"), &world.path("shims/probe"), argv, env)
}

#[track_caller]
fn same_of(
    at: &mut Launcher,
    row: &str,
    direct: &Path,
    shim: &Path,
    argv: &[&[u8]],
    env: &[Vec<u8>],
) -> Answer {
    let direct = at.run(direct, argv, env);
    let shimmed = at.run(shim, argv, env);
    if direct != shimmed {
        panic!("{row}:\n{}", difference(&direct, &shimmed));
    }
    direct
}

fn difference(direct: &Answer, shimmed: &Answer) -> String {
    let lines = |bytes: &[u8]| -> Vec<String> {
        let line = |l: &[u8]| String::from_utf8_lossy(&l[..l.len().min(300)]).into_owned();
        bytes.split(|b| *b == b'\n').map(line).collect()
    };
    let (before, after) = (lines(&direct.record), lines(&shimmed.record));
    let mut text = format!(
        "status {} → {}\nstdout {:?} → {:?}\nstderr {:?} → {:?}\n",
        direct.status,
        shimmed.status,
        String::from_utf8_lossy(&direct.stdout),
        String::from_utf8_lossy(&shimmed.stdout),
        String::from_utf8_lossy(&direct.stderr),
        String::from_utf8_lossy(&shimmed.stderr),
    );
    let lost = before.iter().filter(|l| !after.contains(l)).map(|l| format!("- {l}\n"));
    let new = after.iter().filter(|l| !before.contains(l)).map(|l| format!("+ {l}\n"));
    text.extend(lost.take(20));
    text.extend(new.take(20));
    text
}

#[track_caller]
fn recorded(row: &str, answer: &Answer) -> String {
    let text = String::from_utf8(answer.record.clone()).expect("the recorder writes text");
    let stderr = String::from_utf8_lossy(&answer.stderr);
    assert!(answer.status == 0 && text.starts_with("argc "), "{row}: {stderr}{text}");
    text
}

/// The rule's refusal, whatever the state of the machine.
#[track_caller]
fn refused(row: &str, answer: &Answer) {
    let stderr = String::from_utf8_lossy(&answer.stderr);
    assert_eq!(answer.status, 86 << 8, "{row}: {stderr}");
    assert!(stderr.starts_with("I must not use `probe`"), "{row}: {stderr}");
    assert!(answer.record.is_empty() && answer.stdout.is_empty(), "{row}");
}

#[test]
fn the_state_of_a_process_arrives_as_it_was() {
    let own = rustix::process::getpriority_process(None).expect("a niceness");
    let nice = format!("nice {}", (own + 7).min(19));
    let world = stage(&["probe"]);
    fs::write(world.path("input"), "a line\nanother\n").expect("written");
    std::os::unix::fs::symlink(world.path("project"), world.path("link")).expect("a link");
    let odd = OsStr::from_bytes(b"odd \xff\n");
    fs::create_dir(world.path(odd)).expect("a directory");
    let path = |below: &str| world.path(below).to_str().expect("text").to_owned();
    let (input, gone) = (path("input"), path("gone"));
    // A name, the state, and what the record must say, so that no state goes unnoticed.
    let rows: Vec<(&str, Vec<&str>, &str)> = vec![
        ("plain", vec![], "argc 3"),
        ("0 closed", vec!["close", "0"], "fd 1 "),
        ("1 closed", vec!["close", "1"], "fd 0 "),
        ("2 closed", vec!["close", "2"], "fd 1 "),
        ("0 and 1 closed", vec!["close", "0", "close", "1"], "fd 2 "),
        ("1 and 2 closed", vec!["close", "1", "close", "2"], "fd 0 "),
        ("all closed", vec!["close", "0", "close", "1", "close", "2"], "fd 200 "),
        ("more descriptors", vec!["open", "3", &input, "open", "63", "/dev/zero"], "fd 63 "),
        ("input at a place", vec!["open", "0", &input, "seek", "0", "7"], " at 7 "),
        ("ignored SIGPIPE", vec!["ignore", "13"], "signal 13 ignored"),
        ("ignored SIGINT", vec!["ignore", "2"], "signal 2 ignored"),
        ("ignored SIGHUP", vec!["ignore", "1"], "signal 1 ignored"),
        ("ignored SIGCHLD", vec!["ignore", "17"], "signal 17 ignored"),
        ("ignored SIGXFSZ", vec!["ignore", "25"], "signal 25 ignored"),
        (
            "blocked signals",
            vec!["block", "15", "block", "13", "block", "40"],
            "signal 40 default b",
        ),
        ("pending signal", vec!["pending", "10"], "signal 10 default blocked pending"),
        ("umask 077", vec!["umask", "077"], "umask 77"),
        ("umask 0777", vec!["umask", "0777"], "umask 777"),
        ("nice", vec!["nice", "7"], &nice),
        ("few descriptors", vec!["limit", "7", "4"], "limit 7 4 4"),
        (
            "no core, little stack",
            vec!["limit", "4", "0", "limit", "3", "1048576"],
            "limit 3 1048576",
        ),
        ("no file may grow", vec!["limit", "1", "0"], "limit 1 0 0"),
        ("session of its own", vec!["session"], "sid self"),
        ("group of its own", vec!["group"], "pgid self"),
        ("terminal", vec!["terminal"], "tty foreground"),
        ("alarm", vec!["alarm", "100"], "alarm set"),
        ("out of memory", vec!["oom", "77"], "77\\x0a"),
        (
            "death signal, slack",
            vec!["death-signal", "10", "slack", "123456"],
            "death signal 10, slack 123456",
        ),
        ("no new privileges", vec!["no-new-privileges"], "NoNewPrivs:\\x091"),
        ("another user", vec!["user", "65534"], "Uid:\\x0965534"),
        ("working directory is gone", vec!["gone", &gone], "cwd error 2"),
        ("FP058 working directory by a link", vec!["in", "../link"], "/project"),
    ];
    for (row, state, says) in rows {
        let mut at = Launcher::new(&world, &state);
        let mut env = environment(&world);
        env.push(variable("PWD", path("link").as_bytes()));
        let text = recorded(row, &same(&world, &mut at, row, &[b"probe", b"a", b"b"], &env));
        assert!(text.contains(says), "{row}: no `{says}` in\n{text}");
    }
    let state = [OsStr::new("in"), world.path(odd).as_os_str()].map(OsStr::to_owned);
    let mut at = Launcher::new(&world, &state);
    let odd = "working directory in no UTF-8";
    let text = recorded(odd, &same(&world, &mut at, odd, &[b"probe"], &environment(&world)));
    assert!(text.contains("/odd \\xff\\x0a\n"), "{text}");
    // All this went through a shim that judges.
    let mut at = Launcher::new::<&str>(&world, &[]);
    let argv: [&[u8]; 2] = [b"probe", b"never-this"];
    refused("never-this", &at.run(&world.path("shims/probe"), &argv, &environment(&world)));
}

#[test]
fn arguments_arrive_as_they_were() {
    let world = stage(&["probe"]);
    let mut at = Launcher::new::<&str>(&world, &[]);
    let env = environment(&world);
    let block = vec![b'x'; 100_000];
    let long: Vec<&[u8]> = std::iter::once(&b"probe"[..]).chain([&*block; 19]).collect();
    let many: Vec<&[u8]> = std::iter::repeat_n(&b"y"[..], 100_000).collect();
    let rows: [(&str, &[&[u8]]); 12] = [
        ("another argv[0]", &[b"other", b"a"]),
        ("a login's argv[0]", &[b"-probe"]),
        ("embargo's name", &[b"embargo", b"--help"]),
        ("a path", &[b"/no/such/probe", b"a"]),
        ("bytes in argv[0]", &[b"\xff\n\x01", b"a"]),
        ("empty argv[0]", &[b"", b"a"]),
        ("no argv[0]", &[]),
        ("empty arguments", &[b"probe", b"", b"a", b"", b""]),
        ("CR001 CR003 no UTF-8", &[b"probe", b"\xff", b"--model=\xff\xfe", b"-\xc3"]),
        ("line feeds and quotes", &[b"probe", b"\n", b"'\"", b"$(x)", b"`x`", b"--", b"-"]),
        ("1.9 MB", &long),
        ("100,000 arguments", &many),
    ];
    for (row, argv) in rows {
        let text = recorded(row, &same(&world, &mut at, row, argv, &env));
        let count = argv.len().max(1); // Linux makes one, empty, of none.
        assert!(text.starts_with(&format!("argc {count}\n")), "{row}");
    }
    let (row, too_long) = ("one of 200 kB", vec![b'x'; 200_000]);
    let answer = same(&world, &mut at, row, &[b"probe", &too_long], &env);
    let stderr = String::from_utf8_lossy(&answer.stderr);
    assert_eq!(stderr, "launcher: execve: Argument list too long\n");
}

#[test]
fn the_environment_arrives_as_it_was() {
    let world = stage(&["probe"]);
    let mut at = Launcher::new::<&str>(&world, &[]);
    let path = path_of(&world, &["shims", "bin"]);
    let home = variable("HOME", &bytes(&world.path("home")));
    let foreign = variable("EMBARGO_HOP", b"1:/bin");
    let words = |words: &[&[u8]]| words.iter().map(|w| w.to_vec()).collect::<Vec<_>>();
    let huge = (0..10_000).map(|i| variable(&format!("V{i}"), &[b'v'; 120])).chain([path.clone()]);
    let rows: Vec<(&str, Vec<Vec<u8>>)> = vec![
        ("no HOME", words(&[b"B=1", &path, b"A=2"])),
        ("empty HOME", words(&[b"HOME=", &path])),
        ("the same twice", words(&[b"A=1", &path, b"A=2", &home, b"HOME=/nowhere", b"A=1"])),
        ("no variables", words(&[b"", b"word", &path, b"=x", b"==", b"A"])),
        ("no UTF-8", words(&[b"\xff=\xfe", &path, b"A=\xc3\n", &home])),
        ("ours", words(&[b"EMBARGO_FORMAT=json", &path, b"EMBARGO_SESSION=s", &foreign])),
        (
            "loader and locale",
            words(&[b"LC_ALL=xx", b"GLIBC_TUNABLES=x", &path, b"MALLOC_CHECK_=3"]),
        ),
        ("huge", huge.collect()),
    ];
    for (row, env) in rows {
        let text = recorded(row, &same(&world, &mut at, row, &[b"probe"], &env));
        let count = text.lines().filter(|line| line.starts_with("env[")).count();
        assert_eq!(count, env.len(), "{row}");
    }
}

#[test]
fn a_path_that_is_empty_or_missing_is_searched_as_shells_do() {
    let world = stage(&["probe"]);
    world.install(&["env"]);
    let shim = world.path("shims/env");
    // `env` prints its environment: the real one is where a missing PATH leads.
    let mut at = Launcher::new::<&str>(&world, &[]);
    for (row, env) in [
        ("nothing at all", vec![]),
        ("no PATH", vec![variable("HOME", &bytes(&world.path("home"))), b"A=1".to_vec()]),
    ] {
        let found = same_of(&mut at, row, Path::new("/usr/bin/env"), &shim, &[b"env"], &env);
        assert_eq!(found.status, 0, "{row}");
        assert_eq!(found.stdout.iter().filter(|b| **b == b'\n').count(), env.len(), "{row}");
    }
    let mut at = Launcher::new(&world, &["in", "../bin"]);
    let shims = bytes(&world.path("shims"));
    for (row, path) in [
        ("empty", Vec::new()),
        ("PT020 an empty part in front", b":/usr/bin".to_vec()),
        ("an empty part after ours", [&shims[..], b"::/usr/bin"].concat()),
        ("an empty part at the end", [&shims[..], b":/usr/bin:"].concat()),
        ("a dot", [&shims[..], b":."].concat()),
    ] {
        let env = [variable("PATH", &path)];
        recorded(row, &same(&world, &mut at, row, &[b"probe"], &env));
    }
}

/// As many random words as it takes; the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("64 bits") % n
    }

    fn word(&mut self) -> Vec<u8> {
        const TELLING: [&[u8]; 20] = [
            b"--",
            b"-",
            b"-C",
            b"-c",
            b"-exec",
            b";",
            b"{}",
            b"+",
            b"push",
            b"--force",
            b"A=1",
            b"-uf",
            b"--git-dir=x",
            b"run",
            b"-S",
            b"--split-string=a 'b",
            b"-I",
            b"$(x)",
            b"-\xff",
            b"*",
        ];
        if self.below(3) == 0 {
            return TELLING[self.below(TELLING.len())].to_vec();
        }
        let length = self.below(40);
        (0..length).map(|_| u8::try_from(1 + self.below(255)).expect("a byte")).collect()
    }
}

#[test]
fn a_thousand_random_argument_lists_arrive_as_they_were() {
    let names = ["probe", "git", "find", "xargs", "rm", "sudo", "docker", "head", "env"];
    let world = stage(&names);
    let mut at = Launcher::new::<&str>(&world, &[]);
    let env = environment(&world);
    let mut random = Random(2);
    for turn in 0..1000 {
        let name = names[turn % names.len()];
        let count = random.below(10);
        let mut argv: Vec<Vec<u8>> = (0..count).map(|_| random.word()).collect();
        let first = if random.below(4) == 0 { random.word() } else { name.into() };
        argv.insert(0, first);
        let argv: Vec<&[u8]> = argv.iter().map(Vec::as_slice).collect();
        let (direct, shim) = (world.path("bin").join(name), world.path("shims").join(name));
        let row = format!("turn {turn}, {name}, {argv:?}");
        let answer = same_of(&mut at, &row, &direct, &shim, &argv, &env);
        assert!(answer.record.starts_with(b"argc "), "{row}");
    }
}

#[test]
fn every_end_is_the_real_programs_own() {
    let world = stage(&["probe"]);
    let mut at = Launcher::new(&world, &["limit", "4", "0"]);
    let env = environment(&world);
    for code in 0..=255 {
        let row = format!("exit {code}");
        let word = code.to_string();
        let answer = same(&world, &mut at, &row, &[b"probe", b"@exit", word.as_bytes()], &env);
        assert_eq!(answer.status, code << 8, "{row}");
    }
    let mut deaths = 0;
    let mut stops = 0;
    for signal in 1..=31 {
        let row = format!("signal {signal}");
        let word = signal.to_string();
        let answer = same(&world, &mut at, &row, &[b"probe", b"@die", word.as_bytes()], &env);
        deaths += u32::from(answer.status & 0x7f == signal);
        stops += u32::from(answer.status & 0xff == 0x7f);
    }
    // CHLD, CONT, URG and WINCH do nothing, nor does what whoever runs the tests ignores (nohup
    // HUP, a shell's background INT and QUIT). PIPE is set back by the standard library.
    let status = std::fs::read_to_string("/proc/self/status").expect("a status");
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).expect("SigIgn");
    let ignored = u64::from_str_radix(line.trim(), 16).expect("a mask");
    let (nothing, stopping, pipe) = ([17, 18, 23, 28], [19, 20, 21, 22], 13);
    let acts = |signal: &u32| *signal == pipe || ignored >> (*signal - 1) & 1 == 0;
    let deadly = (1..=31).filter(|s| !nothing.contains(s) && !stopping.contains(s));
    assert_eq!(deaths as usize, deadly.filter(acts).count());
    // STOP alone stops in an orphaned process group (setpgid(2)), as without a terminal.
    let all = stopping.iter().filter(|s| acts(s)).count();
    assert!([1, all].contains(&(stops as usize)), "{stops} of {all}");
}

#[test]
fn a_hundred_megabytes_pass_unchanged() {
    let world = stage(&["probe"]);
    let mut command = Command::new(launcher());
    command.args(["@pump", "100000000"]).arg(world.path("shims/probe")).arg("@cat");
    let path = std::env::join_paths([world.path("shims"), world.path("bin")]).expect("a PATH");
    let output = command.env_clear().env("PATH", path).output().expect("an end");
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(text, "100007936 bytes, status 0\n", "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn two_hundred_at_once_and_the_first_of_them_with_no_view_yet() {
    let world = stage(&["probe"]);
    let path = std::env::join_paths([world.path("shims"), world.path("bin")]).expect("a PATH");
    let start = |i: u32| {
        let mut command = Command::new(world.path("shims/probe"));
        command.arg(i.to_string()).env_clear().env("PATH", &path);
        command.current_dir(world.path("project"));
        let pipes = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        pipes.spawn().expect("a start")
    };
    let mut left = 0;
    for together in [20, 200] {
        let children: Vec<_> = (0..together).map(start).collect();
        for (i, child) in children.into_iter().enumerate() {
            let output = child.wait_with_output().expect("an end");
            assert!(output.status.success() && output.stderr.is_empty(), "{i}: {output:?}");
            let text = String::from_utf8_lossy(&output.stdout);
            assert!(text.contains(&format!("argv[1]={i}\n")), "{i}: {text}");
        }
        left = fs::read_dir(world.path("home/.cache/embargo/views")).expect("views").count();
    }
    assert_eq!(left, 1, "one view, and nothing half written");
}

/// Warm or cold, a state that cannot be written changes neither verdict nor program.
#[track_caller]
fn unmoved(row: &str, world: &World, state: &[String]) {
    let mut at = Launcher::new(world, state);
    let env = environment(world);
    let shim = world.path("shims/probe");
    for turn in ["first", "second"] {
        let row = format!("{row}, {turn}");
        recorded(&row, &same(world, &mut at, &row, &[b"probe"], &env));
        refused(&row, &at.run(&shim, &[b"probe", b"never-this"], &env));
        let warned = at.run(&shim, &[b"probe", b"seldom-this"], &env);
        recorded(&row, &warned);
        assert!(!warned.stderr.is_empty(), "{row}");
    }
}

#[test]
fn what_cannot_be_written_changes_nothing() {
    let words = |words: &[&str]| words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>();
    let world = stage(&["probe"]);
    unmoved("no file may grow", &world, &words(&["limit", "1", "0"]));

    let world = stage(&["probe"]);
    let state = world.path("home/.local/state/embargo").display().to_string();
    let cache = world.path("home/.cache/embargo").display().to_string();
    fs::create_dir_all(&cache).expect("a cache");
    unmoved("full disk", &world, &words(&["full", &state, "full", &cache]));

    let world = stage(&["probe"]);
    let denied = world.path("home/.local/state/embargo/x").display().to_string();
    let nobody = NOBODY.to_string();
    unmoved("somebody else's state", &world, &words(&["user", &nobody, "denied", &denied]));

    // The owner's own, installed by the owner, and then read-only.
    let world = stage(&[]);
    put(&world, recorder(), "bin/probe");
    let private = PathBuf::from(env!("CARGO_BIN_EXE_embargo"));
    let binary = put(&world, &private, "embargo/embargo");
    std::os::unix::fs::chown(world.path("home"), Some(NOBODY), Some(NOBODY)).expect("an owner");
    fs::create_dir(world.path("shims")).expect("shims");
    std::os::unix::fs::chown(world.path("shims"), Some(NOBODY), Some(NOBODY)).expect("an owner");
    let mut at = Launcher::new(&world, &["user", &nobody]);
    let shims = bytes(&world.path("shims"));
    let argv: [&[u8]; 6] = [b"embargo", b"shim", b"install", b"--dir", &shims, b"probe"];
    let installed = at.run(&binary, &argv, &environment(&world));
    assert_eq!(installed.status, 0, "{}", String::from_utf8_lossy(&installed.stderr));
    let (state, cache) = (world.path("home/.local/state/embargo"), world.path("home/.cache"));
    fs::create_dir_all(cache.join("embargo")).expect("a cache");
    for directory in [&state, &cache, &cache.join("embargo")] {
        std::os::unix::fs::chown(directory, Some(NOBODY), Some(NOBODY)).expect("an owner");
        fs::set_permissions(directory, fs::Permissions::from_mode(0o555)).expect("a mode");
    }
    let denied = |below: &Path| below.join("x").display().to_string();
    let (in_state, in_cache) = (denied(&state), denied(&cache.join("embargo")));
    let state = words(&["user", &nobody, "denied", &in_state, "denied", &in_cache]);
    unmoved("read-only", &world, &state);
}

#[test]
fn names_and_directories_need_not_be_text() {
    let world = stage(&[]);
    let name = OsStr::from_bytes(b"pr\xff obe");
    let directory = OsStr::from_bytes(b"b\xfe in");
    let shims = world.path(OsStr::from_bytes(b"sh\xfd ims"));
    let direct = put(&world, recorder(), Path::new(directory).join(name));
    let words = ["shim", "install", "--force", "--dir"].map(OsStr::new);
    let words = [&words[..], &[shims.as_os_str(), name]].concat();
    world.embargo(&words).path(&[]).any_output().run();
    let shim = shims.join(name);
    assert!(shim.is_symlink(), "the shim is there");
    let path = [bytes(&shims), bytes(&world.path(directory))].join(&b':');
    let mut at = Launcher::new::<&str>(&world, &[]);
    let row = "CR004 names that are no UTF-8";
    let argv: [&[u8]; 3] = [name.as_bytes(), b"\xff", b"--x=\xfe"];
    let env = [variable("PATH", &path), b"A=\xff".to_vec()];
    recorded(row, &same_of(&mut at, row, &direct, &shim, &argv, &env));
}

#[test]
fn programs_are_found_as_shells_find_them() {
    let world = stage(&[]);
    world.write("bin/plain", "echo plain >&2\n");
    world.script("bin/script", "echo \"$0\" \"$@\"; exit 7\n");
    world.script("bin/empty", "");
    world.script("bin/lost", "#!/no/such/interpreter\n");
    world.stub("tool");
    fs::create_dir_all(world.path("first/tool")).expect("a directory");
    world.write("first/both", "not executable\n").stub("both");
    fs::create_dir(world.path("bin/directory")).expect("a directory");
    world.install(&["plain", "script", "empty", "lost", "tool", "both", "directory", "nothing"]);

    let shim = |name: &str| world.shim(name, &["a", "b c"]).path(&["shims", "first", "bin"]);
    shim("tool").run();
    shim("both").run();
    assert_eq!(world.calls(), "tool a b c\nboth a b c\n");
    // A script without `#!` is run by sh, with its path as `$0`.
    shim("script").stdout("[W]/bin/script a b c\n").status(7).run();
    let direct = world.shell("script a 'b c'").path(&["bin"]).any_output().run();
    assert_eq!(world.shell("script a 'b c'").any_output().run(), direct);
    shim("empty").run();
    shim("plain").stderr("embargo: plain: Permission denied\n").status(126).run();
    shim("nothing").stderr("embargo: nothing: command not found\n").status(127).run();
    shim("directory").stderr("embargo: directory: command not found\n").status(127).run();
    shim("lost").stderr("embargo: [W]/bin/lost: No such file or directory\n").status(126).run();
}

/// Words that fill what the kernel takes, all but a tail.
fn nearly_all(tail: usize) -> Vec<Vec<u8>> {
    let mut argv = vec![b"tool".to_vec()];
    argv.extend(std::iter::repeat_n(vec![b'x'; 100_000], 20));
    argv.extend([vec![b'y'; tail / 2], vec![b'z'; tail - tail / 2]]);
    argv
}

#[test]
fn what_only_just_fits_arrives_and_what_no_longer_fits_is_said() {
    let world = stage(&[]);
    put(&world, recorder(), "bin/other");
    world.script("bin/tool", "#!/bin/sh\nexit 3\n").install(&["tool", "other"]);
    let mut at = Launcher::new(&world, &["limit", "3", "8388608"]);
    let env = environment(&world);
    let mut try_tail = |program: &str, tail: usize| {
        let argv = nearly_all(tail);
        let argv: Vec<&[u8]> = argv.iter().map(Vec::as_slice).collect();
        at.run(&world.path(program), &argv, &env)
    };
    // The longest that the kernel takes for the shim itself.
    let (mut fits, mut too_long) = (0, 200_000);
    while too_long - fits > 1 {
        let tail = usize::midpoint(fits, too_long);
        match try_tail("shims/other", tail).status {
            0 => fits = tail,
            status if status == 251 << 8 => too_long = tail,
            status => panic!("status {status} with {tail}"),
        }
    }
    assert!(fits > 0, "nothing of this size fits");
    assert_eq!(try_tail("bin/other", fits), try_tail("shims/other", fits));
    // A script may come back to us: one variable is added, and that does not fit any more.
    let answer = try_tail("shims/tool", fits);
    let stderr = String::from_utf8_lossy(&answer.stderr);
    assert!(stderr.ends_with("/bin/tool: Argument list too long\n"), "{stderr}");
    assert_eq!(answer.status, 126 << 8);
}

/// Where the tests' own PATH has a program.
fn installed(name: &str) -> PathBuf {
    let path = std::env::var_os("PATH").expect("a PATH");
    let found = std::env::split_paths(&path).map(|dir| dir.join(name)).find(|file| file.is_file());
    found.unwrap_or_else(|| panic!("{name} is needed for these tests"))
}

#[test]
fn a_virtual_environments_python_stays_that() {
    let world = World::new();
    let ask = Command::new(installed("python3"))
        .args(["-c", "import sys; print(sys.executable)"])
        .output();
    let real = String::from_utf8(ask.expect("python").stdout).expect("a path");
    let venv = world.path("venv");
    let made = Command::new(real.trim()).args(["-m", "venv", "--without-pip"]).arg(&venv).status();
    assert!(made.expect("python").success());
    world.install(&["python", "python3"]);
    let text = "import sys, os; print(sys.prefix, sys.executable, sys.argv, dict(os.environ))";
    for name in ["python", "python3"] {
        let called = |path: &[&str]| {
            let line = format!("exec {name} -c '{text}' a b");
            world.shell(&line).path(path).env("LC_CTYPE", "C.UTF-8").any_output().run()
        };
        let direct = called(&["venv/bin", "bin"]);
        assert!(direct.stdout.starts_with("[W]/venv [W]/venv/bin/python"), "{direct:?}");
        let shimmed = called(&["shims", "venv/bin", "bin"]);
        assert_eq!(shimmed.stdout.replace("[W]/shims:", ""), direct.stdout, "{name}");
        assert_eq!((shimmed.stderr, shimmed.status), (String::new(), 0), "{name}");
    }
}

#[test]
fn gcc_finds_its_own_parts() {
    let world = World::new();
    world.write(
        "project/hello.c",
        "#include <stdio.h>\nint main(void) { return puts(\"hello\") < 0; }\n",
    );
    for name in ["gcc", "cc", "c++", "cpp", "clang"] {
        let path = std::env::var_os("PATH").expect("a PATH");
        if !std::env::split_paths(&path).any(|dir| dir.join(name).is_file()) {
            assert_ne!(name, "gcc", "gcc is needed for these tests");
            println!("not tested, because it is not installed: {name}");
            continue;
        }
        world.install(&[name]);
        let called = |line: &str, path: &[&str]| world.shell(line).path(path).any_output().run();
        let usual = ["/usr/local/bin", "/usr/bin", "/bin"];
        let behind = ["shims", "/usr/local/bin", "/usr/bin", "/bin"];
        for line in
            ["-print-search-dirs", "-print-prog-name=cc1", "-v -E hello.c", "no-such-file.c"]
        {
            let line = format!("{name} {line}");
            let [direct, shimmed] = [&usual[..], &behind].map(|path| called(&line, path));
            // `-v` may show how it was called.
            let argv0 = |text: &str| text.replace("COLLECT_GCC=/usr/bin/", "COLLECT_GCC=");
            assert_eq!(argv0(&shimmed.stderr), argv0(&direct.stderr), "{line}");
            assert_eq!((shimmed.stdout, shimmed.status), (direct.stdout, direct.status), "{line}");
        }
    }
    let compile = |path: &[&str]| {
        world.shell("gcc -O1 hello.c -o hello").path(path).run();
        fs::read(world.path("project/hello")).expect("a program")
    };
    let direct = compile(&["/usr/bin", "/bin"]);
    assert_eq!(compile(&["shims", "/usr/bin", "/bin"]), direct);
    world.shell("./hello").stdout("hello\n").run();
}

#[test]
fn git_works_with_aliases_and_hooks() {
    let world = World::new();
    world.install(&["git"]);
    world.write("home/.gitconfig", "[user]\nname = a\nemail = a@b\n[alias]\nfiles = !git ls-files | sort\nshort = log --oneline --format=%s\n");
    world.script("hook", "#!/bin/sh\ngit rev-parse --show-toplevel > hook-ran\n");
    let directory = installed("git");
    let directory = directory.parent().expect("a directory").to_str().expect("text");
    let called = |line: &str, path: &[&str]| {
        world.shell(line).path(path).env("GIT_CONFIG_NOSYSTEM", "1").any_output().run()
    };
    let usual = [directory, "/usr/bin", "/bin"];
    let behind = ["shims", directory, "/usr/bin", "/bin"];
    for line in ["git --exec-path", "git --version", "git no-such-verb", "git -C /nowhere status"] {
        assert_eq!(called(line, &behind), called(line, &usual), "{line}");
    }
    let script = "git init -q . && cp ../hook .git/hooks/pre-commit && echo x > a && echo y > b \
        && git add . && git commit -qm first && git files && git short && cat hook-ran";
    let found = called(script, &behind);
    assert_eq!(found.stdout, "a\nb\nfirst\n[W]/project\n", "{found:?}");
    assert_eq!((found.stderr, found.status), (String::new(), 0));
}
