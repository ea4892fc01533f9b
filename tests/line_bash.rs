//! What bash runs is found: generated lines are run by bash in an empty directory where PATH
//! holds nothing but stubs, which note their names and arguments and do nothing else.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use embargo::line::parse;

const LINES: usize = 2000;
/// The first half succeeds, the second fails.
const STUBS: [&str; 6] = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta"];
/// A call is a line, whatever is in its words.
const STUB: &str = "#!/bin/sh\nset -f\necho \"${0##*/}\" $* >> \"$LOG\"\n";

#[test]
fn what_bash_runs_is_found() {
    let Some(bash) =
        ["/bin/bash", "/usr/bin/bash"].into_iter().find(|path| Path::new(path).exists())
    else {
        eprintln!("skipped: there is no bash to compare with");
        return;
    };
    let world = tempfile::tempdir().expect("a throw-away directory");
    let stubs = world.path().join("stubs");
    fs::create_dir(&stubs).expect("a directory for stubs");
    for (nth, name) in STUBS.iter().enumerate() {
        let path = stubs.join(name);
        let status = if nth < STUBS.len() / 2 { "exit 0\n" } else { "exit 1\n" };
        fs::write(&path, format!("{STUB}{status}")).expect("a stub");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("that can be run");
    }
    let mut seed = Generator { state: 0x2545_f491_4f6c_dd1d, dynamic: false, functions: 0 };
    let (mut ran, mut exact, mut commands, mut dynamic) = (0, 0, 0, 0);
    let (mut cut, mut rejected) = (0, 0);
    let mut missing = Vec::new();
    for nth in 0..LINES {
        let line = seed.line();
        let work = world.path().join(format!("work-{nth}"));
        fs::create_dir_all(work.join("d")).expect("a directory to work in");
        let log = world.path().join(format!("log-{nth}"));
        Command::new(bash)
            .args(["--norc", "--noprofile", "-c", &line])
            .env_clear()
            .env("PATH", &stubs)
            .env("LOG", &log)
            .current_dir(&work)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .expect("bash starts");
        let logged = fs::read_to_string(&log).unwrap_or_default();

        let found = parse(&line);
        let argvs: BTreeSet<String> =
            found.commands.iter().map(|c| bstr::join(" ", c.argv())).map(text).collect();
        let names: BTreeSet<&str> = argvs.iter().filter_map(|a| a.split(' ').next()).collect();
        let is_dynamic = found.commands.iter().filter(|c| c.is_dynamic()).count();
        if found.way == embargo::line::Way::Cut {
            let is_bash = is_parsed(bash, &line);
            cut += usize::from(is_bash);
            rejected += usize::from(!is_bash);
        }
        for call in logged.lines() {
            ran += 1;
            exact += usize::from(argvs.contains(call.trim_end()));
            let name = call.split(' ').next().unwrap_or_default();
            if !names.contains(name) && is_dynamic == 0 {
                missing.push(format!("{call:?} of {line:?}; found {argvs:?}"));
            }
        }
        if !seed.dynamic {
            commands += found.commands.len();
            dynamic += is_dynamic;
        }
    }
    println!(
        "{LINES} lines, {rejected} rejected by bash too, {cut} only cut; {ran} calls by bash, {exact} with the same argv;"
    );
    println!("{dynamic} of {commands} commands without expansion in their name called dynamic");
    assert!(missing.is_empty(), "{} not found:\n{}", missing.len(), missing.join("\n"));
    assert!(ran > LINES, "bash ran only {ran} stubs: the lines are too poor");
    assert!(dynamic * 50 <= commands, "{dynamic} of {commands} are called dynamic");
    // Here-documents in `for ((…))`, which rable gives to others: no limit of ours cuts any.
    assert!(cut * 25 <= LINES, "{cut} of {LINES} lines were only cut");
}

/// Does bash accept this line? Nothing of it is run.
fn is_parsed(bash: &str, line: &str) -> bool {
    let check = Command::new(bash).args(["-n", "-c", line]).stderr(Stdio::null()).status();
    check.expect("bash starts").success()
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Lines of bash, the same ones each time.
struct Generator {
    state: u64,
    /// The line has an expansion where a command's name stands.
    dynamic: bool,
    functions: usize,
}

impl Generator {
    fn below(&mut self, bound: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        usize::try_from(self.state >> 33).unwrap_or_default() % bound
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    fn line(&mut self) -> String {
        self.dynamic = false;
        let list = self.list(2);
        // What runs in the background is waited for.
        format!("{list}\nwait")
    }

    fn list(&mut self, depth: usize) -> String {
        let mut list = String::new();
        for nth in 0..=self.below(2) {
            if nth > 0 {
                let separator = self.one(&["; ", "\n", "\n\n", " ;\n", " & ", " # | beta '\n"]);
                let needs_newline = list.ends_with("\nE") || list.ends_with("\n\tE");
                list.push_str(if needs_newline { "\n" } else { separator });
            }
            let item = match self.below(8) {
                0 => self.heredoc(depth),
                _ => self.and_or(depth),
            };
            list.push_str(&item);
        }
        list
    }

    fn heredoc(&mut self, depth: usize) -> String {
        let (command, inside) = (self.simple(depth), self.inside(depth));
        match self.below(4) {
            0 => format!("{command} <<'E'\nalpha; $(beta)\n`gamma`\nE"),
            1 => format!("{command} <<-E\n\tdelta {inside}\n\tit's \\$(beta) \"\n\tE"),
            2 => format!("{command} <<E > out\n{inside} epsilon\nE"),
            _ => format!("{command} <<\\E\nzeta | $(alpha)\nE"),
        }
    }

    fn and_or(&mut self, depth: usize) -> String {
        let mut chain = self.pipeline(depth);
        for _ in 0..self.below(3) {
            let operator = self.one(&[" && ", " || ", "&&", "||", " &&\n", " | ", " |& "]);
            // `!` and `time` stand before a whole pipeline only.
            let is_pipe = operator.contains(" |") && !operator.contains("||");
            let next = if is_pipe { self.command(depth) } else { self.pipeline(depth) };
            let _ = write!(chain, "{operator}{next}");
        }
        chain
    }

    fn pipeline(&mut self, depth: usize) -> String {
        let before = self.one(&["", "", "", "", "! ", "time "]);
        let mut pipeline = self.command(depth);
        if self.below(5) == 0 {
            let next = self.command(depth);
            let _ = write!(pipeline, " | {next}");
        } else {
            pipeline.insert_str(0, before);
        }
        pipeline
    }

    fn command(&mut self, depth: usize) -> String {
        if depth == 0 || self.below(10) < 7 {
            return self.simple(depth);
        }
        let (a, b, c) = (self.body(depth - 1), self.body(depth - 1), self.body(depth - 1));
        let inside = self.inside(depth - 1);
        match self.below(16) {
            0 => format!("({a})"),
            1 => format!("( {a})"),
            2 => format!("{{ {a}}} > out"),
            3 => format!("if {a}then {b}fi"),
            4 => format!("if {a}then {b}else {c}fi"),
            5 => format!("if {a}then {b}elif {c}then alpha\nelse beta; fi"),
            6 => format!("for x in 1 {inside} 2; do {a}done"),
            7 => format!("while {a}false; do {b}done"),
            8 => format!("until {a}true; do {b}done"),
            9 => format!("case x{inside} in a) {a};; (x*|y) {b};; *) {c}esac"),
            10 => format!("case a in a) {a};& b) {b};;& *) {c};; esac"),
            11 => format!("[[ -n {inside} && x == x ]] && {{ {a}}}"),
            12 => format!("(( 1 + $(echo 1; {a}) ))"),
            13 => {
                self.functions += 1;
                let name = format!("f{}", self.functions);
                format!("{name}() {{ {a}}}\n{name}")
            }
            14 => format!("for ((i = 0; i < 2; i++)); do {a}done"),
            _ => format!("{{ {a}}} 2>&1"),
        }
    }

    /// A list that a reserved word may follow.
    fn body(&mut self, depth: usize) -> String {
        let list = self.list(depth);
        format!("{list}\n")
    }

    fn simple(&mut self, depth: usize) -> String {
        let name = self.one(&STUBS);
        let word =
            self.one(&["x", "'y z'", "\"a;b\"", "a\\ b", "--flag=1", "a#no", "it\\'s", "{1,2}"]);
        let inside = self.inside(depth);
        let redirection =
            self.one(&["", "", "", " > out", " 2>&1", " 2> /dev/null", " < /dev/null"]);
        let arguments = match self.below(5) {
            0 => String::new(),
            1 => format!(" {word} {inside}"),
            2 => format!(" {inside}{redirection}"),
            _ => format!(" {word}{redirection}"),
        };
        let (head, tail) = name.split_at(2);
        match self.below(26) {
            0 => format!("'{name}'{arguments}"),
            1 => format!("\"{head}\"{tail}{arguments}"),
            2 => format!("\\{name}{arguments}"),
            3 => format!("$'{head}\\x{:x}{}'{arguments}", tail.as_bytes()[0], &tail[1..]),
            4 => format!("{{{name},b{arguments}}}").replace(' ', ""),
            5 => format!("command {name}{arguments}"),
            6 => format!("(exec {name}{arguments})"),
            7 => format!("eval '{name} x; {head}{tail}'"),
            8 => format!(
                "eval {name}{}",
                // What is no text once its quotes are gone, no shell could parse.
                arguments
                    .replace("a#no", "no")
                    .replace("it\\'s", "its")
                    .replace(" 2> /dev/null", "")
            ),
            9 => format!("X=1 Y='a b' {name}{arguments}"),
            10 => format!("> out {name}{arguments}"),
            11 => format!("{head}\\\n{tail}{arguments}"),
            12 => format!("X={inside}"),
            13 => format!("cd d && {name}{arguments}"),
            14 => format!("echo '{name}' \"| {name}\"{arguments}"),
            15 => format!("{name} <<< {inside}"),
            16 => format!("a=(1 {inside} 2)"),
            17 => format!("export Z={inside}"),
            18 => {
                self.dynamic = true;
                format!("X={name}\n$X{arguments}")
            }
            19 if self.below(4) == 0 => {
                self.dynamic = true;
                format!("$(echo {name}){arguments}")
            }
            _ => format!("{name}{arguments}"),
        }
    }

    /// A word in which commands may stand.
    fn inside(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.one(&["x", "'$(zeta)'", "\"y\"", "\\$\\(alpha\\)"]).to_owned();
        }
        let name = self.one(&STUBS);
        match self.below(16) {
            0 => format!("$({name})"),
            1 => format!("\"$({name} a)\""),
            2 => format!("`{name}`"),
            3 => format!("\"`{name} \\`alpha\\``\""),
            4 => format!("${{nope:-$({name})}}"),
            5 => format!("\"${{nope:-`{name}`}}\""),
            6 => format!("$((1 + $({name}; echo 2)))"),
            7 => format!("$({})", self.list(depth - 1) + "\n"),
            8 => format!("\"$({})\"", self.list(depth - 1) + "\n"),
            9 => format!("<({name})"),
            10 => format!("x$({name} | beta)y"),
            11 => format!("$(case a in a) {name};; esac)"),
            _ => self.inside(0),
        }
    }
}
