//! The calls in an argv or a line: the command itself, and every command that
//! stands in its arguments.

use std::sync::Arc;

use bstr::{BString, ByteSlice};

use crate::command::{Words, Wrapped, Wraps, parse_with};
use crate::line;
use crate::policy::{Ancestry, Invocation, Process, Stage};

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
        let mut calls = Vec::new();
        self.follow(Invocation::from_words(self.words(argv), ancestry.clone()), DEPTH, &mut calls);
        calls
    }

    /// The calls of shell text, cut at its operators. Matched raw: see [`crate::line`].
    pub fn calls_of_line(&self, text: &str, ancestry: &Ancestry) -> Vec<Invocation> {
        let mut calls = Vec::new();
        let whole = Arc::from(text);
        self.follow_text(text, &whole, ancestry, DEPTH, &mut calls);
        if calls.is_empty() {
            // Nothing that is a command; rules over text still see it.
            calls.push(self.call(&[], text, &whole, Stage::First, ancestry));
        }
        calls
    }

    fn follow_text(
        &self,
        text: &str,
        whole: &Arc<str>,
        above: &Ancestry,
        depth: usize,
        calls: &mut Vec<Invocation>,
    ) {
        for part in line::cut(text) {
            let argv = line::split(part.text);
            let call = self.call(&argv, part.text, whole, part.stage, above);
            self.follow(call, depth, calls);
        }
    }

    fn call(
        &self,
        argv: &[BString],
        text: &str,
        whole: &Arc<str>,
        stage: Stage,
        above: &Ancestry,
    ) -> Invocation {
        Invocation {
            words: self.words(argv),
            text: text.to_owned(),
            line: Some(Arc::clone(whole)),
            stage,
            ancestry: above.clone(),
            effects: Vec::new(),
            place: None,
        }
    }

    fn follow(&self, call: Invocation, depth: usize, calls: &mut Vec<Invocation>) {
        let wrapped = call.words.wrapped().to_vec();
        let assigns = !wrapped.is_empty() && self.assigns(&call.words);
        let above = below(&call);
        let (whole, stage) = (call.line.clone(), call.stage);
        calls.push(call);
        let Some(depth) = depth.checked_sub(1) else { return };
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
                    self.follow(inner, depth, calls);
                }
                Wrapped::Text(text) => {
                    let text = text.to_str_lossy();
                    let whole = whole.clone().unwrap_or_else(|| Arc::from(&*text));
                    self.follow_text(&text, &whole, &above, depth, calls);
                }
            }
        }
    }

    fn assigns(&self, words: &Words) -> bool {
        let program = words.program().to_str_lossy();
        self.grammar(&program).is_some_and(|grammar| grammar.wraps == Wraps::Assignments)
    }
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
