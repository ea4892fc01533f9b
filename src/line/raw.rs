//! A simple command before anything in it is expanded: its words and redirections as they
//! were typed, from the parser's tree or from a part that was cut.

use rable::{Node, NodeKind};

use super::command::RedirectOperator;
use super::expects::KEYWORDS;
use super::scan::{Body, Scanner, ends_word};

/// A simple command as text.
#[derive(Debug, Default)]
pub struct Raw {
    pub source: String,
    pub assignments: Vec<String>,
    pub words: Vec<String>,
    pub redirections: Vec<RawRedirection>,
}

impl Raw {
    /// Did the parser take for words what are none? rable 0.2.2 accepts a redirection, and
    /// `coproc`, that end with their line, with the newline for a word.
    pub fn is_misread(&self) -> bool {
        self.words.iter().any(|word| word.starts_with('\n') || swallows(word))
            || self.assignments.iter().any(|text| swallows(text))
            || self.redirections.iter().any(lacks_target)
    }
}

/// A redirection as text.
#[derive(Debug)]
pub struct RawRedirection {
    pub descriptor: Option<String>,
    pub operator: RedirectOperator,
    pub target: String,
    pub document: Option<Body>,
}

/// The words of nodes that are words.
pub fn texts(nodes: Vec<Node>) -> Vec<String> {
    nodes.into_iter().filter_map(text).collect()
}

/// The text of a node that is a word.
pub fn text(node: Node) -> Option<String> {
    match node.kind {
        NodeKind::Word { value, .. } | NodeKind::CondTerm { value, .. } => Some(value),
        _ => None,
    }
}

/// The redirections of nodes that are these.
pub fn redirections(nodes: Vec<Node>) -> Vec<RawRedirection> {
    nodes.into_iter().filter_map(redirection).collect()
}

fn redirection(node: Node) -> Option<RawRedirection> {
    let number = |fd: i32| (fd >= 0).then(|| fd.to_string());
    match node.kind {
        NodeKind::Redirect { op, target, fd, varfd } => {
            let descriptor = varfd.map(|name| format!("{{{name}}}")).or(number(fd));
            let closes = op == ">&-";
            let (operator, _) = RedirectOperator::at_start(&op)?;
            let target = if closes { "-".to_owned() } else { text(*target)? };
            Some(RawRedirection { descriptor, operator, target, document: None })
        }
        NodeKind::HereDoc { delimiter, content, quoted, fd, .. } => Some(RawRedirection {
            descriptor: number(fd),
            operator: RedirectOperator::HereDocument,
            target: delimiter,
            document: Some(Body { text: content, is_literal: quoted }),
        }),
        _ => None,
    }
}

/// `>` at the end of a line; or in a word that is none.
pub fn lacks_target(redirection: &RawRedirection) -> bool {
    let target = &redirection.target;
    target.is_empty() || target.starts_with('\n') || swallows(target)
}

/// A part that was cut, its leading reserved words taken off; the bodies of its here-documents
/// are the next ones.
pub fn from_part(part: &str, bodies: &mut impl Iterator<Item = Body>) -> Raw {
    let mut reader = Reader { text: part, scan: Scanner::new(part), raw: Raw::default() };
    reader.read();
    let mut raw = reader.raw;
    raw.source = part.to_owned();
    for redirection in &mut raw.redirections {
        if redirection.operator == RedirectOperator::HereDocument {
            redirection.document = bodies.next();
        }
    }
    let mut words = std::mem::take(&mut raw.words).into_iter().peekable();
    let mut is_time = false;
    while let Some(word) = words.peek() {
        is_time = word == "time";
        if is_assignment(word) {
            raw.assignments.extend(words.next());
        } else if KEYWORDS.contains(&word.as_str()) {
            words.next();
            while is_time && words.next_if(|word| word == "-p").is_some() {}
        } else {
            break;
        }
    }
    raw.words = words.collect();
    if is_time {
        behind_time(&mut raw.words);
    }
    raw
}

/// What stands behind the reserved word `time` and its `-p`, where a pipeline begins anew: with
/// another option it is the program of that name, and reads that itself.
pub fn behind_time(words: &mut Vec<String>) {
    let is_reserved = |word: &&String| matches!(word.as_str(), "--" | "-p" | "!" | "time");
    let reserved = words.iter().take_while(is_reserved).count();
    let is_option = words.get(reserved).is_some_and(|word| word.starts_with('-'));
    words.drain(..reserved);
    if is_option {
        words.insert(0, "time".to_owned());
    }
}

/// The words between the parentheses of `a=(…)`.
pub fn elements(text: &str) -> Vec<String> {
    let mut scan = Scanner::new(text);
    let mut words = Vec::new();
    while let Some(byte) = scan.byte(0) {
        match byte {
            b' ' | b'\t' | b'\n' => scan.advance(1),
            b'#' => scan.comment(),
            _ => {
                let from = scan.at;
                scan.word();
                if scan.at == from {
                    scan.advance(1);
                }
                words.extend(text.get(from..scan.at).map(str::to_owned));
            }
        }
    }
    words
}

/// How much of a text belongs to the simple command at its start.
pub fn width(text: &str) -> usize {
    let mut reader = Reader { text, scan: Scanner::new(text), raw: Raw::default() };
    reader.read();
    text.get(..reader.scan.at).map_or(0, |read| read.trim_end().len())
}

struct Reader<'a> {
    text: &'a str,
    scan: Scanner<'a>,
    raw: Raw,
}

impl Reader<'_> {
    fn read(&mut self) {
        while let Some(byte) = self.scan.byte(0) {
            let rest = self.text.get(self.scan.at..).unwrap_or_default();
            let is_process = matches!(byte, b'<' | b'>') && self.scan.byte(1) == Some(b'(');
            match byte {
                b' ' | b'\t' => self.scan.advance(1),
                b'\\' if self.scan.byte(1) == Some(b'\n') => self.scan.advance(2),
                _ if !is_process && let Some(found) = RedirectOperator::at_start(rest) => {
                    self.redirection(None, found);
                }
                b'\n' | b';' | b'&' | b'|' | b'(' | b')' => break,
                _ => self.word(),
            }
        }
    }

    fn word(&mut self) {
        let word = self.passed();
        let rest = self.text.get(self.scan.at..).unwrap_or_default();
        match RedirectOperator::at_start(rest) {
            Some(found) if is_descriptor(&word) && !rest.starts_with('&') => {
                self.redirection(Some(word), found);
            }
            _ => self.raw.words.push(word),
        }
    }

    fn redirection(&mut self, descriptor: Option<String>, found: (RedirectOperator, usize)) {
        let (operator, width) = found;
        self.scan.advance(width);
        self.scan.pass_while(|b| matches!(b, b' ' | b'\t'));
        let target = self.passed();
        self.raw.redirections.push(RawRedirection { descriptor, operator, target, document: None });
    }

    fn passed(&mut self) -> String {
        let from = self.scan.at;
        self.scan.word();
        self.text.get(from..self.scan.at).unwrap_or_default().to_owned()
    }
}

/// `2` of `2>`, `{fd}` of `{fd}>`.
fn is_descriptor(word: &str) -> bool {
    let is_variable = word.len() > 2 && word.starts_with('{') && word.ends_with('}');
    is_variable || !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit())
}

/// `NAME=VALUE`, taken apart.
pub struct RawAssignment<'a> {
    pub name: &'a str,
    /// `name[…]`
    pub subscript: &'a str,
    pub appends: bool,
    pub value: &'a str,
}

/// Reads `NAME=…`, `NAME+=…`, `NAME[…]=…`.
pub fn assignment(word: &str) -> Option<RawAssignment<'_>> {
    let is_name = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
    let width = word.bytes().take_while(|b| is_name(b)).count();
    let (name, rest) = word.split_at_checked(width)?;
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let end = if rest.starts_with('[') { rest.find(']').map(|at| at + 1)? } else { 0 };
    let (subscript, rest) = rest.split_at_checked(end)?;
    let appends = rest.starts_with("+=");
    let value = rest.strip_prefix(if appends { "+=" } else { "=" })?;
    Some(RawAssignment { name, subscript, appends, value })
}

/// Is all that follows in this word, since its `name[` has no `]`? So it is to bash in the place
/// of a command, where it then finds no end; not behind `>`, and not to other shells.
fn swallows(word: &str) -> bool {
    let mut scan = Scanner::new(word);
    scan.pass_while(|b| b.is_ascii_alphanumeric() || b == b'_');
    if scan.at == 0 || scan.byte(0) != Some(b'[') {
        return false;
    }
    let (mut open, mut swallows) = (0_usize, false);
    while let Some(byte) = scan.byte(0) {
        match byte {
            b'[' => open += 1,
            b']' if open == 1 => return false,
            b']' => open -= 1,
            _ => {
                swallows |= ends_word(byte);
                scan.pass_in(false);
                continue;
            }
        }
        scan.advance(1);
    }
    swallows
}

fn is_assignment(word: &str) -> bool {
    assignment(word).is_some()
}
