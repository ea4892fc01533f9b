//! PowerShell text → its commands. It is no bash: it is cut at `|`, `;`, newline, `&&` and `||`
//! outside its own quotes (about_Quoting_Rules, about_Special_Characters), and at the parentheses
//! and braces around other commands. What quotes hold is not read.

use bstr::BString;

use crate::policy::{Operator, Stage};

/// One command of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Simple {
    /// As it was typed.
    pub source: String,
    pub stage: Stage,
    /// Quotes taken off; what only the shell will know as it was typed.
    pub words: Vec<BString>,
    /// Of these words more than text is needed to know them: by their places.
    pub unknown: Vec<usize>,
}

/// Further down a parenthesis only ends a command: each one that is open keeps its text.
const DEPTH: usize = 32;

/// The commands of a text, in the order they end.
pub fn powershell(text: &str) -> Vec<Simple> {
    let mut reader = Reader {
        text,
        at: 0,
        word: None,
        frame: Frame::at(0, Stage::First),
        outer: Vec::new(),
        found: Vec::new(),
    };
    reader.read();
    reader.found
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    word: Option<Word>,
    frame: Frame,
    /// What the parentheses and braces that are open stand in.
    outer: Vec<Frame>,
    found: Vec<Simple>,
}

/// A command that is being read.
struct Frame {
    start: usize,
    stage: Stage,
    words: Vec<Word>,
    /// Behind `&` or `.`: a quoted word is a command too.
    is_called: bool,
}

#[derive(Default)]
struct Word {
    bytes: Vec<u8>,
    is_quoted: bool,
    is_unknown: bool,
}

impl Frame {
    fn at(start: usize, stage: Stage) -> Self {
        Frame { start, stage, words: Vec::new(), is_called: false }
    }
}

impl Reader<'_> {
    fn read(&mut self) {
        while let Some(byte) = self.byte(0) {
            let is_first = self.word.is_none();
            match byte {
                b'`' => self.escape(),
                b'\'' | b'"' => self.quoted(),
                b'@' if is_first && self.is_here_string() => self.here_string(),
                b'#' if is_first => self.pass_to("\n", 0),
                b'<' if is_first && self.byte(1) == Some(b'#') => self.pass_to("#>", 2),
                b'|' if self.byte(1) == Some(b'|') => self.end(2, Stage::After(Operator::Or)),
                b'|' => self.end(1, Stage::Piped),
                b'&' if self.byte(1) == Some(b'&') => self.end(2, Stage::After(Operator::And)),
                b'&' if is_first && self.frame.words.is_empty() => {
                    self.frame.is_called = true;
                    self.at += 1;
                }
                b'&' if is_first => self.end(1, Stage::After(Operator::Sequence)),
                b';' => self.end(1, Stage::After(Operator::Sequence)),
                b'\n' | b'\r' => self.newline(),
                b'(' | b'{' => self.open(),
                b')' | b'}' => self.close(),
                b' ' | b'\t' => {
                    self.end_word();
                    self.at += 1;
                }
                _ => {
                    let word = self.word.get_or_insert_default();
                    word.is_unknown |= byte == b'$';
                    word.bytes.push(byte);
                    self.at += 1;
                }
            }
        }
        while !self.outer.is_empty() {
            self.close();
        }
        self.end(0, Stage::First);
    }

    fn byte(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    /// Behind the next of these from `from` bytes on; to the end where there is none.
    fn pass_to(&mut self, end: &str, from: usize) {
        let rest = self.text.as_bytes().get(self.at + from..).unwrap_or_default();
        let found = bstr::ByteSlice::find(rest, end);
        self.at = found.map_or(self.text.len(), |at| {
            let width = if end == "\n" { 0 } else { end.len() };
            self.at + from + at + width
        });
    }

    /// A back-quote: an escaped newline is a blank.
    fn escape(&mut self) {
        match (self.byte(1), self.byte(2)) {
            (Some(b'\r'), Some(b'\n')) => {
                self.end_word();
                self.at += 3;
            }
            (Some(b'\n'), _) => {
                self.end_word();
                self.at += 2;
            }
            (Some(byte), _) => {
                self.word.get_or_insert_default().bytes.push(escaped(byte));
                self.at += 2;
            }
            (None, _) => self.at += 1,
        }
    }

    /// To the quote that closes it: twice, it is one of the text.
    fn quoted(&mut self) {
        let Some(quote) = self.byte(0) else { return };
        let is_double = quote == b'"';
        let mut word = self.word.take().unwrap_or_default();
        word.is_quoted |= word.bytes.is_empty();
        self.at += 1;
        while let Some(byte) = self.byte(0) {
            let width = match byte {
                b if b == quote && self.byte(1) == Some(quote) => 2,
                b if b == quote => {
                    self.at += 1;
                    break;
                }
                b'`' if is_double => 2,
                _ => 1,
            };
            word.is_unknown |= is_double && byte == b'$';
            match (width, self.byte(1)) {
                (2, Some(next)) if byte == b'`' => word.bytes.push(escaped(next)),
                _ => word.bytes.push(byte),
            }
            self.at += width;
        }
        self.word = Some(word);
    }

    /// `@'` or `@"` at the end of a line.
    fn is_here_string(&self) -> bool {
        let behind = self.text.as_bytes().get(self.at + 2..).unwrap_or_default();
        let blanks = behind.iter().take_while(|b| matches!(b, b' ' | b'\t' | b'\r')).count();
        matches!(self.byte(1), Some(b'\'' | b'"')) && behind.get(blanks) == Some(&b'\n')
    }

    fn here_string(&mut self) {
        let end = if self.byte(1) == Some(b'"') { "\n\"@" } else { "\n'@" };
        let from = self.at;
        self.pass_to(end, 2);
        let bytes = self.text.as_bytes().get(from..self.at).unwrap_or_default().to_vec();
        self.word = Some(Word { bytes, is_quoted: true, is_unknown: true });
    }

    /// A newline behind an operator continues it.
    fn newline(&mut self) {
        self.end_word();
        match self.frame.words.is_empty() {
            true => {
                self.at += 1;
                self.frame.start = self.at;
            }
            false => self.end(1, Stage::After(Operator::Sequence)),
        }
    }

    fn open(&mut self) {
        if let Some(word) = &mut self.word {
            word.is_unknown = true;
        }
        if self.outer.len() == DEPTH {
            return self.end(1, Stage::First);
        }
        self.end_word();
        self.at += 1;
        let inner = Frame::at(self.at, Stage::First);
        self.outer.push(std::mem::replace(&mut self.frame, inner));
    }

    fn close(&mut self) {
        self.end(0, Stage::First);
        self.at = (self.at + 1).min(self.text.len());
        match self.outer.pop() {
            Some(outer) => self.frame = outer,
            None => self.frame.start = self.at,
        }
    }

    fn end_word(&mut self) {
        self.frame.words.extend(self.word.take());
    }

    /// Ends the command here; the next begins behind `width` bytes.
    fn end(&mut self, width: usize, next: Stage) {
        self.end_word();
        let end = self.at;
        self.at += width;
        let frame = std::mem::replace(&mut self.frame, Frame::at(self.at, next));
        let source = self.text.get(frame.start..end).unwrap_or_default().trim();
        let words = command(frame.words, frame.is_called);
        if words.is_empty() {
            return;
        }
        self.found.push(Simple {
            source: source.to_owned(),
            stage: frame.stage,
            unknown: (0..words.len()).filter(|at| words[*at].is_unknown).collect(),
            words: words.into_iter().map(|word| word.bytes.into()).collect(),
        });
    }
}

/// The words of the command itself: without what it is assigned to, and none where the text is a
/// value (about_Parsing: what begins with a quote, a sign of a variable or a number).
fn command(mut words: Vec<Word>, is_called: bool) -> Vec<Word> {
    const ASSIGNS: [&[u8]; 6] = [b"=", b"+=", b"-=", b"*=", b"/=", b"??="];
    let is_variable = |word: &Word| matches!(word.bytes.first(), Some(b'$' | b'['));
    if words.first().is_some_and(is_variable)
        && words.get(1).is_some_and(|word| ASSIGNS.contains(&word.bytes.as_slice()))
    {
        words.drain(..2);
    }
    let mut is_called = is_called;
    while words.len() > 1 && [&b"&"[..], b"."].contains(&words[0].bytes.as_slice()) {
        words.remove(0);
        is_called = true;
    }
    let is_value = |word: &Word| {
        let signs = |b: &u8| matches!(b, b'$' | b'@' | b'[' | b'-' | b'0'..=b'9');
        !is_called && (word.is_quoted || word.bytes.first().is_none_or(signs))
    };
    if words.first().is_some_and(is_value) { Vec::new() } else { words }
}

/// What a back-quote makes of a letter (about_Special_Characters).
fn escaped(byte: u8) -> u8 {
    match byte {
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_any_depth_comes_back() {
        let pieces =
            ["(", "{", ")", "\"", "'", "`", "@'\n", "<#", "#", "|", "&", "$x=", "é(`\r\n", "\r"];
        for piece in pieces {
            drop(powershell(&piece.repeat(100_000)));
            drop(powershell(&format!("{}gradle", piece.repeat(3))));
        }
    }
}
