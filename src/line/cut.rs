//! Cuts shell text at `|`, `|&`, `||`, `&&`, `;`, `&`, newline and parentheses, where
//! these stand between commands: not in `[[…]]`, `((…))` or the patterns of a `case`.

use std::ops::Range;

use super::expects::{Expects, behind};
use super::scan::{Body, Nest, Scanner};
use crate::policy::{Operator, Stage};

/// One command of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part<'a> {
    pub text: &'a str,
    pub stage: Stage,
}

/// The commands of a text, in order, without empty ones.
pub fn cut(text: &str) -> Vec<Part<'_>> {
    cut_with_bodies(text).0
}

/// The same, with the bodies of their here-documents, in the order of these.
pub fn cut_with_bodies(text: &str) -> (Vec<Part<'_>>, Vec<Body>) {
    let cutter = run(text);
    (cutter.parts, cutter.scan.bodies)
}

/// The bodies alone, and where they stand.
pub fn documents(text: &str) -> impl Iterator<Item = (Range<usize>, Body)> {
    let scan = run(text).scan;
    scan.ranges.into_iter().zip(scan.bodies)
}

fn run(text: &str) -> Cutter<'_> {
    let mut cutter = Cutter {
        text,
        scan: Scanner::new(text),
        start: 0,
        stage: Stage::First,
        expects: Expects::Command,
        cases: 0,
        not_arithmetic: 0,
        parts: Vec::new(),
    };
    cutter.run();
    cutter
}

struct Cutter<'a> {
    text: &'a str,
    scan: Scanner<'a>,
    start: usize,
    stage: Stage,
    expects: Expects,
    /// How many `case` are open.
    cases: usize,
    /// Up to here `((` was tried and is two subshells.
    not_arithmetic: usize,
    parts: Vec<Part<'a>>,
}

impl Cutter<'_> {
    fn run(&mut self) {
        while let Some(byte) = self.scan.byte(0) {
            match byte {
                b' ' | b'\t' => self.scan.advance(1),
                b'\\' if self.scan.byte(1) == Some(b'\n') => self.scan.advance(2),
                b'#' => self.comment(),
                b'\n' => self.newline(),
                b'&' | b'|' | b'<' | b'>' | b'(' | b')' if self.expects == Expects::Test => {
                    self.operator_of_test();
                }
                b'|' | b'(' if self.expects == Expects::Pattern => self.scan.advance(1),
                b')' if self.expects == Expects::Pattern => self.forget(1, Expects::Command),
                b'<' | b'>' if self.scan.byte(1) != Some(b'(') => self.redirection(),
                // `&>`: a redirection, not the background.
                b'&' if self.scan.byte(1) == Some(b'>') => self.scan.advance(1),
                b'&' | b'|' | b';' => self.operator(),
                b'(' => self.parenthesis(),
                b')' => self.end(1, self.stage),
                _ => self.word(),
            }
        }
        self.end(0, Stage::First);
    }

    /// Ends the part here; the next begins behind `width` bytes.
    fn end(&mut self, width: usize, next: Stage) {
        let text = self.text.get(self.start..self.scan.at).unwrap_or_default().trim();
        if !text.is_empty() {
            self.parts.push(Part { text, stage: self.stage });
        }
        self.stage = next;
        self.forget(width, Expects::Command);
    }

    /// Goes on behind `width` bytes, as if nothing had been since the last operator.
    fn forget(&mut self, width: usize, expects: Expects) {
        self.scan.advance(width);
        self.start = self.scan.at;
        self.expects = expects;
    }

    fn operator(&mut self) {
        let operators = [
            ("||", Stage::After(Operator::Or)),
            ("|&", Stage::Piped),
            ("|", Stage::Piped),
            ("&&", Stage::After(Operator::And)),
            (";;&", Stage::After(Operator::Sequence)),
            (";;", Stage::After(Operator::Sequence)),
            (";&", Stage::After(Operator::Sequence)),
        ];
        let is_long = matches!(self.scan.byte(1), Some(b'|' | b'&' | b';'));
        let found = operators
            .into_iter()
            .find(|(operator, _)| (is_long || *operator == "|") && self.scan.looking_at(operator));
        let (operator, stage) = found.unwrap_or((";", Stage::After(Operator::Sequence)));
        self.end(operator.len(), stage);
        if operator.len() > 1 && operator.starts_with(';') && self.cases > 0 {
            self.expects = Expects::Pattern;
        }
    }

    fn newline(&mut self) {
        let kept = match self.expects {
            Expects::In | Expects::CaseIn | Expects::Pattern => self.expects,
            _ => Expects::Command,
        };
        self.end_line();
        self.scan.newline();
        self.forget(0, kept);
    }

    fn comment(&mut self) {
        let kept = self.expects;
        self.end_line();
        self.scan.comment();
        self.forget(0, kept);
    }

    fn end_line(&mut self) {
        let text = self.text.get(self.start..self.scan.at).unwrap_or_default();
        // A newline right behind an operator continues it; a pattern is no command.
        if self.expects != Expects::Pattern && !text.trim_start().is_empty() {
            self.end(0, Stage::After(Operator::Sequence));
        }
    }

    /// The operator and the word behind it, which is no command.
    fn redirection(&mut self) {
        let is_heredoc = self.scan.looking_at("<<") && !self.scan.looking_at("<<<");
        self.scan.redirection();
        if !is_heredoc {
            self.scan.pass_while(|b| matches!(b, b'>' | b'&' | b'|'));
            self.scan.pass_while(|b| matches!(b, b' ' | b'\t'));
            self.scan.word();
        }
    }

    /// In `[[…]]` operators are the test's own, but for those that end a command.
    fn operator_of_test(&mut self) {
        let width = if self.scan.looking_at("&&") { 2 } else { 1 };
        match self.scan.byte(0) {
            Some(b'&') if width == 1 => self.operator(),
            _ => self.scan.advance(width),
        }
    }

    fn parenthesis(&mut self) {
        match self.expects {
            Expects::Command | Expects::Variable => {
                let width = if self.arithmetic() { 0 } else { 1 };
                self.end(width, self.stage);
            }
            Expects::Parentheses => match self.empty_pair() {
                // A definition runs nothing; its body is read as commands.
                Some(width) => self.forget(width, Expects::Command),
                None => self.end(1, self.stage),
            },
            _ => self.end(1, self.stage),
        }
    }

    /// The width of `()`, blanks between.
    fn empty_pair(&self) -> Option<usize> {
        let inside = self.text.get(self.scan.at + 1..)?;
        let rest = inside.trim_start_matches([' ', '\t']);
        rest.starts_with(')').then(|| inside.len() - rest.len() + 2)
    }

    /// Passes `((…))`, unless these are two subshells: then they do not end together.
    fn arithmetic(&mut self) -> bool {
        let (from, owed) = (self.scan.at, self.scan.heredocs.len());
        if !self.scan.looking_at("((") || from < self.not_arithmetic {
            return false;
        }
        self.scan.nest(2, Nest::Plain);
        if self.scan.byte(0) == Some(b')') {
            self.scan.advance(1);
            return true;
        }
        self.not_arithmetic = self.scan.at;
        self.scan.at = from;
        self.scan.heredocs.truncate(owed);
        false
    }

    fn word(&mut self) {
        let from = self.scan.at;
        // `!(…)` is a negated subshell: patterns of that form are off at first.
        if self.expects == Expects::Command && self.scan.looking_at("!(") {
            return self.scan.advance(1);
        }
        self.scan.word();
        let word = self.text.get(from..self.scan.at).unwrap_or_default();
        let first = behind(word);
        self.expects = match self.expects {
            Expects::Command => first,
            Expects::Coprocess if first == Expects::Parentheses => Expects::Group,
            Expects::Coprocess => first,
            Expects::Group if first == Expects::Parentheses => Expects::Arguments,
            Expects::In if word == "in" => Expects::Arguments,
            Expects::Group | Expects::In => {
                self.end_before(from);
                first
            }
            Expects::Parentheses | Expects::Arguments => Expects::Arguments,
            Expects::Function => return self.forget(0, Expects::Command),
            Expects::Variable => Expects::In,
            Expects::Subject => Expects::CaseIn,
            Expects::CaseIn if word == "in" => {
                self.cases += 1;
                self.end(0, self.stage);
                Expects::Pattern
            }
            Expects::CaseIn => Expects::Arguments,
            Expects::Pattern if word == "esac" => first,
            Expects::Test if word == "]]" => Expects::Arguments,
            Expects::Pattern | Expects::Test => return,
        };
        if word == "esac" && self.expects == Expects::Command {
            self.cases = self.cases.saturating_sub(1);
        }
    }

    /// Ends the part before a word that was passed already.
    fn end_before(&mut self, word: usize) {
        let behind = std::mem::replace(&mut self.scan.at, word);
        self.end(0, self.stage);
        self.scan.at = behind;
    }
}
