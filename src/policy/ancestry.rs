//! Who called: the processes above a call, and whether the agent's own shell
//! typed it (A15).

use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice};

use super::interpreter::{Operand, Options};

/// The processes above a call, nearest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ancestry {
    /// Empty means unknown, and unknown means typed and below nothing. Shared: a shell's text
    /// may hold thousands of calls, and each has that text above it.
    pub processes: Vec<Arc<Process>>,
    /// What the shell says it ran (the variable `_`), where it says so.
    pub script: Option<BString>,
    /// The call's first operand is an executable script whose `#!` line names the call's program.
    pub by_shebang: bool,
}

/// One ancestor.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Process {
    pub argv: Vec<BString>,
    /// Basename of its executable, where it may be read.
    pub executable: BString,
    /// The variable `_` that it was given, where it may be read.
    pub ran: Option<BString>,
    /// The process that the home record names as the session's.
    pub is_session: bool,
    /// No process yet: a call whose own arguments are the command below it.
    pub is_wrapping: bool,
}

/// How a process runs commands for somebody else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    /// A shell that runs what was typed: `-c`, interactive, or standard input.
    Shell,
    /// A shell that runs a script.
    Script,
    /// A program whose arguments are another command.
    Wrapper,
    /// A harness of agents.
    Harness,
    Program,
}

const SHELLS: [&str; 9] = ["sh", "bash", "dash", "zsh", "fish", "ksh", "mksh", "ash", "tcsh"];

/// Programs that are many, told apart by their name or their first argument.
const MULTICALL: [&str; 2] = ["busybox", "toybox"];

const WRAPPERS: [&str; 28] = [
    "sudo", "doas", "env", "timeout", "nice", "ionice", "nohup", "setsid", "stdbuf", "time",
    "xargs", "find", "command", "chroot", "unshare", "nsenter", "flock", "chrt", "taskset",
    "prlimit", "setpriv", "setarch", "runuser", "numactl", "strace", "ltrace", "watch", "parallel",
];

const HARNESSES: [&str; 16] = [
    "claude",
    "codex",
    "copilot",
    "cursor-agent",
    "cursor",
    "gemini",
    "opencode",
    "qwen",
    "droid",
    "windsurf",
    "goose",
    "kiro",
    "auggie",
    "agy",
    "grok",
    "amp",
];

/// Programs that run what files of a project say: never an agent.
const RUNNERS: [&str; 23] = [
    "make",
    "gmake",
    "ninja",
    "cmake",
    "ctest",
    "cargo",
    "just",
    "task",
    "rake",
    "bundle",
    "npm",
    "npx",
    "pnpm",
    "yarn",
    "tox",
    "nox",
    "pre-commit",
    "gradle",
    "mvn",
    "go",
    "dotnet",
    "git",
    "docker",
];

impl Ancestry {
    /// Is `name` the basename of an ancestor's executable, its argv\[0\], its script
    /// operand, or of an `…appname=NAME` word?
    pub fn has(&self, name: &str) -> bool {
        self.processes.iter().any(|process| process.is(name))
    }

    /// Did the agent's own shell run this argv?
    ///
    /// What only passes commands on is skipped. Bash and zsh become the last
    /// command of `-c` text, and then only the variable `_` tells that a shell was
    /// there. A shell that runs typed text is the agent's own unless the program
    /// that started it was itself started from another shell: then it is that
    /// program's (make, npm).
    pub fn is_typed(&self, argv: &[BString]) -> bool {
        if self.is_shebang(argv) {
            return false;
        }
        let callers: Vec<Caller> = self.processes.iter().map(|process| process.caller()).collect();
        let wrappers = callers.iter().take_while(|c| **c == Caller::Wrapper).count();
        match callers.get(wrappers) {
            None => return true,
            // An interactive one, or one that is fed lines: whatever stands above, even a script
            // that has started the terminal.
            Some(Caller::Shell) if !self.processes[wrappers].has_command_text() => return true,
            Some(Caller::Shell) => {}
            Some(Caller::Script) => return false,
            Some(_) if !self.shell_ran(argv, wrappers) => return false,
            Some(_) => {}
        }
        let ends = |i: &usize| self.processes[*i].is_session || callers[*i] == Caller::Harness;
        let mut above = wrappers..callers.len();
        let passes_on = |i: &usize| matches!(callers[*i], Caller::Wrapper | Caller::Shell);
        let Some(owner) = above.find(|i| ends(i) || !passes_on(i)) else { return true };
        if self.processes[owner].is_runner() {
            return false;
        }
        // What a known harness's shell has started is a program, and no harness.
        let end = above.clone().find(ends);
        if !ends(&owner)
            && end.is_some_and(|end| {
                callers[end] == Caller::Harness && callers[owner + 1..end].contains(&Caller::Shell)
            })
        {
            return false;
        }
        let is_the_agents = |i: usize| match callers[i] {
            Caller::Script => false,
            Caller::Shell => !self.processes[i].has_command_text(),
            _ => self.processes.get(i + 1).is_none_or(|p| !self.processes[i].was_a_shell(p)),
        };
        ends(&owner) || is_the_agents(owner) && above.take_while(|i| !ends(i)).all(is_the_agents)
    }

    /// Does `_` say that a shell ran this program, or a wrapper that leads to it?
    /// A program that calls another of its own name hands its own `_` on.
    fn shell_ran(&self, argv: &[BString], wrappers: usize) -> bool {
        let Some(script) = &self.script else { return false };
        let (wrappers, near) = (&self.processes[..wrappers], &self.processes[wrappers]);
        let ran = basename(script);
        let called = argv.first().map(|a| basename(a));
        let wrapped = wrappers.iter().filter_map(|w| w.argv.first()).any(|a| basename(a) == ran);
        let near_is_it = near.argv.first().is_some_and(|a| basename(a) == ran)
            && near.ran.as_ref().is_none_or(|its| its == script);
        (called == Some(ran) || wrapped) && !near_is_it
            || passes_commands_on(ran) && near.ran.as_ref() != Some(script)
    }

    /// `./x.py` ran `python3 ./x.py` through its first line: nobody typed `python3`.
    fn is_shebang(&self, argv: &[BString]) -> bool {
        let Some(script) = argv.iter().skip(1).find(|a| !a.starts_with(b"-")) else { return false };
        let named = |text: &BString| basename(text) == basename(&argv[0]);
        match &self.script {
            Some(ran) if ran == script => self.by_shebang,
            Some(ran) if named(ran) => false,
            _ => self.by_shebang && !self.is_named_above(basename(&argv[0])),
        }
    }

    /// Does whoever called say this name: the text of a shell, the words of a wrapper? Where
    /// they are gone (`env ./x.py` as the last command of `-c` text) nobody can tell, and
    /// `python3 ./x.py` does what `./x.py` does.
    fn is_named_above(&self, name: &BStr) -> bool {
        self.processes.first().is_none_or(|near| {
            let words = |text: &BString| {
                text.split(|b| !(b.is_ascii_alphanumeric() || b"._-+".contains(b)))
                    .any(|word| word == name)
            };
            matches!(near.caller(), Caller::Shell | Caller::Wrapper)
                && near.argv.iter().skip(1).any(words)
        })
    }
}

impl Process {
    /// By any of the names a process goes by.
    pub fn is(&self, name: &str) -> bool {
        let is = |text: &[u8]| basename(text) == name.as_bytes();
        let operand = self.operand();
        // Text that is run only speaks of what it names.
        let says_so = |word: &BString| {
            let option = word.strip_prefix(b"-");
            let at = option.and_then(|option| option.find(b"appname=")).map(|at| at + 1);
            at.is_some_and(|at| is(&word[at + b"appname=".len()..]))
        };
        is(&self.executable)
            || self.argv.first().is_some_and(|a| is(a.strip_prefix(b"-").unwrap_or(a)))
            || matches!(operand, Operand::Script(script) if is(script))
            || operand != Operand::Text && self.argv.iter().any(says_so)
    }

    /// What this process does for whoever is below it.
    pub fn caller(&self) -> Caller {
        if HARNESSES.iter().any(|name| self.is(name)) {
            return Caller::Harness;
        }
        let called = self.called().map(|(name, _)| name);
        let one_of = |names: &[&str]| {
            names.iter().any(|n| called.is_some_and(|c| c == n.as_bytes()) || self.executable == *n)
        };
        if one_of(&SHELLS) {
            return match self.operand() {
                Operand::Script(_) => Caller::Script,
                Operand::Text | Operand::None => Caller::Shell,
            };
        }
        if self.is_wrapping || one_of(&WRAPPERS) { Caller::Wrapper } else { Caller::Program }
    }

    /// Runs what files of a project say (`make`, `npm`), and is never an agent. `npm run test` is
    /// what npm calls itself.
    pub fn is_runner(&self) -> bool {
        let title = self.argv.first().map(|a| a.split(|b| *b == b' ').next().unwrap_or(a));
        RUNNERS.iter().any(|name| self.is(name) || title == Some(name.as_bytes()))
    }

    /// A shell called with `-c`.
    pub fn has_command_text(&self) -> bool {
        self.caller() == Caller::Shell && self.operand() == Operand::Text
    }

    /// Was this process a shell before? Its `_` is not its parent's, which is no shell.
    pub fn was_a_shell(&self, parent: &Process) -> bool {
        let Some(ran) = &self.ran else { return false };
        let name = basename(ran);
        let is_its_own = name.to_str().is_ok_and(|n| self.is(n)) || passes_commands_on(name);
        let below_a_shell = matches!(parent.caller(), Caller::Shell | Caller::Script);
        is_its_own && !below_a_shell && parent.ran.as_ref() != Some(ran)
    }

    /// What it runs, when it is an interpreter: `vim gradlew` is no `gradlew`.
    fn operand(&self) -> Operand<'_> {
        let Some((called, arguments)) = self.called() else { return Operand::None };
        let options = Options::of(called).or_else(|| Options::of(self.executable.as_bstr()));
        match options.map_or(Operand::None, |options| options.operand(arguments)) {
            // A here-string, a pipe, or what a harness hands over: nobody's file.
            Operand::Script(script) if is_descriptor(script) => Operand::Text,
            operand => operand,
        }
    }

    /// The name it goes by, and its arguments: `busybox sh x` is `sh`.
    fn called(&self) -> Option<(&BStr, &[BString])> {
        let is_many = |name: &BStr| MULTICALL.iter().any(|m| name == m.as_bytes());
        let argv = match self.argv.as_slice() {
            [first, rest @ ..] if !rest.is_empty() && is_many(basename(first)) => rest,
            all => all,
        };
        let (first, arguments) = argv.split_first()?;
        Some((basename(first.strip_prefix(b"-").unwrap_or(first)), arguments))
    }
}

/// A wrapper that may become its command: `env`, `nice`.
fn passes_commands_on(name: &BStr) -> bool {
    WRAPPERS.iter().any(|n| name == n.as_bytes())
}

/// `/dev/stdin`, `/dev/fd/3`, `/proc/self/fd/0`.
fn is_descriptor(path: &[u8]) -> bool {
    let in_proc = path.strip_prefix(b"/proc/").and_then(|rest| rest.split_once_str("/"));
    path == b"/dev/stdin"
        || path.starts_with(b"/dev/fd/")
        || in_proc.is_some_and(|(_, rest)| rest.starts_with(b"fd/"))
}

fn basename(path: &[u8]) -> &BStr {
    path.rsplit(|b| *b == b'/').next().unwrap_or(path).as_bstr()
}
