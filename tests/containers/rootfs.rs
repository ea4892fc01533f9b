//! A root file system of this machine's programs with the libraries they need, and the way in.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The binary under test.
const EMBARGO: &str = env!("CARGO_BIN_EXE_embargo");

/// Programs that the steps and the shells need.
const PROGRAMS: [&str; 13] = [
    "sh", "bash", "env", "cat", "id", "ls", "rm", "mv", "chown", "install", "mkdir", "true",
    "uname",
];

/// As Debian has it: a login shell sets PATH anew and then asks the files of others.
const PROFILE: &str = r#"
if [ "$(id -u)" -eq 0 ]; then
  PATH="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
else
  PATH="/usr/local/bin:/usr/bin:/bin:/usr/local/games:/usr/games"
fi
export PATH
if [ -d /etc/profile.d ]; then
  for i in /etc/profile.d/*.sh; do
    if [ -r $i ]; then
      . $i
    fi
  done
  unset i
fi
"#;

/// Goes in below mounts of its own, as another user.
const ENTER: &str = r#"
root=$1 user=$2; shift 2
mount --rbind /proc "$root/proc" && mount --bind /dev/null "$root/dev/null" || exit 125
exec chroot --userspec="$user:$user" --groups= "$root" "$@"
"#;

/// Where programs of this machine are.
const PLACES: [&str; 4] = ["/usr/bin", "/bin", "/usr/sbin", "/sbin"];

pub struct Rootfs(tempfile::TempDir);

/// What a process in there left.
#[derive(Debug)]
pub struct Answer {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

/// Can this process make mounts and go in? Else it says why the tests are not done.
pub fn can_enter() -> bool {
    if !rustix::process::geteuid().is_root() {
        eprintln!("not checked: a root file system can only be entered by root");
        return false;
    }
    if let Some(missing) = ["chroot", "unshare", "mount", "useradd", "ldd", "bash"]
        .iter()
        .find(|name| program(name).is_none())
    {
        eprintln!("not checked: there is no {missing} here");
        return false;
    }
    let found = Rootfs::new(&[]).enter(0, &[], &["/usr/bin/true"]);
    if found.status != 0 {
        eprintln!("not checked: this machine lets nobody mount: {}", found.stderr);
    }
    found.status == 0
}

/// Does this machine's bash read `/etc/bash.bashrc`, as Debian's does?
pub fn has_bashrc() -> bool {
    let bash = fs::read(program("bash").expect("bash")).expect("bytes");
    bash.windows(16).any(|bytes| bytes == b"/etc/bash.bashrc")
}

fn program(name: &str) -> Option<PathBuf> {
    PLACES.iter().map(|place| Path::new(place).join(name)).find(|file| file.is_file())
}

impl Rootfs {
    pub fn new(more: &[&str]) -> Self {
        let root = tempfile::Builder::new().prefix("embargo-root-").tempdir().expect("a directory");
        let root = Rootfs(root);
        fs::set_permissions(root.path("/"), fs::Permissions::from_mode(0o755)).expect("a mode");
        for directory in [
            "usr/bin",
            "usr/lib",
            "usr/lib64",
            "usr/local/bin",
            "etc/profile.d",
            "etc/embargo",
            "proc",
            "dev",
            "tmp",
            "home",
            "opt",
            "var/mail",
        ] {
            fs::create_dir_all(root.path(directory)).expect("a directory");
        }
        fs::set_permissions(root.path("tmp"), fs::Permissions::from_mode(0o1777)).expect("a mode");
        let links = [
            ("bin", "usr/bin"),
            ("sbin", "usr/bin"),
            ("usr/sbin", "bin"),
            ("lib", "usr/lib"),
            ("lib64", "usr/lib64"),
        ];
        for (link, target) in links {
            symlink(target, root.path(link)).expect("a link");
        }
        root.write("dev/null", "").write("etc/profile", PROFILE).write("etc/bash.bashrc", "");
        root.write("etc/passwd", "root:x:0:0:root:/root:/bin/bash\n")
            .write("etc/group", "root:x:0:\n");
        for name in PROGRAMS.iter().chain(more) {
            let file = program(name).unwrap_or_else(|| panic!("there is no {name} here"));
            root.add(&file, &format!("usr/bin/{name}"));
        }
        root
    }

    pub fn add_embargo(&self) {
        self.add(Path::new(EMBARGO), "usr/local/bin/embargo");
    }

    /// A program and its libraries.
    fn add(&self, file: &Path, place: &str) {
        fs::copy(file, self.path(place)).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        // It fails for a static program, which needs none.
        let found = Command::new("ldd").arg(file).output().expect("ldd");
        let text = String::from_utf8_lossy(&found.stdout);
        let libraries = regex::Regex::new(r"(/\S+) \(0x").expect("a regex");
        for library in libraries.captures_iter(&text).map(|found| found[1].to_owned()) {
            let copy = self.path(&library);
            if !copy.exists() {
                fs::create_dir_all(copy.parent().expect("a parent")).expect("directories");
                fs::copy(&library, copy).unwrap_or_else(|e| panic!("{library}: {e}"));
            }
        }
    }

    /// A program that says that it ran.
    pub fn stub(&self, name: &str) -> &Self {
        self.script(&format!("usr/bin/{name}"), "#!/bin/sh\necho \"${0##*/} ran: $*\"\n")
    }

    pub fn script(&self, place: &str, text: &str) -> &Self {
        self.write(place, text);
        fs::set_permissions(self.path(place), fs::Permissions::from_mode(0o755)).expect("a mode");
        self
    }

    pub fn write(&self, place: &str, text: &str) -> &Self {
        let path = self.path(place);
        fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
        fs::write(&path, text).unwrap_or_else(|e| panic!("{place}: {e}"));
        self
    }

    pub fn read(&self, place: &str) -> String {
        fs::read_to_string(self.path(place)).unwrap_or_else(|e| panic!("{place}: {e}"))
    }

    /// The same for what need not be there.
    pub fn read_or_empty(&self, place: &str) -> String {
        fs::read_to_string(self.path(place)).unwrap_or_default()
    }

    /// Where something in there is out here.
    pub fn path(&self, place: &str) -> PathBuf {
        self.0.path().join(place.trim_start_matches('/'))
    }

    /// Makes a user the owner of a directory and what is in it.
    pub fn give(&self, place: &str, user: u32) {
        let found = Command::new("chown")
            .arg("-R")
            .arg(format!("{user}:{user}"))
            .arg(self.path(place))
            .status();
        assert!(found.expect("chown").success(), "{place}");
    }

    /// The id of a user in there.
    pub fn user(&self, name: &str) -> u32 {
        let passwd = self.read("etc/passwd");
        let line = passwd.lines().find_map(|line| line.strip_prefix(&format!("{name}:")));
        let id = line.and_then(|line| line.split(':').nth(1)).expect("a user");
        id.parse().expect("a number")
    }

    /// Runs a program in there with these variables and no other.
    pub fn enter(&self, user: u32, env: &[(String, String)], words: &[&str]) -> Answer {
        let mut command = Command::new("unshare");
        command.args(["-m", "sh", "-c", ENTER, "sh"]).arg(self.path("/")).arg(user.to_string());
        command.args(["/usr/bin/env", "-i"]);
        command.args(env.iter().map(|(name, value)| format!("{name}={value}"))).args(words);
        command.env_clear().env("PATH", PLACES.join(":")).stdin(Stdio::null());
        let found = command.output().expect("a program");
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let status = found.status.code().unwrap_or(-1);
        Answer { status, stdout: text(found.stdout), stderr: text(found.stderr) }
    }
}
