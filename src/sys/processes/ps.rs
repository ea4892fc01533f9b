//! Processes by one call of `ps`, where there is no `/proc`. Arguments come joined
//! by spaces: those that hold spaces fall apart, which names of programs survive.

use std::collections::HashMap;

use bstr::BString;

use super::Found;
use crate::policy::Process;

/// What `ps` printed.
pub(super) struct Table(HashMap<u32, Line>);

struct Line {
    parent: u32,
    start: u64,
    words: Vec<String>,
}

impl Table {
    #[cfg(not(target_os = "linux"))]
    pub fn read() -> Self {
        // By its path: a shim of the name `ps` must not be asked.
        let mut command = std::process::Command::new("/bin/ps");
        command.args(["-axo", "pid=,ppid=,lstart=,command="]).env("LC_ALL", "C");
        let output = command.output().map(|output| output.stdout).unwrap_or_default();
        Self::parse(&String::from_utf8_lossy(&output))
    }

    fn parse(text: &str) -> Self {
        Table(text.lines().filter_map(line).collect())
    }

    pub fn find(&self, pid: u32) -> Option<Found> {
        let Line { parent, start, words } = self.0.get(&pid)?;
        let argv: Vec<BString> = words.iter().map(|word| BString::from(word.as_str())).collect();
        let executable = words.first().and_then(|w| w.rsplit('/').next()).unwrap_or_default();
        let process = Process { executable: executable.into(), argv, ..Process::default() };
        Some(Found { parent: *parent, start: *start, process })
    }
}

/// The latest moment at which this process may have begun: `ps` knows only seconds.
#[cfg(not(target_os = "linux"))]
pub fn began_ms() -> u64 {
    crate::sys::clock::now_ms()
}

/// `  123     1 Tue Jan  2 03:04:05 2024 /bin/sh -c x`
fn line(line: &str) -> Option<(u32, Line)> {
    const MONTHS: &str = "JanFebMarAprMayJunJulAugSepOctNovDec";
    let mut fields = line.split_ascii_whitespace();
    let pid = fields.next()?.parse().ok()?;
    let parent = fields.next()?.parse().ok()?;
    let month = MONTHS.find(fields.nth(1)?)? / 3 + 1;
    let day: u64 = fields.next()?.parse().ok()?;
    let time: u64 = fields.next()?.replace(':', "").parse().ok()?;
    let year: u64 = fields.next()?.parse().ok()?;
    let date = (year * 100 + u64::try_from(month).ok()?) * 100 + day;
    let words = fields.map(str::to_owned).collect();
    Some((pid, Line { parent, start: date * 1_000_000 + time, words }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_ps_become_processes() {
        let text = "    1     0 Mon Dec 11 08:00:00 2023 /sbin/launchd\n\
                    \x20 321     1 Tue Jan  2 03:04:05 2024 /bin/sh -c git status\n\
                    no process\n";
        let table = Table::parse(text);
        let shell = table.find(321).expect("the shell is there");
        assert_eq!((shell.parent, shell.start), (1, 20_240_102_030_405));
        assert_eq!(shell.process.executable, "sh");
        assert_eq!(shell.process.argv, ["/bin/sh", "-c", "git", "status"]);
        assert!(table.find(2).is_none());
        assert!(table.find(1).is_some_and(|found| found.start < shell.start));
    }
}
