//! The words of one command, without its redirections.

use bstr::{BString, ByteSlice};

use super::scan::Scanner;

#[derive(Default)]
pub struct Word {
    pub text: BString,
    /// How much of the text stands before the first quote.
    bare: Option<usize>,
}

impl Word {
    /// Is it this word, without quotes?
    pub fn is(&self, text: &str) -> bool {
        self.bare.is_none() && self.text == text
    }

    /// `NAME=…`, `NAME+=…`, `NAME[…]=…`, the name without quotes.
    pub fn is_assignment(&self) -> bool {
        let is_name = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
        let name = self.text.iter().take_while(|b| is_name(b)).count();
        let rest = &self.text[name..];
        let behind = match rest.first() {
            Some(b'[') => rest.find_byte(b']').map_or(&rest[..0], |at| &rest[at + 1..]),
            _ => rest,
        };
        name > 0
            && !self.text[0].is_ascii_digit()
            && self.bare.is_none_or(|bare| bare > name)
            && (behind.starts_with(b"=") || behind.starts_with(b"+="))
    }

    /// `2` of `2>`, `{fd}` of `{fd}>`.
    fn is_descriptor(&self) -> bool {
        let is_variable = self.text.starts_with(b"{") && self.text.ends_with(b"}");
        self.bare.is_none() && (is_variable || self.text.iter().all(u8::is_ascii_digit))
    }
}

/// Splits at blanks and redirections, the quotes taken off.
pub fn words(text: &str) -> Vec<Word> {
    let mut reader =
        Reader { text, scan: Scanner::new(text), word: None, redirected: false, words: Vec::new() };
    reader.read();
    reader.words
}

struct Reader<'a> {
    text: &'a str,
    scan: Scanner<'a>,
    word: Option<Word>,
    /// The next word belongs to a redirection.
    redirected: bool,
    words: Vec<Word>,
}

impl Reader<'_> {
    fn read(&mut self) {
        while let Some(byte) = self.scan.byte(0) {
            match byte {
                b' ' | b'\t' | b'\n' => {
                    self.finish();
                    self.scan.advance(1);
                }
                b'\'' => self.single(),
                b'"' => self.double(),
                b'$' if self.scan.looking_at("$'") => self.ansi(),
                b'$' if self.scan.looking_at("$\"") => self.scan.advance(1),
                b'\\' => self.escape(|_| true),
                b'>' | b'<' if self.scan.byte(1) != Some(b'(') => self.redirection(),
                b'&' if self.scan.byte(1) == Some(b'>') => {
                    self.finish();
                    self.scan.advance(1);
                }
                b'(' if self.word.is_some() && self.scan.goes_on() => {
                    self.raw(|scan| scan.parenthesis());
                }
                _ => self.raw(|scan| scan.pass_in(false)),
            }
        }
        self.finish();
    }

    fn finish(&mut self) {
        if let Some(word) = self.word.take()
            && !std::mem::take(&mut self.redirected)
        {
            self.words.push(word);
        }
    }

    /// Takes what is passed as it was typed.
    fn raw(&mut self, pass: impl FnOnce(&mut Scanner<'_>)) {
        let from = self.scan.at;
        pass(&mut self.scan);
        let typed = self.text.as_bytes().get(from..self.scan.at).unwrap_or_default();
        self.word.get_or_insert_default().text.extend_from_slice(typed);
    }

    /// The word, which holds a quote from here on.
    fn quoted(&mut self) -> &mut BString {
        let word = self.word.get_or_insert_default();
        word.bare.get_or_insert(word.text.len());
        &mut word.text
    }

    fn single(&mut self) {
        let from = self.scan.at + 1;
        self.scan.pass_in(false);
        let inside = self.text.as_bytes().get(from..self.scan.at).unwrap_or_default();
        let inside = inside.strip_suffix(b"'").unwrap_or(inside);
        self.quoted().extend_from_slice(inside);
    }

    fn double(&mut self) {
        self.quoted();
        self.scan.advance(1);
        while let Some(byte) = self.scan.byte(0) {
            match byte {
                b'"' => break,
                b'\\' => self.escape(|b| matches!(b, b'"' | b'\\' | b'$' | b'`')),
                b'$' | b'`' => self.raw(|scan| scan.pass_in(true)),
                _ => self.raw(|scan| scan.advance(1)),
            }
        }
        self.scan.advance(1);
    }

    /// `$'…'`, with the escapes that are one letter.
    fn ansi(&mut self) {
        self.quoted();
        self.scan.advance(2);
        while let Some(byte) = self.scan.byte(0) {
            match (byte, self.scan.byte(1)) {
                (b'\'', _) => break,
                (b'\\', Some(b'n')) => self.replace(b'\n'),
                (b'\\', Some(b't')) => self.replace(b'\t'),
                (b'\\', _) => self.escape(|b| matches!(b, b'\'' | b'"' | b'\\' | b'?')),
                _ => self.raw(|scan| scan.advance(1)),
            }
        }
        self.scan.advance(1);
    }

    fn replace(&mut self, byte: u8) {
        self.quoted().push(byte);
        self.scan.advance(2);
    }

    /// A backslash, which is taken off before these bytes; with a newline it is nothing.
    fn escape(&mut self, taken_off: impl Fn(u8) -> bool) {
        match self.scan.byte(1) {
            Some(b'\n') | None => self.scan.advance(2),
            Some(byte) => {
                self.quoted();
                let width = usize::from(taken_off(byte));
                self.scan.advance(width);
                self.raw(|scan| scan.advance(2 - width));
            }
        }
    }

    fn redirection(&mut self) {
        if self.word.as_ref().is_some_and(Word::is_descriptor) {
            self.word = None;
        }
        self.finish();
        self.scan.pass_while(|b| matches!(b, b'>' | b'<' | b'&' | b'|'));
        // `<<-` strips tabs; in `>&-` the `-` is the word.
        if self.scan.looking_at("-") && self.scan.before() == Some(b'<') {
            self.scan.advance(1);
        }
        self.redirected = true;
    }
}
