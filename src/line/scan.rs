//! Passes over what a shell reads as one piece: quotes, expansions, here-documents
//! and comments. Never looks back, so that any text takes linear time, and keeps a
//! stack of its own, so that no depth of nesting exhausts that of the program.

use std::ops::Range;

/// A place in shell text, and the here-documents that it still owes.
pub struct Scanner<'a> {
    text: &'a str,
    pub at: usize,
    /// Their bodies begin at the next newline.
    pub heredocs: Vec<Heredoc>,
    /// The bodies passed so far, of those that stand in no expansion.
    pub bodies: Vec<Body>,
    /// Where they stand.
    pub ranges: Vec<Range<usize>>,
    /// An expansion is open here.
    nested: bool,
}

/// The body of a here-document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Body {
    pub text: String,
    /// Its delimiter was quoted.
    pub is_literal: bool,
}

/// `<<WORD`, `<<-WORD`.
pub struct Heredoc {
    delimiter: Vec<u8>,
    tabs: bool,
    is_literal: bool,
    nested: bool,
}

/// What is open, and so what closes it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Nest {
    /// `"…"`
    Double,
    /// `${…}`; inside double quotes an apostrophe is only that.
    Brace { quoted: bool },
    /// `$(…)`, `<(…)`, and `a=(…)`, where comments are comments as well.
    Commands,
    /// `$((…))`, `((…))` and `@(…)`: no comments, and `<<` is no here-document.
    Plain,
}

impl<'a> Scanner<'a> {
    pub fn new(text: &'a str) -> Self {
        Scanner {
            text,
            at: 0,
            heredocs: Vec::new(),
            bodies: Vec::new(),
            ranges: Vec::new(),
            nested: false,
        }
    }

    pub fn byte(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    pub fn before(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at.checked_sub(1)?).copied()
    }

    pub fn looking_at(&self, text: &str) -> bool {
        self.text.as_bytes().get(self.at..).is_some_and(|rest| rest.starts_with(text.as_bytes()))
    }

    pub fn advance(&mut self, width: usize) {
        self.at = (self.at + width).min(self.text.len());
    }

    pub fn pass_while(&mut self, goes_on: impl Fn(u8) -> bool) {
        while self.byte(0).is_some_and(&goes_on) {
            self.at += 1;
        }
    }

    /// Passes the quote, expansion or escape that begins here, or else one byte.
    fn pass(&mut self) {
        self.pass_in(false);
    }

    /// The same, perhaps inside double quotes.
    pub fn pass_in(&mut self, quoted: bool) {
        match self.byte(0) {
            Some(b'\\') => self.advance(2),
            Some(b'\'') => self.single(),
            Some(b'`') => self.until_closed(1, b'`'),
            Some(b'"') => self.nest(1, Nest::Double),
            Some(b'<' | b'>') if self.byte(1) == Some(b'(') => self.nest(2, Nest::Commands),
            Some(b'$') => match self.expansion(quoted) {
                Some(inner) => self.nest(2, inner),
                None if !quoted && self.byte(1) == Some(b'\'') => self.until_closed(2, b'\''),
                None => self.advance(1),
            },
            _ => self.advance(1),
        }
    }

    /// Passes a word, up to the blank or operator that ends it.
    pub fn word(&mut self) {
        let start = self.at;
        while let Some(byte) = self.byte(0) {
            match byte {
                b'<' | b'>' if self.byte(1) == Some(b'(') => self.pass(),
                b'(' if self.at > start && self.goes_on() => self.parenthesis(),
                _ if ends_word(byte) => break,
                _ => self.pass(),
            }
        }
    }

    /// Does `(` belong to the word before it: `a=(…)`, `@(…)`?
    pub fn goes_on(&self) -> bool {
        matches!(self.before(), Some(b'=' | b'@' | b'?' | b'*' | b'+' | b'!'))
    }

    /// Passes that `(…)`.
    pub fn parenthesis(&mut self) {
        if self.before() != Some(b'=') {
            return self.nest(1, Nest::Plain);
        }
        let from = self.at;
        if !self.elements() {
            // Bash stops at what is no element, and goes on behind it.
            self.at = from + 1;
        }
    }

    /// Passes the elements of an array; `false` at an operator, or where it is not closed.
    fn elements(&mut self) -> bool {
        self.advance(1);
        while let Some(byte) = self.byte(0) {
            match byte {
                b')' => {
                    self.advance(1);
                    return true;
                }
                b'(' if matches!(self.before(), Some(b'@' | b'?' | b'*' | b'+' | b'!')) => {
                    self.nest(1, Nest::Plain);
                }
                b'&' | b';' | b'|' | b'(' => return false,
                b'#' if self.before().is_some_and(ends_word) => self.comment(),
                b'<' | b'>' if self.byte(1) != Some(b'(') => return false,
                _ => self.pass(),
            }
        }
        false
    }

    pub fn comment(&mut self) {
        self.pass_while(|b| b != b'\n');
    }

    /// Passes what is open at `width` bytes from here, with all that nests in it.
    pub fn nest(&mut self, width: usize, first: Nest) {
        let was_nested = std::mem::replace(&mut self.nested, true);
        self.pass_nest(width, first);
        self.nested = was_nested;
    }

    fn pass_nest(&mut self, width: usize, first: Nest) {
        self.advance(width);
        let mut open = vec![first];
        while let (Some(nest), Some(byte)) = (open.last().copied(), self.byte(0)) {
            let quoted = matches!(nest, Nest::Double | Nest::Brace { quoted: true });
            if let Some(inner) = self.expansion(quoted) {
                open.push(inner);
                self.advance(2);
                continue;
            }
            match (nest, byte) {
                (Nest::Double, b'"')
                | (Nest::Brace { .. }, b'}')
                | (Nest::Commands | Nest::Plain, b')') => {
                    open.pop();
                    self.advance(1);
                }
                (_, b'"') => {
                    open.push(Nest::Double);
                    self.advance(1);
                }
                (_, b'\\' | b'`') => self.pass(),
                (_, b'$' | b'\'') if !quoted => self.pass(),
                (Nest::Commands, b'(') if self.byte(1) != Some(b'(') => {
                    open.push(Nest::Commands);
                    self.advance(1);
                }
                (Nest::Commands | Nest::Plain, b'(') => {
                    open.push(Nest::Plain);
                    self.advance(1);
                }
                (Nest::Commands, b'#') if self.before().is_some_and(ends_word) => self.comment(),
                (Nest::Commands, b'<') => self.redirection(),
                (Nest::Commands, b'\n') => self.newline(),
                _ => self.advance(1),
            }
        }
    }

    /// `<<<`, `<<WORD` with its word, or one byte.
    pub fn redirection(&mut self) {
        if self.looking_at("<<<") {
            self.advance(3);
        } else if self.looking_at("<<") {
            self.heredoc();
        } else {
            self.advance(1);
        }
    }

    /// A newline, and the bodies of the here-documents before it.
    pub fn newline(&mut self) {
        self.advance(1);
        for Heredoc { delimiter, tabs, is_literal, nested } in std::mem::take(&mut self.heredocs) {
            let from = self.at;
            let mut to = self.text.len();
            while self.at < self.text.len() {
                let start = self.at;
                self.comment();
                let mut line = self.text.as_bytes().get(start..self.at).unwrap_or_default();
                self.advance(1);
                while tabs && let Some(rest) = line.strip_prefix(b"\t") {
                    line = rest;
                }
                if line == delimiter {
                    to = start;
                    break;
                }
            }
            if !nested {
                let text = self.text.get(from..to).unwrap_or_default().to_owned();
                self.bodies.push(Body { text, is_literal });
                self.ranges.push(from..to);
            }
        }
    }

    fn heredoc(&mut self) {
        self.advance(2);
        let tabs = self.byte(0) == Some(b'-');
        self.advance(usize::from(tabs));
        self.pass_while(|b| matches!(b, b' ' | b'\t'));
        let start = self.at;
        let mut delimiter = Vec::new();
        let mut quote = None;
        while let Some(byte) = self.byte(0) {
            match quote {
                Some(open) if open == byte => quote = None,
                Some(_) => delimiter.push(byte),
                None if ends_word(byte) => break,
                None if matches!(byte, b'\'' | b'"') => quote = Some(byte),
                None if byte == b'\\' => {
                    self.advance(1);
                    delimiter.extend(self.byte(0));
                }
                None => delimiter.push(byte),
            }
            self.advance(1);
        }
        if self.at > start {
            let typed = self.text.as_bytes().get(start..self.at).unwrap_or_default();
            let is_literal = typed.iter().any(|b| matches!(b, b'\'' | b'"' | b'\\'));
            let nested = self.nested;
            self.heredocs.push(Heredoc { delimiter, tabs, is_literal, nested });
        }
    }

    fn expansion(&self, quoted: bool) -> Option<Nest> {
        if self.byte(0) != Some(b'$') {
            return None;
        }
        match (self.byte(1), self.byte(2)) {
            (Some(b'('), Some(b'(')) => Some(Nest::Plain),
            (Some(b'('), _) => Some(Nest::Commands),
            (Some(b'{'), _) => Some(Nest::Brace { quoted }),
            _ => None,
        }
    }

    fn single(&mut self) {
        self.advance(1);
        self.pass_while(|b| b != b'\'');
        self.advance(1);
    }

    /// Up to the closing byte without a backslash before it.
    fn until_closed(&mut self, width: usize, close: u8) {
        self.advance(width);
        while let Some(byte) = self.byte(0)
            && byte != close
        {
            self.advance(if byte == b'\\' { 2 } else { 1 });
        }
        self.advance(1);
    }
}

/// The metacharacters of bash(1).
pub fn ends_word(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')')
}
