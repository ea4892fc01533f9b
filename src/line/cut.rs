//! Cuts shell text at `|`, `|&`, `||`, `&&`, `;`, `&` and newline.

use crate::policy::{Operator, Stage};

/// One command of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part<'a> {
    pub text: &'a str,
    pub stage: Stage,
}

/// The commands of a text, in order, without empty ones.
pub fn cut(text: &str) -> Vec<Part<'_>> {
    let mut cutter = Cutter {
        text,
        at: 0,
        start: 0,
        stage: Stage::First,
        parts: Vec::new(),
        heredocs: Vec::new(),
    };
    cutter.run();
    cutter.parts
}

struct Cutter<'a> {
    text: &'a str,
    at: usize,
    start: usize,
    stage: Stage,
    parts: Vec<Part<'a>>,
    /// Delimiters of here-documents whose bodies begin at the next newline.
    heredocs: Vec<(String, bool)>,
}

impl<'a> Cutter<'a> {
    fn run(&mut self) {
        while let Some(byte) = self.byte(0) {
            match byte {
                b'\\' => self.at += 2,
                b'\'' => self.skip_single(),
                b'"' => self.skip_double(),
                b'`' => self.skip_until_backquote(),
                b'$' if self.byte(1) == Some(b'(') => self.skip_parentheses(),
                b'#' if self.begins_word() => self.skip_comment(),
                b'<' if self.byte(1) == Some(b'<') && self.byte(2) != Some(b'<') => self.heredoc(),
                // `>&`, `<&`, `&>`: descriptors, not the background.
                b'>' | b'<' if self.byte(1) == Some(b'&') => self.at += 2,
                b'>' if self.byte(1) == Some(b'|') => self.at += 2,
                b'&' if self.byte(1) == Some(b'>') => self.at += 2,
                b'|' if self.byte(1) == Some(b'|') => self.end(2, Stage::After(Operator::Or)),
                b'|' if self.byte(1) == Some(b'&') => self.end(2, Stage::Piped),
                b'|' => self.end(1, Stage::Piped),
                b'&' if self.byte(1) == Some(b'&') => self.end(2, Stage::After(Operator::And)),
                b';' if self.byte(1) == Some(b';') => self.end(2, Stage::After(Operator::Sequence)),
                b';' | b'&' => self.end(1, Stage::After(Operator::Sequence)),
                b'\n' => {
                    // A newline right behind an operator continues it.
                    let stage = if self.text[self.start..self.at].trim().is_empty() {
                        self.stage
                    } else {
                        Stage::After(Operator::Sequence)
                    };
                    self.end(1, stage);
                    self.skip_heredoc_bodies();
                }
                b'(' | b')' if self.at_command() || byte == b')' => self.end(1, self.stage),
                _ => self.at += 1,
            }
        }
        self.at = self.text.len();
        self.end(0, Stage::First);
    }

    fn byte(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    /// Nothing but blanks since the last operator: here a subshell may begin.
    fn at_command(&self) -> bool {
        self.text[self.start..self.at].trim().is_empty()
    }

    fn begins_word(&self) -> bool {
        self.at == 0
            || matches!(
                self.text.as_bytes()[self.at - 1],
                b' ' | b'\t' | b'\n' | b';' | b'(' | b'&' | b'|'
            )
    }

    fn end(&mut self, width: usize, next: Stage) {
        let text = self.text.get(self.start..self.at).unwrap_or_default().trim();
        if !text.is_empty() {
            self.parts.push(Part { text, stage: self.stage });
        }
        self.at += width;
        self.start = self.at.min(self.text.len());
        self.stage = next;
    }

    fn skip_single(&mut self) {
        self.at += 1;
        while self.byte(0).is_some_and(|b| b != b'\'') {
            self.at += 1;
        }
        self.at += 1;
    }

    fn skip_double(&mut self) {
        self.at += 1;
        while let Some(byte) = self.byte(0) {
            match byte {
                b'"' => break,
                b'\\' => self.at += 2,
                b'$' if self.byte(1) == Some(b'(') => self.skip_parentheses(),
                b'`' => self.skip_until_backquote(),
                _ => self.at += 1,
            }
        }
        self.at += 1;
    }

    fn skip_until_backquote(&mut self) {
        self.at += 1;
        while let Some(byte) = self.byte(0) {
            match byte {
                b'`' => break,
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
        self.at += 1;
    }

    /// `$(…)` and what nests in it, by counting.
    fn skip_parentheses(&mut self) {
        self.at += 2;
        let mut depth = 1;
        while let Some(byte) = self.byte(0) {
            match byte {
                b'(' => depth += 1,
                b')' => depth -= 1,
                b'\\' => self.at += 1,
                b'\'' => {
                    self.skip_single();
                    continue;
                }
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                break;
            }
        }
    }

    fn skip_comment(&mut self) {
        let before = self.at;
        while self.byte(0).is_some_and(|b| b != b'\n') {
            self.at += 1;
        }
        let end = self.at;
        self.at = before;
        let stage = self.stage;
        let empty = self.at_command();
        self.end(end - before, if empty { stage } else { Stage::After(Operator::Sequence) });
    }

    /// `<<WORD`, `<<-'WORD'`: remembers the delimiter.
    fn heredoc(&mut self) {
        self.at += 2;
        let tabs = self.byte(0) == Some(b'-');
        self.at += usize::from(tabs);
        while matches!(self.byte(0), Some(b' ' | b'\t')) {
            self.at += 1;
        }
        let rest = self.text.get(self.at..).unwrap_or_default();
        let end = rest.find([' ', '\t', '\n', ';', '|', '&', '>', '<', ')']).unwrap_or(rest.len());
        let word: String = rest[..end].chars().filter(|c| !"'\"\\".contains(*c)).collect();
        self.at += end;
        if !word.is_empty() {
            self.heredocs.push((word, tabs));
        }
    }

    fn skip_heredoc_bodies(&mut self) {
        for (delimiter, tabs) in std::mem::take(&mut self.heredocs) {
            while self.at < self.text.len() {
                let line = self.text[self.at..].lines().next().unwrap_or_default();
                self.at = (self.at + line.len() + 1).min(self.text.len());
                let line = if tabs { line.trim_start_matches('\t') } else { line };
                if line == delimiter {
                    break;
                }
            }
        }
        self.start = self.at;
    }
}
