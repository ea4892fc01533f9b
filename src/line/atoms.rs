//! A word's text → its bytes, each quoted or not, and its expansions, with the commands that
//! stand inside these. Quotes stay in the parts that the parser gives, and a quote that is open
//! in one part is so in the next: hence the word is read whole.

use super::ansi::unescaped;
use super::scan::{Nest, Scanner};
use super::word::Dynamic;

/// The smallest part of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Atom {
    Byte {
        byte: u8,
        quoted: bool,
    },
    /// Quotes, perhaps around nothing: there is a word.
    Quotes,
    Expansion {
        source: String,
        kind: Dynamic,
        name: Option<String>,
        quoted: bool,
        instead: Option<Instead>,
    },
}

/// What `${x:-…}` and `${x:+…}` give instead of the value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instead {
    pub when: When,
    pub text: String,
}

/// When that is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// `-`, `=`
    Unset,
    /// `+`
    Set,
}

/// A word's atoms, and the texts in it that are commands.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Atoms {
    pub atoms: Vec<Atom>,
    pub inside: Vec<String>,
}

/// What quotes are in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quoting {
    /// A word: they quote.
    Word,
    /// A here-document, arithmetic: bytes like others.
    None,
}

/// Expansions inside expansions: further down nothing is looked at.
const DEPTH: usize = 16;

/// Reads a text.
pub fn atoms(text: &str, quoting: Quoting) -> Atoms {
    let mut reader = Reader {
        text,
        scan: Scanner::new(text),
        quoting,
        double: quoting == Quoting::None,
        depth: DEPTH,
        found: Atoms::default(),
    };
    reader.read();
    reader.found
}

/// The commands in a text that is no word of a command: a test, arithmetic, a here-document.
pub fn commands_in(text: &str, quoting: Quoting) -> Vec<String> {
    atoms(text, quoting).inside
}

struct Reader<'a> {
    text: &'a str,
    scan: Scanner<'a>,
    quoting: Quoting,
    double: bool,
    depth: usize,
    found: Atoms,
}

impl<'a> Reader<'a> {
    fn read(&mut self) {
        while let Some(byte) = self.scan.byte(0) {
            let next = self.scan.byte(1);
            match byte {
                b'\\' => self.backslash(),
                b'"' if self.quoting == Quoting::Word => {
                    self.found.atoms.push(Atom::Quotes);
                    self.double = !self.double;
                    self.scan.advance(1);
                }
                b'\'' if !self.double => self.single(),
                b'$' if next == Some(b'\'') && !self.double => self.ansi(),
                b'$' if next == Some(b'"') && !self.double => self.scan.advance(1),
                b'$' => self.dollar(),
                b'`' => self.backquotes(),
                b'<' | b'>' if next == Some(b'(') && !self.double => self.substitution(),
                _ => self.byte(byte, self.double),
            }
        }
    }

    fn byte(&mut self, byte: u8, quoted: bool) {
        self.found.atoms.push(Atom::Byte { byte, quoted });
        self.scan.advance(1);
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.found.atoms.push(Atom::Quotes);
        self.found.atoms.extend(bytes.iter().map(|&byte| Atom::Byte { byte, quoted: true }));
    }

    fn backslash(&mut self) {
        let next = self.scan.byte(1);
        let is_special = match self.quoting {
            Quoting::Word => next.is_some_and(|b| matches!(b, b'"' | b'\\' | b'$' | b'`')),
            Quoting::None => next.is_some_and(|b| matches!(b, b'\\' | b'$' | b'`')),
        };
        match next {
            Some(b'\n') => self.scan.advance(2),
            Some(byte) if !self.double || is_special => {
                self.scan.advance(1);
                self.byte(byte, true);
            }
            _ => self.byte(b'\\', true),
        }
    }

    fn single(&mut self) {
        let from = self.scan.at + 1;
        self.scan.pass_in(false);
        let inside = self.between(from, self.scan.at);
        self.bytes(inside.strip_suffix('\'').unwrap_or(inside).as_bytes());
    }

    fn ansi(&mut self) {
        let from = self.scan.at + 2;
        self.scan.pass_in(false);
        let inside = self.between(from, self.scan.at);
        self.bytes(&unescaped(inside.strip_suffix('\'').unwrap_or(inside).as_bytes()));
    }

    fn dollar(&mut self) {
        let scan = &self.scan;
        match scan.byte(1) {
            Some(b'(') => self.substitution(),
            Some(b'{') => self.parameter(),
            Some(b'[') => self.old_arithmetic(),
            Some(b) if b.is_ascii_alphabetic() || b == b'_' => {
                let from = self.scan.at;
                self.scan.advance(1);
                self.scan.pass_while(|b| b.is_ascii_alphanumeric() || b == b'_');
                let name = self.between(from + 1, self.scan.at).to_owned();
                self.expansion(from, Dynamic::Variable, Some(name));
            }
            Some(b'0'..=b'9' | b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!') => {
                let from = self.scan.at;
                self.scan.advance(2);
                let name = self.between(from + 1, self.scan.at);
                let name = is_positional(name).then(|| name.to_owned());
                self.expansion(from, Dynamic::Variable, name);
            }
            _ => self.byte(b'$', self.double),
        }
    }

    /// `$((…))`, `$(…)`, `<(…)`, `>(…)`
    fn substitution(&mut self) {
        let from = self.scan.at;
        if self.scan.looking_at("$((") {
            self.scan.nest(3, Nest::Plain);
            if self.scan.byte(0) == Some(b')') {
                let inside = self.between(from + 3, self.scan.at.saturating_sub(1));
                self.scan.advance(1);
                self.look_into(inside, Quoting::None);
                return self.expansion(from, Dynamic::Arithmetic, None);
            }
            // Two subshells in a substitution.
            self.scan.at = from;
        }
        self.scan.nest(2, Nest::Commands);
        let mut inside = self.closed(from + 2, b')');
        // `case x in a)`: this was not yet the end.
        for _ in 0..8 {
            if self.scan.byte(0).is_none() || !super::parse::has_open_case(inside) {
                break;
            }
            self.scan.nest(0, Nest::Commands);
            inside = self.closed(from + 2, b')');
        }
        self.command(inside.to_owned());
        self.expansion(from, Dynamic::Substitution, None);
    }

    fn backquotes(&mut self) {
        let from = self.scan.at;
        self.scan.pass_in(self.double);
        let inside = self.closed(from + 1, b'`');
        let mut text = String::new();
        let mut characters = inside.chars().peekable();
        while let Some(character) = characters.next() {
            let is_taken_off =
                |next: &char| matches!(next, '$' | '`' | '\\') || self.double && *next == '"';
            match characters.next_if(|next| character == '\\' && is_taken_off(next)) {
                Some(escaped) => text.push(escaped),
                None => text.push(character),
            }
        }
        self.command(text);
        self.expansion(from, Dynamic::Substitution, None);
    }

    /// `${…}`
    fn parameter(&mut self) {
        let from = self.scan.at;
        self.scan.nest(2, Nest::Brace { quoted: self.double });
        let inside = self.closed(from + 2, b'}');
        let is_name = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
        let starts = inside.bytes().next().is_some_and(|b| !b.is_ascii_digit());
        let is_named = starts && inside.bytes().all(is_name) || is_positional(inside);
        let is_element = || {
            let element = inside.strip_suffix(']').and_then(|inside| inside.split_once('['));
            element.is_some_and(|(name, at)| name.bytes().all(is_name) && is_positional(at))
        };
        if is_named || starts && is_element() {
            return self.expansion(from, Dynamic::Variable, Some(inside.to_owned()));
        }
        self.look_into(inside, if self.double { Quoting::None } else { Quoting::Word });
        let width = inside.bytes().take_while(|b| is_name(*b)).count();
        let (name, rest) = inside.split_at_checked(width).unwrap_or_default();
        let rest = rest.strip_prefix(':').unwrap_or(rest);
        let when = match rest.bytes().next() {
            Some(b'-' | b'=') => Some(When::Unset),
            Some(b'+') => Some(When::Set),
            _ => None,
        };
        match when.filter(|_| width > 0) {
            Some(when) => {
                let instead = Instead { when, text: rest.get(1..).unwrap_or_default().to_owned() };
                self.expand_or(from, Dynamic::Variable, Some(name.to_owned()), Some(instead));
            }
            None => self.expansion(from, Dynamic::Variable, None),
        }
    }

    /// `$[…]`
    fn old_arithmetic(&mut self) {
        let from = self.scan.at;
        self.scan.advance(2);
        while let Some(byte) = self.scan.byte(0)
            && byte != b']'
        {
            self.scan.pass_in(true);
        }
        self.scan.advance(1);
        let inside = self.closed(from + 2, b']');
        self.look_into(inside, Quoting::None);
        self.expansion(from, Dynamic::Arithmetic, None);
    }

    fn command(&mut self, text: String) {
        self.found.inside.push(text);
    }

    fn look_into(&mut self, text: &'a str, quoting: Quoting) {
        let Some(depth) = self.depth.checked_sub(1) else { return };
        if !text.contains(['$', '`', '<', '>']) {
            return;
        }
        let (scan, found) = (Scanner::new(text), Atoms::default());
        let double = quoting == Quoting::None;
        let mut inner = Reader { text, scan, quoting, double, depth, found };
        inner.read();
        self.found.inside.append(&mut inner.found.inside);
    }

    fn expansion(&mut self, from: usize, kind: Dynamic, name: Option<String>) {
        self.expand_or(from, kind, name, None);
    }

    fn expand_or(
        &mut self,
        from: usize,
        kind: Dynamic,
        name: Option<String>,
        instead: Option<Instead>,
    ) {
        let source = self.between(from, self.scan.at).to_owned();
        self.found.atoms.push(Atom::Expansion { source, kind, name, quoted: self.double, instead });
    }

    /// What lies from there to here, without the byte that closes it.
    fn closed(&self, from: usize, close: u8) -> &'a str {
        let inside = self.between(from, self.scan.at);
        inside.strip_suffix(char::from(close)).unwrap_or(inside)
    }

    fn between(&self, from: usize, to: usize) -> &'a str {
        self.text.get(from..to.max(from)).unwrap_or_default()
    }
}

/// `1`, `12`, `@`, `*`: what a script or function was given.
fn is_positional(name: &str) -> bool {
    matches!(name, "@" | "*") || !name.is_empty() && name.bytes().all(|b| b.is_ascii_digit())
}
