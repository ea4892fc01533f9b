//! Processes by `/proc`.

use bstr::{BString, ByteSlice};

use super::Found;
use crate::policy::Process;
use crate::sys::clock;

/// `/proc` itself: each process is read when it is asked for.
pub(super) struct Table;

impl Table {
    pub fn read() -> Self {
        Table
    }

    pub fn find(&self, pid: u32) -> Option<Found> {
        let stat = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
        let (parent, start) = parse(&stat)?;
        let cmdline = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let argv = match cmdline.strip_suffix(b"\0").unwrap_or(&cmdline) {
            b"" => Vec::new(),
            words => words.split(|b| *b == 0).map(BString::from).collect(),
        };
        let executable = std::fs::read_link(format!("/proc/{pid}/exe")).ok();
        let executable = executable.and_then(|path| path.file_name().map(Into::into));
        let executable: std::ffi::OsString = executable.unwrap_or_default();
        let executable = executable.as_encoded_bytes();
        // The kernel's note on a file that has been replaced since.
        let executable = executable.strip_suffix(b" (deleted)").unwrap_or(executable);
        let ran = variable(pid, b"_=");
        let executable = executable.into();
        let process = Process { argv, executable, ran, ..Process::default() };
        Some(Found { parent, start, process })
    }
}

/// A variable as the process was given it.
fn variable(pid: u32, prefix: &[u8]) -> Option<BString> {
    let environ = std::fs::read(format!("/proc/{pid}/environ")).ok()?;
    environ.split(|b| *b == 0).find_map(|word| word.strip_prefix(prefix)).map(BString::from)
}

/// The latest moment at which this process may have begun, in milliseconds since 1970.
/// Its start is told in clock ticks, rounded down: taken as it stands, a process that was
/// started right after another had ended would seem to have run beside it.
pub fn began_ms() -> u64 {
    let now = clock::now_ms();
    let stat = std::fs::read("/proc/self/stat").unwrap_or_default();
    let Some((_, start)) = parse(&stat) else { return now };
    let ticks = rustix::param::clock_ticks_per_second().max(1);
    let end_of_tick = (start.saturating_add(1)).saturating_mul(1000) / ticks;
    now.saturating_sub(clock::up_ms().saturating_sub(end_of_tick))
}

/// proc_pid_stat(5): the name may hold anything, so fields count from its last
/// parenthesis; the parent is the 4th, the start the 22nd.
fn parse(stat: &[u8]) -> Option<(u32, u64)> {
    let fields = stat.get(stat.rfind_byte(b')')? + 1..)?;
    let mut fields = fields.to_str().ok()?.split_ascii_whitespace();
    let parent = fields.nth(1)?.parse().ok()?;
    Some((parent, fields.nth(17)?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_name_may_hold_anything() {
        let tail = "S 41 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 987654 9 10";
        for name in ["sh", "a b", ") S 7 (", "x) R 1 1", "\u{fffd}"] {
            let stat = format!("42 ({name}) {tail}\n");
            assert_eq!(super::parse(stat.as_bytes()), Some((41, 987_654)), "{name}");
        }
        assert_eq!(super::parse(b"42 (sh) S 41"), None);
        assert_eq!(super::parse(b""), None);
    }
}
