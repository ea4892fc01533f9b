//! The compiled policy on disk: when it is current, who may have written it, and
//! that no cut, flipped or half-published one changes a verdict.

mod common;

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, lchown};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::time::{Duration, SystemTime};

use bstr::BString;
use common::{NO_GRADLE, NOBODY, Test, World};
use embargo::command;
use embargo::policy::{Ancestry, Layer, Rule};
use embargo::view::{Contents, Identity, Read, View, compile, encode, is_current};
use proptest::prelude::*;
use proptest::sample::Index;

/// A world whose user's file refuses gradle, with shims of gradle and npm.
fn world() -> World {
    let world = World::new();
    world.write("home/.config/embargo/embargo.toml", NO_GRADLE).stub("gradle").stub("npm");
    world.install(&["gradle", "npm"]);
    world
}

/// Of the user's rule: the refusal names its file.
fn gradle(world: &World) -> Test<'_> {
    world.shim("gradle", &["build"]).any_output()
}

fn views(world: &World) -> Vec<String> {
    let Ok(entries) = fs::read_dir(world.path("home/.cache/embargo/views")) else { return vec![] };
    let mut names: Vec<String> =
        entries.map(|e| e.expect("an entry").file_name().into_string().expect("text")).collect();
    names.sort();
    names
}

// ---- freshness

#[test]
fn a_source_is_current_while_its_identity_is() {
    let then = Identity {
        device: 1,
        inode: 2,
        size: 3,
        modified: 4_000_000_005,
        changed: 6_000_000_007,
        rooted: false,
    };
    let rooted = Identity { rooted: true, ..then };
    // What is different now; is a file current that anybody owns, one that is root's?
    let table: [(&str, Identity, bool, bool); 8] = [
        ("nothing", then, true, true),
        ("device", Identity { device: 9, ..then }, false, true),
        ("inode", Identity { inode: 9, ..then }, false, true),
        ("size", Identity { size: 9, ..then }, false, false),
        ("mtime", Identity { modified: 9, ..then }, false, false),
        ("mtime by a nanosecond", Identity { modified: then.modified + 1, ..then }, false, false),
        ("ctime", Identity { changed: 9, ..then }, false, true),
        ("device, inode, ctime", Identity { device: 9, inode: 9, changed: 9, ..then }, false, true),
    ];
    for (what, now, plain, of_root) in table {
        let now_rooted = Identity { rooted: true, ..now };
        assert_eq!(is_current(Some(&then), Some(&now)), plain, "{what}");
        assert_eq!(is_current(Some(&rooted), Some(&now_rooted)), of_root, "{what}, root's");
        assert!(!is_current(Some(&then), Some(&now_rooted)), "{what}, became root's");
        assert!(!is_current(Some(&rooted), Some(&now)), "{what}, was root's");
        assert!(!is_current(None, Some(&now)), "{what}, was not there");
        assert!(!is_current(Some(&now), None), "{what}, is gone");
    }
    assert!(is_current(None, None));
}

/// Whatever it was made from is gone at once, before its times could tell it from another.
#[test]
fn a_view_of_what_was_just_written_does_not_outlive_it() {
    let world = World::new();
    world.policy("extends = [\"./more.toml\"]\n").stub("gradle").install(&["gradle"]);
    for _ in 0..5 {
        world.write("project/more.toml", NO_GRADLE);
        gradle(&world).status(86).run();
        fs::remove_file(world.path("project/more.toml")).expect("it was there");
        let found = gradle(&world).run_expecting(86, "the last good version holds");
        assert!(found.stderr.contains("more.toml"), "{found:?}");
    }
}

#[test]
fn a_file_is_young_while_another_write_could_look_the_same() {
    const SECOND: i128 = 1_000_000_000;
    const MS: i128 = 1_000_000;
    let at =
        |modified, changed, rooted| Identity { modified, changed, rooted, ..Identity::default() };
    let (old, now) = (10 * SECOND + MS, 50 * SECOND + 7 * MS);
    let table: [(&str, Identity, bool); 9] = [
        ("just changed", at(old, now, false), true),
        ("a tick ago", at(old, now - 10 * MS, false), true),
        ("some ticks ago", at(old, now - 30 * MS, false), false),
        ("mtime in the future, ctime old", at(now + SECOND, old, false), false),
        ("ctime in the future", at(old, now + SECOND, false), true),
        ("whole seconds, one ago", at(old, 49 * SECOND, false), true),
        ("whole seconds, three ago", at(old, 47 * SECOND, false), false),
        ("root's, just changed but long unmodified", at(old, now, true), false),
        ("root's, just modified", at(now, old, true), true),
    ];
    for (what, identity, is_young) in table {
        assert_eq!(identity.is_young(now), is_young, "{what}");
    }
}

#[test]
fn a_view_stays_good_in_another_layer_of_an_image() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("skipped: only root owns what is compared by size and mtime alone");
        return;
    }
    for (mode, status) in [(0o755, 0), (0o777, 86)] {
        let world = world();
        fs::set_permissions(world.path("home/.config/embargo"), fs::Permissions::from_mode(mode))
            .expect("a mode");
        plant(&world, |_| {});
        // The same file once more: another inode, another ctime.
        let file = world.path("home/.config/embargo/embargo.toml");
        let modified = file.metadata().expect("there").modified().expect("a time");
        world.write("home/.config/embargo/copy", NO_GRADLE);
        let copy = fs::File::options().write(true).open(world.path("home/.config/embargo/copy"));
        copy.and_then(|copy| copy.set_modified(modified)).expect("a time");
        fs::rename(world.path("home/.config/embargo/copy"), file).expect("a rename");
        gradle(&world).run_expecting(status, &format!("directory of mode {mode:o}"));
    }
}

// ---- trust

/// Puts a view without rules in the place of the true one, then changes what it is asked to.
fn plant(world: &World, change: impl Fn(&mut Vec<u8>)) -> PathBuf {
    // Young files are not believed: a second write may have the same time as the first.
    let past = SystemTime::now() - Duration::from_secs(60);
    for policy in ["home/.config/embargo/embargo.toml", "project/embargo.toml"] {
        if let Ok(file) = fs::File::options().write(true).open(world.path(policy)) {
            file.set_modified(past).expect("a time");
        }
    }
    let (name, mut bytes) = world.forged_view();
    change(&mut bytes);
    let below = format!("home/.cache/embargo/views/{name}");
    world.write(&below, bytes);
    let path = world.path(below);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("a mode");
    path
}

#[test]
fn only_a_view_of_ours_that_nobody_else_can_write_is_read() {
    let chmod = |mode| {
        move |path: &PathBuf| {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("a mode");
        }
    };
    let give = |path: &PathBuf| lchown(path, Some(NOBODY), None).expect("a change of owner");
    type Act = Box<dyn Fn(&PathBuf)>;
    let table: [(&str, Act, i32); 6] = [
        ("ours", Box::new(|_| {}), 0), // it is believed, or the other rows show nothing
        ("ours, for reading by all", Box::new(chmod(0o644)), 0),
        ("written by the group", Box::new(chmod(0o620)), 86),
        ("written by all", Box::new(chmod(0o602)), 86),
        ("another user's", Box::new(give), 86),
        ("empty", Box::new(|path| fs::write(path, "").expect("a file")), 86),
    ];
    for (what, act, status) in table {
        if what == "another user's" && !rustix::process::geteuid().is_root() {
            eprintln!("skipped: only root gives files away");
            continue;
        }
        let world = world();
        act(&plant(&world, |_| {}));
        gradle(&world).run_expecting(status, what);
        if status == 86 {
            gradle(&world).run_expecting(86, &format!("{what}, the call after"));
            assert_eq!(views(&world).len(), 1, "{what}");
        }
    }
}

#[test]
fn a_view_of_another_build_or_of_no_build_is_not_read() {
    type Change = fn(&mut Vec<u8>);
    let table: [(&str, Change); 6] = [
        ("of another build", |bytes| bytes[8] ^= 1),
        ("of another build, at its end", |bytes| bytes[23] ^= 1),
        ("of another form", |bytes| bytes[7] ^= 1),
        ("cut in half", |bytes| bytes.truncate(bytes.len() / 2)),
        ("longer", |bytes| bytes.push(0)),
        ("noise", |bytes| {
            bytes.iter_mut().enumerate().for_each(|(i, b)| *b = ((i * 7919) >> 3) as u8)
        }),
    ];
    for (what, change) in table {
        let world = world();
        plant(&world, change);
        gradle(&world).run_expecting(86, what);
    }
}

#[test]
fn each_list_of_files_has_its_own_view() {
    let world = world();
    let npm = NO_GRADLE.replace("gradle", "npm");
    world.write("other/embargo.toml", &npm).write("third/file", "");
    let npm_in = |cwd: &str| world.shim("npm", &["i"]).cwd(cwd).any_output();
    for _ in 0..2 {
        gradle(&world).run_expecting(86, "the user's rule");
        npm_in("project").run_expecting(0, "no rule here");
        npm_in("other").run_expecting(86, "the project's rule");
        gradle(&world).cwd("other").run_expecting(86, "both files");
        npm_in("third").run_expecting(0, "the list of the first");
    }
    assert_eq!(views(&world).len(), 2);
    // Another user's home is another file, another list and another cache.
    world.write("home2/.config/embargo/embargo.toml", &npm);
    let shims2 = world.path("shims2").display().to_string();
    let install = ["shim", "install", "--dir", &shims2, "gradle", "npm"];
    world.embargo(&install).env("HOME", world.path("home2")).any_output().run();
    let theirs = |name| {
        let shim = world.path("shims2").join(name);
        let test = Test::new(&world, shim.as_os_str(), &["x"]).path(&["shims2", "bin"]);
        test.env("HOME", world.path("home2")).any_output()
    };
    theirs("npm").run_expecting(86, "theirs");
    theirs("gradle").run_expecting(0, "not theirs");
    gradle(&world).run_expecting(86, "ours");
    assert_eq!(views(&world).len(), 2);
}

/// A user's descriptions change what argv means, and so belong to the key as well.
#[test]
fn descriptions_of_another_configuration_do_not_get_into_the_view() {
    let world = World::new();
    world.policy(&NO_GRADLE.replace("\"gradle\"", "\"git push\"")).stub("git").install(&["git"]);
    let odd = "[[command]]\nnames = [\"git\"]\n[command.grammar]\nvalues = [\"push\"]\n";
    for file in [include_str!("../shims/head.toml").replace("\"head\"", "\"git\""), odd.into()] {
        world.write("odd/embargo/shims/git.toml", file);
        let check = ["check", "--argv", "git", "push"];
        world.embargo(&check).env("XDG_CONFIG_HOME", world.path("odd")).any_output().run();
        world.shim("git", &["-C", ".", "push"]).any_output().run_expecting(86, "git -C . push");
    }
}

// ---- damage

/// A view with something in each of its parts.
fn bytes() -> Vec<u8> {
    static BYTES: LazyLock<Vec<u8>> = LazyLock::new(|| encode(&contents()));
    BYTES.clone()
}

fn contents() -> Contents {
    let text = "
        [reserved]
        names = [\"deploy_now\"]
        [[embargo]]
        id = \"no-gradle\"
        command = \"gradle\"
        reason = \"x\"
        [[embargo]]
        command = \"git push\"
        flags = [\"-f|--force\"]
        reason = \"x\"
        [[embargo]]
        pattern = 'DEBUG[0-9]+(?!x)'
        reason = \"x\"
        [[embargo]]
        command = \"npm\"
        contains = \"publish\"
        reason = \"x\"
        unless = [\"--dry-run\"]
    ";
    let read = |path: &str, layer, text: &str| Read {
        path: path.into(),
        layer,
        bytes: Ok(text.as_bytes().to_vec()),
    };
    let sources = [
        read("/u/embargo.toml", Layer::User, text),
        read("/p/embargo.toml", Layer::Project, "[[embargo]]\ncommand = \"rm\"\nreason = \"x\"\n"),
        read("/p/q/embargo.toml", Layer::Project, "[[embargo]]\ncommand = \"mv\n"),
    ];
    compile(&sources, &[], &[], |_| Err("no such file".into())).expect("good enough")
}

const CALLS: [&[&str]; 6] = [
    &["gradle", "build"],
    &["git", "-C", "d", "push", "--force"],
    &["grep", "DEBUG17"],
    &["sudo", "npm", "publish"],
    &["deploy_now"],
    &["python3.12", "-c", "x"],
];

/// What a view says of a call; `None` when it says that it is damaged.
fn said(bytes: &[u8], argv: &[&str]) -> Option<String> {
    let view = View::open(bytes).ok()?;
    let argv: Vec<BString> = argv.iter().map(|word| BString::from(*word)).collect();
    let calls = view.calls(&argv, &Ancestry::default());
    let line = view.calls_of_line(&command::join(&argv), &Ancestry::default());
    let rules = view.candidates(&calls);
    let hits: Vec<&Rule> =
        rules.iter().filter(|rule| calls.iter().any(|call| rule.hits(call))).collect();
    let reserved: Vec<_> = calls.iter().map(|call| view.reserved(&call.words)).collect();
    let grammars = (view.grammar("git"), view.grammar("git push"), view.program(&argv[0]));
    let name = argv[0].to_string();
    let rest = (view.settings(), view.notices(), view.distrust(&name), view.rule_count());
    let free = view.may_speak_of(&argv[0], view.program(&argv[0]).as_ref());
    let said = format!("{line:?} {hits:?} {reserved:?} {grammars:?} {rest:?} {free}");
    // Read in full, and not compared: only freshness and the next compilation need them.
    let _ = (view.sources(), view.texts());
    view.is_whole().then_some(said)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_cut_view_is_a_view(at in any::<Index>()) {
        let bytes = bytes();
        let cut = &bytes[..at.index(bytes.len())];
        prop_assert!(View::open(cut).is_err());
    }

    #[test]
    fn a_flipped_byte_never_changes_what_a_view_says(at in any::<Index>(), flip in 1u8.., call in 0..CALLS.len()) {
        let mut bytes = bytes();
        let at = at.index(bytes.len());
        let before = said(&bytes, CALLS[call]);
        prop_assert!(before.is_some());
        bytes[at] ^= flip;
        let after = said(&bytes, CALLS[call]);
        prop_assert!(after.is_none() || after == before, "byte {at}: {after:?}");
    }
}

#[test]
fn a_flipped_byte_in_the_head_is_seen_when_the_view_is_opened() {
    let bytes = bytes();
    for at in 0..88 {
        for flip in [1, 0x80, 0xff] {
            let mut bytes = bytes.clone();
            bytes[at] ^= flip;
            assert!(View::open(&bytes).is_err(), "byte {at}");
        }
    }
}

// ---- publishing

/// Two policies in turn: the name that is refused, and the one that is not.
fn turn(world: &World, round: usize) -> (&'static str, &'static str) {
    let (refused, free) =
        if round.is_multiple_of(2) { ("npm", "gradle") } else { ("gradle", "npm") };
    let text = NO_GRADLE.replace("gradle", refused).replace("./", "");
    world.write("home/.config/embargo/embargo.toml", text + &"#".repeat(round));
    (refused, free)
}

/// Nothing but views, and what was left half written by those that were killed.
fn only_whole_views(world: &World, what: &str) {
    for name in views(world).iter().filter(|name| !name.contains('.')) {
        let bytes = fs::read(world.path("home/.cache/embargo/views").join(name)).expect("a view");
        assert!(View::open(&bytes).is_ok(), "{what}: {name} is no view");
    }
}

#[test]
fn a_view_that_is_cut_while_it_is_written_is_never_read() {
    let world = world();
    for (round, limit) in [0, 1, 95, 100, 4096, 10_000, 30_000, 60_000].into_iter().enumerate() {
        let (refused, free) = turn(&world, round);
        let what = format!("files of at most {limit} bytes");
        let limited = |name: &str| {
            let shim = world.path("shims").join(name).display().to_string();
            let size = format!("--fsize={limit}");
            Test::new(&world, "prlimit".as_ref(), &["--core=0", &size, &shim, "x"])
                .path(&["shims", "bin", "/usr/bin", "/bin"])
                .any_output()
        };
        limited(refused).run_expecting(86, &what);
        only_whole_views(&world, &what);
        // The stub, too, must not write.
        world.script(&format!("bin/{free}"), "#!/bin/sh\nexit 7\n");
        limited(free).run_expecting(7, &what);
        for _ in 0..2 {
            world.shim(refused, &["x"]).any_output().run_expecting(86, &what);
            world.shim(free, &["x"]).any_output().run_expecting(7, &what);
        }
        world.stub(free);
        only_whole_views(&world, &what);
    }
}

#[test]
fn a_publisher_killed_at_any_moment_leaves_no_wrong_verdict() {
    let world = world();
    let path = std::env::join_paths([world.path("shims"), world.path("bin")]).expect("a PATH");
    for round in 0..50 {
        let (refused, free) = turn(&world, round);
        let mut child = Command::new(world.path("shims").join(refused))
            .env_clear()
            .env("PATH", &path)
            .current_dir(world.path("project"))
            .stderr(Stdio::null())
            .spawn()
            .expect("a shim");
        std::thread::sleep(Duration::from_micros(400 * round as u64));
        child.kill().and_then(|()| child.wait()).expect("an end");
        let what = format!("killed after {} µs", 400 * round);
        only_whole_views(&world, &what);
        world.shim(refused, &["x"]).any_output().run_expecting(86, &what);
        if round % 5 == 0 {
            world.shim(free, &["x"]).any_output().run_expecting(0, &what);
        }
    }
}

#[test]
fn what_killed_publishers_left_is_taken_away_by_the_next() {
    let world = world();
    gradle(&world).run_expecting(86, "first");
    let name = views(&world).remove(0);
    let (old, young) = (format!("{name}.1-1"), format!("{name}.2-2"));
    for (left, age) in [(&old, 600), (&young, 0)] {
        world.write(&format!("home/.cache/embargo/views/{left}"), "half");
        let file = world.path("home/.cache/embargo/views").join(left);
        let file = fs::File::options().write(true).open(file).expect("a file");
        file.set_modified(SystemTime::now() - Duration::from_secs(age)).expect("a time");
    }
    turn(&world, 0);
    world.shim("npm", &["x"]).any_output().run_expecting(86, "published anew");
    assert_eq!(views(&world), [name, young]);
}

/// A file that is written twice within one tick of the clock has the same times.
#[test]
fn a_young_source_is_read_again() {
    let world = world();
    let file = world.path("home/.config/embargo/embargo.toml");
    let one = NO_GRADLE.replace("gradle", "npm");
    let pad = |text: &str| format!("{text}{}", "#".repeat(600 - text.len()));
    let texts = [("gradle", "npm", pad(NO_GRADLE)), ("npm", "gradle", pad(&one))];
    for round in 0..20 {
        let (refused, free, text) = &texts[round % 2];
        fs::write(&file, text).expect("a file");
        let what = format!("round {round}");
        world.shim(refused, &["x"]).any_output().run_expecting(86, &what);
        world.shim(free, &["x"]).any_output().run_expecting(0, &what);
    }
    // With the very same mtime: a file of root's in a directory of root's has no more than that.
    let soon = SystemTime::now();
    for round in 0..20 {
        let (refused, free, text) = &texts[round % 2];
        fs::write(&file, text).expect("a file");
        let opened = fs::File::options().write(true).open(&file).expect("a file");
        opened.set_modified(soon + Duration::from_secs(60)).expect("a time");
        let what = format!("round {round}, the same mtime");
        world.shim(refused, &["x"]).any_output().run_expecting(86, &what);
        world.shim(free, &["x"]).any_output().run_expecting(0, &what);
    }
}
