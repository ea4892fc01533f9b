use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::time::{Duration, Instant};

use super::*;

const NOTICE: Notice<'_> =
    Notice { summary: "-s \0", detail: "d\n$(x)", variables: &[("RULE", "no-gradle")] };

/// A directory with a notifier in it that writes down what it gets, and then sleeps.
fn notifier() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("bell");
    let script = "#!/bin/sh\nout=${0%/*}\n\
        { printf '<%s>' \"$@\"; printf '%s|' \"$EMBARGO_RULE\" \"$EMBARGO_SUMMARY\" \"$PATH\"; \
        readlink /proc/$$/fd/0 /proc/$$/fd/2; cat; } >\"$out/draft\"\n\
        /bin/mv \"$out/draft\" \"$out/told\"\n";
    fs::write(&path, script).expect("written");
    fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).expect("set");
    (dir, path)
}

fn told(dir: &Path) -> String {
    let end = Instant::now() + Duration::from_secs(20);
    loop {
        match fs::read_to_string(dir.join("told")) {
            Ok(text) => return text,
            Err(_) if Instant::now() < end => std::thread::sleep(Duration::from_millis(5)),
            Err(e) => panic!("nobody was told: {e}"),
        }
    }
}

#[test]
fn the_configured_notifier_gets_two_more_words() {
    let (dir, path) = notifier();
    let dirs = [PathBuf::from("relative"), dir.path().to_owned(), "/usr/bin".into(), "/bin".into()];
    let by_name = ["bell".to_owned(), "--loud".to_owned()];
    let by_path = [path.to_str().expect("text").to_owned(), "--loud".to_owned()];
    for argv in [by_name, by_path] {
        assert!(tell(&argv, &dirs, &NOTICE));
        let path = format!("relative:{}:/usr/bin:/bin", dir.path().display());
        let text = told(dir.path());
        let expected = format!("<--loud><-s ?><d\n$(x)>no-gradle|-s ?|{path}|");
        assert!(text.starts_with(&expected), "{text}");
        if cfg!(target_os = "linux") {
            assert_eq!(&text[expected.len()..], "/dev/null\n/dev/null\n");
        }
        fs::remove_file(dir.path().join("told")).expect("removed");
    }
}

#[test]
fn nobody_is_told_by_what_is_no_notifier() {
    let (dir, path) = notifier();
    let dirs = [dir.path().to_owned(), PathBuf::from(".")];
    let us = std::env::current_exe().expect("known");
    symlink(&us, dir.path().join("shim")).expect("made");
    fs::write(dir.path().join("plain"), "").expect("written");
    let relative = format!("./{}", path.display());
    let us = us.to_str().expect("text");
    // Our own program under any name, a file, a directory, nothing, a path of the agent's choice.
    for name in ["shim", us, "plain", "/", "missing", "", &relative, "../bell", "a\0b"] {
        assert!(!tell(&[name.to_owned()], &dirs, &NOTICE), "{name}");
    }
    assert!(!tell(&["bell".to_owned()], &[], &NOTICE));
    std::thread::sleep(Duration::from_millis(50));
    assert!(!dir.path().join("told").exists());
}

#[test]
fn nothing_waits_for_a_notifier() {
    let started = Instant::now();
    let argv = ["/bin/sh", "-c", "exec /bin/sleep 3"].map(str::to_owned);
    assert!(tell(&argv, &["/bin".into()], &NOTICE));
    assert!(started.elapsed() < Duration::from_secs(2));
}

#[test]
fn too_much_text_is_cut() {
    assert_eq!(short(&"ü".repeat(5000)).len(), 4096);
    assert_eq!(short("a\0b"), "a?b");
}
