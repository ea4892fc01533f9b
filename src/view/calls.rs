//! The calls in an argv or a line: the command itself, and every command that
//! stands in its arguments.

use std::sync::Arc;

use bstr::{BString, ByteSlice};

use crate::command::{Act, Effect, Object, Words, Wrapped, Wraps, joined, parse_with};
use crate::line::{self, Directory, Line, RedirectOperator, Redirection};
use crate::policy::{Ancestry, Invocation, Process};

use super::View;

/// Commands inside commands inside commands: further down nothing is looked at.
const DEPTH: usize = 8;

impl View<'_> {
    /// Takes argv apart by the descriptions in the view.
    pub fn words(&self, argv: &[BString]) -> Words {
        let called = argv.first().map(|a| a.rsplit(|b| *b == b'/').next().unwrap_or_default());
        let entry = called.and_then(|name| self.program(name));
        parse_with(argv, entry.as_ref().map(|e| e.canonical.as_str()), |path| self.grammar(path))
    }

    /// The call of an argv and those it wraps.
    pub fn calls(&self, argv: &[BString], ancestry: &Ancestry) -> Vec<Invocation> {
        let mut found = Found::default();
        let call = Invocation::from_words(self.words(argv), ancestry.clone());
        self.follow(call, None, DEPTH, &mut found);
        found.calls
    }

    /// The calls of shell text: its commands, those that they wrap, and those of the texts that
    /// its shells are given or fed.
    pub fn calls_of_line(&self, text: &str, ancestry: &Ancestry) -> Vec<Invocation> {
        let mut found = Found::default();
        found.left += text.len();
        let whole = Arc::from(text);
        self.follow_text(text, &whole, ancestry, None, DEPTH, &mut found);
        if found.calls.is_empty() {
            found.calls.push(whole_alone(self, &whole, ancestry));
        }
        found.calls
    }

    /// Notes a call and follows what is inside it.
    pub(super) fn follow_call(&self, call: Invocation, found: &mut Found) {
        self.follow(call, None, DEPTH, found);
    }

    fn follow_text(
        &self,
        text: &str,
        whole: &Arc<str>,
        above: &Ancestry,
        from: Option<&BString>,
        depth: usize,
        found: &mut Found,
    ) {
        let Some(left) = found.left.checked_sub(text.len()) else { return };
        found.left = left;
        let line = line::parse(text);
        for (at, command) in line.commands.iter().enumerate() {
            let words = self.words(&command.argv());
            let directory = match &command.directory {
                Directory::At(path) => {
                    Some(from.map_or_else(|| path.clone(), |from| joined(from, path)))
                }
                Directory::Start | Directory::Unknown => from.cloned(),
            };
            let seen = |effect: Effect| match &directory {
                Some(directory) => effect.seen_from(directory),
                None => effect,
            };
            let call = Invocation {
                text: command.source.clone(),
                line: Some(Arc::clone(whole)),
                stage: command.stage,
                effects: command.redirections.iter().filter_map(written).map(seen).collect(),
                directory,
                ..Invocation::from_words(words, above.clone())
            };
            self.follow(call, Some((&line, at)), depth, found);
        }
    }

    /// Notes a call and follows what is inside it; `input` is the command of a line whose
    /// standard input it has.
    fn follow(
        &self,
        call: Invocation,
        input: Option<(&Line, usize)>,
        depth: usize,
        found: &mut Found,
    ) {
        let wrapped = call.words.wrapped().to_vec();
        let assigns = !wrapped.is_empty() && self.assigns(&call.words);
        let above = below(&call);
        let (whole, stage, directory) = (call.line.clone(), call.stage, call.directory.clone());
        let fed = input.filter(|_| found.left > 0 && self.reads_commands(&call.words));
        found.calls.push(call);
        let Some(depth) = depth.checked_sub(1) else { return };
        if let Some((line, at)) = fed
            && let Some(text) = line::fed(&line.commands, at)
        {
            let whole = whole.clone().unwrap_or_else(|| Arc::from(&*text));
            self.follow_text(&text, &whole, &above, directory.as_ref(), depth, found);
        }
        for inner in wrapped {
            match inner {
                Wrapped::Argv(argv) => {
                    let argv = if assigns { behind_assignments(&argv) } else { &argv };
                    if argv.is_empty() {
                        continue;
                    }
                    let mut inner = Invocation::from_words(self.words(argv), above.clone());
                    inner.line.clone_from(&whole);
                    // What a wrapper in a pipe runs reads from that pipe.
                    inner.stage = stage;
                    inner.directory.clone_from(&directory);
                    self.follow(inner, input, depth, found);
                }
                Wrapped::Text(text) => {
                    let text = text.to_str_lossy();
                    let whole = whole.clone().unwrap_or_else(|| Arc::from(&*text));
                    self.follow_text(&text, &whole, &above, directory.as_ref(), depth, found);
                }
            }
        }
    }

    /// A shell without a script: `sh`, `bash -s`.
    fn reads_commands(&self, words: &Words) -> bool {
        let program = words.program().to_str_lossy();
        let is_shell = self.grammar(&program).is_some_and(|g| g.wraps == Wraps::Shell);
        let is_input = |word: &crate::command::Word| word.text == "/dev/stdin";
        is_shell
            && !words.has_flag("-c")
            && (words.words().first().is_none_or(is_input) || words.has_flag("-s"))
    }

    fn assigns(&self, words: &Words) -> bool {
        let program = words.program().to_str_lossy();
        self.grammar(&program).is_some_and(|grammar| grammar.wraps == Wraps::Assignments)
    }
}

/// Nothing that is a command; rules over text still see it.
pub(super) fn whole_alone(view: &View<'_>, whole: &Arc<str>, above: &Ancestry) -> Invocation {
    let (text, line) = (whole.to_string(), Some(Arc::clone(whole)));
    let words = view.words(&[]);
    Invocation { text, line, ..Invocation::from_words(words, above.clone()) }
}

/// The calls that were found.
pub(super) struct Found {
    pub(super) calls: Vec<Invocation>,
    /// Bytes of text that may still be read: what is fed to shells that feed shells ends.
    left: usize,
}

impl Default for Found {
    fn default() -> Self {
        Found { calls: Vec::new(), left: 1 << 21 }
    }
}

/// What a redirection does to its file, bash(1). What stands for no file of its own, and what
/// only duplicates a descriptor, undergoes nothing.
fn written(redirection: &Redirection) -> Option<Effect> {
    let act = match redirection.operator {
        RedirectOperator::Write
        | RedirectOperator::Clobber
        | RedirectOperator::WriteBoth
        | RedirectOperator::DuplicateOutput => Act::Overwrites,
        RedirectOperator::Append | RedirectOperator::AppendBoth | RedirectOperator::ReadWrite => {
            Act::Appends
        }
        _ => return None,
    };
    let path = redirection.target.typed();
    let is_descriptor = redirection.operator == RedirectOperator::DuplicateOutput
        && path.iter().all(|b| b.is_ascii_digit() || *b == b'-');
    let is_no_file = [&b"/dev/null"[..], b"/dev/tty", b"/dev/stdout", b"/dev/stderr"]
        .contains(&path.as_slice())
        || path.starts_with(b"/dev/fd/");
    (!is_descriptor && !is_no_file).then_some(Effect { act, on: Object::Path(path) })
}

/// `env` takes any name that is not empty, not just those a shell can use: env(1).
fn behind_assignments(argv: &[BString]) -> &[BString] {
    let is_assignment = |word: &&BString| word.find_byte(b'=').is_some_and(|at| at > 0);
    &argv[argv.iter().take_while(is_assignment).count()..]
}

/// What is inside a call has that call above it.
fn below(call: &Invocation) -> Ancestry {
    let argv = call.words.argv().to_vec();
    let wrapper = Process { executable: call.words.called().into(), argv, ..Process::default() };
    let above = call.ancestry.processes.iter().cloned();
    Ancestry { processes: std::iter::once(wrapper).chain(above).collect(), ..Ancestry::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{Layer, judge_all};
    use crate::view::{Read, compile, encode};

    #[test]
    fn every_one_of_thirty_thousand_parts_is_judged() {
        let policy = b"[[embargo]]\ncommand = \"gradle\"\nreason = \"pinned\"\n".to_vec();
        let source = Read { path: "/p/embargo.toml".into(), layer: Layer::User, bytes: Ok(policy) };
        let contents = compile(&[source], &[], &[], |_| Err("no such file".to_owned())).unwrap();
        let bytes = encode(&contents);
        let view = View::open(&bytes).ok().unwrap();
        let judged = |line: &str| {
            let calls = view.calls_of_line(line, &Ancestry::default());
            let rules: Vec<_> = contents.policy.rules.iter().collect();
            let severity = judge_all(&rules, &[], &calls).severity();
            (calls.len(), severity, calls)
        };
        let (count, last, calls) = judged(&format!("{}gradle", "true;".repeat(29_999)));
        let (_, none, _) = judged(&"true;".repeat(30_000));
        assert_eq!(count, 30_000);
        assert!(last > none, "the last part is not refused");
        let lines = calls.iter().filter_map(|call| call.line.as_ref());
        let mut shared = lines.map(|line| Arc::as_ptr(line).cast::<u8>());
        let first = shared.next();
        assert!(shared.all(|line| Some(line) == first), "the line is copied for each part");
    }
}
