//! Places that are never sealed: a seal there would stop the machine, or everything (B7).

use bstr::{BString, ByteSlice};

/// Why a path is not sealed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forbidden {
    Root,
    Home,
    System,
}

/// Nothing in these is sealed.
const SYSTEM: [&str; 10] =
    ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/usr", "/dev", "/proc", "/sys", "/System"];
/// These themselves are not.
const SHARED: [&str; 13] = [
    "/boot", "/etc", "/home", "/media", "/mnt", "/nix", "/opt", "/root", "/run", "/srv", "/tmp",
    "/var", "/Users",
];
/// In a system directory, but people's own.
const OWN: [&str; 2] = ["/usr/local/src", "/usr/src"];

/// Is this canonical path such a place?
pub fn forbidden(path: &[u8], homes: &[BString]) -> Option<Forbidden> {
    if path == b"/" {
        return Some(Forbidden::Root);
    }
    if homes.iter().any(|home| is_within(home, path)) {
        return Some(Forbidden::Home);
    }
    let shared = SHARED.iter().any(|dir| is_within(dir.as_bytes(), path));
    let is_own = OWN.iter().any(|dir| is_within(path, dir.as_bytes()) && path != dir.as_bytes());
    let system = SYSTEM.iter().any(|dir| is_within(path, dir.as_bytes())) && !is_own;
    (shared || system).then_some(Forbidden::System)
}

/// Is the path the directory, or below it?
fn is_within(path: &[u8], directory: &[u8]) -> bool {
    let rest = path.strip_prefix(directory.trim_end_with(|c| c == '/'));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_everything_stands_on_is_not_sealed() {
        let homes = [BString::from("/home/u")];
        for (path, wanted) in [
            ("/", Some(Forbidden::Root)),
            ("/home", Some(Forbidden::Home)),
            ("/home/u", Some(Forbidden::Home)),
            ("/home/u/app", None),
            ("/home/user2", None),
            ("/usr/bin/python3", Some(Forbidden::System)),
            ("/usr", Some(Forbidden::System)),
            ("/usr/src/app", None),
            ("/etc", Some(Forbidden::System)),
            ("/etc/app.conf", None),
            ("/var", Some(Forbidden::System)),
            ("/var/lib/data", None),
            ("/dev/sda", Some(Forbidden::System)),
            ("/workspace/dist", None),
        ] {
            assert_eq!(forbidden(path.as_bytes(), &homes), wanted, "{path}");
        }
    }
}
