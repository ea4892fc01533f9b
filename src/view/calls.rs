//! The calls in an argv or a line: the command itself, and every command that
//! stands in its arguments.

use bstr::{BString, ByteSlice};

use crate::command::{Words, Wrapped, parse_with};
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
        self.follow_text(text, text, ancestry, DEPTH, &mut calls);
        if calls.is_empty() {
            // Nothing that is a command; rules over text still see it.
            calls.push(self.call(&[], text, text, Stage::First, ancestry));
        }
        calls
    }

    fn follow_text(
        &self,
        text: &str,
        whole: &str,
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
        whole: &str,
        stage: Stage,
        above: &Ancestry,
    ) -> Invocation {
        Invocation {
            words: self.words(argv),
            text: text.to_owned(),
            line: Some(whole.to_owned()),
            stage,
            ancestry: above.clone(),
        }
    }

    fn follow(&self, call: Invocation, depth: usize, calls: &mut Vec<Invocation>) {
        let wrapped = call.words.wrapped().to_vec();
        let above = below(&call);
        let (whole, stage) = (call.line.clone(), call.stage);
        calls.push(call);
        let Some(depth) = depth.checked_sub(1) else { return };
        for inner in wrapped {
            match inner {
                Wrapped::Argv(argv) => {
                    let mut inner = Invocation::from_words(self.words(&argv), above.clone());
                    inner.line.clone_from(&whole);
                    // What a wrapper in a pipe runs reads from that pipe.
                    inner.stage = stage;
                    self.follow(inner, depth, calls);
                }
                Wrapped::Text(text) => {
                    let text = text.to_str_lossy();
                    self.follow_text(
                        &text,
                        whole.as_deref().unwrap_or(&text),
                        &above,
                        depth,
                        calls,
                    );
                }
            }
        }
    }
}

/// What is inside a call has that call above it.
fn below(call: &Invocation) -> Ancestry {
    let argv = call.words.argv().to_vec();
    let wrapper = Process { executable: call.words.called().into(), argv, ..Process::default() };
    let above = call.ancestry.processes.iter().cloned();
    Ancestry { processes: std::iter::once(wrapper).chain(above).collect(), ..Ancestry::default() }
}
