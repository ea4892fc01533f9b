//! What the parser may be given: rable recurses, clones and drops by depth, so that its stack
//! and its time are bounded before it sees a text. Linear, and blind to quotes wherever being
//! misled by them would count less than there is.

/// Longer texts are cut, whatever is in them.
const LENGTH: usize = 64 << 10;
/// Nested parentheses, braces and back-quotes.
const DEPTH: usize = 16;
/// Length × (depth + 1)²: its time.
const WORK: usize = 400_000;
/// The same of all the texts in a line together.
pub const ALL_WORK: usize = 4 * WORK;
/// Openers of any kind, nested or not: the stack, however the nesting is disguised.
const OPENERS: usize = 512;
const BRACES: usize = 512;
/// `&&` and `||` between `[[` and `]]`.
const TESTS: usize = 64;
/// Lists and pipelines are trees that are as deep as they are long.
const OPERATORS: usize = 1024;
/// Reserved words that open something, and `!`.
const KEYWORDS: usize = 128;
/// Where there is arithmetic: its unary operators recurse.
const SIGNS: usize = 512;

/// Words behind which the parser goes one deeper.
const OPENING: [&[u8]; 10] = [
    b"if",
    b"elif",
    b"while",
    b"until",
    b"for",
    b"case",
    b"select",
    b"function",
    b"coproc",
    b"time",
];

/// Is this text shallow and short enough to be parsed? Then what that costs: its length times the
/// square of its depth.
pub fn admits(text: &str) -> Option<usize> {
    if text.len() > LENGTH {
        return None;
    }
    let has_arithmetic = text.contains("((") || text.contains("$[");
    let counts = Counts::of(text)?;
    let is_small = counts.are_few(text.len()) && (!has_arithmetic || counts.signs <= SIGNS);
    is_small.then(|| counts.work(text.len()))
}

#[derive(Default)]
struct Counts {
    depth: usize,
    openers: usize,
    braces: usize,
    tests: usize,
    operators: usize,
    keywords: usize,
    /// Patterns of `case` whose `)`, which closes nothing, may still come or has taken an opener
    /// away: so much deeper may it be than it looks.
    patterns: usize,
    /// The most that depth and patterns came to together.
    work_depth: usize,
    signs: usize,
}

impl Counts {
    /// None as soon as there is too much of anything: no count ever sinks but `patterns`.
    fn of(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let mut counts = Counts::default();
        // Once blind to quotes, once aware of them: what misleads one does not mislead both.
        let mut blind = 0_usize;
        let mut quotes = Quotes::default();
        let (mut in_test, mut word, mut backquotes) = (false, 0, 0);
        for (at, &byte) in bytes.iter().enumerate() {
            if byte.is_ascii_alphabetic() {
                continue;
            }
            counts.word(bytes.get(word..at).unwrap_or_default());
            word = at + 1;
            if byte.is_ascii_digit() || matches!(byte, b' ' | b'.' | b'_') {
                continue;
            }
            let next = bytes.get(at + 1).copied();
            match byte {
                b'(' | b'{' => {
                    counts.openers += 1;
                    counts.braces += usize::from(byte == b'{');
                    blind += 1;
                }
                b')' if blind == 0 => counts.patterns = counts.patterns.saturating_sub(1),
                b')' | b'}' => blind = blind.saturating_sub(1),
                b'`' => {
                    counts.openers += 1;
                    backquotes += 1;
                }
                b'[' if next == Some(b'[') => in_test = true,
                b']' if next == Some(b']') => in_test = false,
                b'&' | b'|' if next == Some(byte) && in_test => counts.tests += 1,
                b';' if matches!(next, Some(b';' | b'&')) => {
                    counts.patterns += usize::from(!ends_case(bytes, at));
                }
                b'!' => counts.keywords += 1,
                _ => {}
            }
            quotes.pass(byte, at.checked_sub(1).and_then(|at| bytes.get(at)).copied());
            counts.operators += usize::from(matches!(byte, b';' | b'&' | b'|' | b'\n'));
            counts.signs += usize::from(b"-+~!?*/%<=^,".contains(&byte));
            let depth = blind.max(quotes.open.len());
            counts.depth = counts.depth.max(depth);
            counts.work_depth = counts.work_depth.max(depth + counts.patterns);
            if !counts.are_few(text.len()) {
                return None;
            }
        }
        counts.word(bytes.get(word..).unwrap_or_default());
        // Each pair of back-quotes may hold the next, but a few pairs side by side are common.
        counts.depth += usize::from(backquotes > 0) + backquotes / 16;
        Some(counts)
    }

    fn work(&self, length: usize) -> usize {
        let depth = self.work_depth.max(self.depth) + 1;
        length.saturating_mul(depth.saturating_mul(depth))
    }

    /// Are they all within their bounds, in a text of this length?
    fn are_few(&self, length: usize) -> bool {
        self.depth <= DEPTH
            && self.work(length) <= WORK
            && self.openers <= OPENERS
            && self.braces <= BRACES
            && self.tests <= TESTS
            && self.operators <= OPERATORS
            && self.keywords <= KEYWORDS
    }

    fn word(&mut self, word: &[u8]) {
        if word.len() > 1 && OPENING.contains(&word) {
            self.keywords += 1;
            self.patterns += usize::from(word == b"case");
        }
    }
}

/// `;; esac`, not far apart: no pattern follows.
fn ends_case(bytes: &[u8], at: usize) -> bool {
    let rest = bytes.get(at..).unwrap_or_default();
    let behind = rest
        .iter()
        .take(64)
        .take_while(|b| matches!(b, b';' | b'&' | b' ' | b'\t' | b'\n'))
        .count();
    rest.get(behind..).is_some_and(|rest| rest.starts_with(b"esac"))
}

/// What is open, and whether each stands in double quotes.
#[derive(Default)]
struct Quotes {
    open: Vec<bool>,
    single: bool,
    double: bool,
}

impl Quotes {
    fn pass(&mut self, byte: u8, before: Option<u8>) {
        match byte {
            b'\'' if !self.double => self.single = !self.single,
            b'"' if !self.single => self.double = !self.double,
            b'(' | b'{' if !self.single && (!self.double || before == Some(b'$')) => {
                self.open.push(self.double);
                self.double = false;
            }
            b')' | b'}' if !self.single && !self.double => {
                self.double = self.open.pop().unwrap_or_default();
            }
            _ => {}
        }
    }
}
