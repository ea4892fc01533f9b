//! Shell text is read the same each time and in bounded time; what is found in it stands
//! there, and no command is lost because of what stands before or behind it.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use bstr::{BString, ByteSlice};
use embargo::line::{Command, Line, Nest, Piece, Way, leaves_unknown, parse};
use embargo::policy::{Ancestry, Stage};
use embargo::view::{Contents, View, encode};
use rustix::time::{ClockId, clock_gettime};

use super::Costly;

/// Longer texts are cut at their operators, and not parsed.
const LONGEST: usize = 64 << 10;
/// No fuzzer would make it up.
const PROBE: &str = "embargo-probe 'x y'";

static VIEW: LazyLock<Vec<u8>> = LazyLock::new(|| encode(&Contents::default()));

/// The CPU time that a text took at most.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Took {
    /// To read it.
    pub parse: Duration,
    /// To read it, and all texts that it gives to shells, and to take each command apart.
    pub calls: Duration,
}

impl Took {
    /// The longer of each.
    fn or(self, other: Self) -> Self {
        let (parse, calls) = (self.parse.max(other.parse), self.calls.max(other.calls));
        Took { parse, calls }
    }
}

/// Any bytes as shell text. Some are also repeated, up to the longest text that is parsed and
/// beyond: there it nests as deep and takes as long as it can. Such a text takes some thousand
/// times longer than it does alone, so that a fuzzer tries one of 65,536; `slowest` tries all
/// that the corpus has.
pub fn line(bytes: &[u8], costly: Costly) -> Took {
    let text = bytes.to_str_lossy();
    let mut took = Took { parse: read(&text), calls: Duration::ZERO };
    if costly.asks("calls", bytes) {
        took.calls = calls(&text);
    }
    if costly.asks("again", bytes) {
        assert_reads_the_same(&text);
        assert_not_lost(&text);
    }
    if costly.times(512).asks("longer", bytes) && !text.is_empty() {
        took = took.or(both(&repeated(&text, LONGEST / 8)));
    }
    if costly.times(4096).asks("long", bytes) && !text.is_empty() {
        let long = repeated(&text, LONGEST);
        took = took.or(both(&long));
        let too_long = format!("{long}{}", " ".repeat(LONGEST + 1 - long.len()));
        // The bodies of here-documents are data, and taken out before.
        let is_cut = text.contains("<<") || parse(&too_long).way == Way::Cut;
        assert!(is_cut, "too long, and parsed");
    }
    took
}

/// Its first half once, and its second again and again: `((` and then `-1`.
fn repeated(text: &str, length: usize) -> String {
    let half = (0..=text.len() / 2).rev().find(|at| text.is_char_boundary(*at));
    let (once, again) = text.split_at(half.unwrap_or_default());
    let count = (length - once.len().min(length)) / again.len();
    [once, &again.repeat(count)].concat()
}

fn both(text: &str) -> Took {
    Took { parse: read(text), calls: calls(text) }
}

fn read(text: &str) -> Duration {
    let start = cpu_time();
    let line = parse(text);
    let took = cpu_time() - start;
    assert_in_text(&line, text);
    took
}

fn calls(text: &str) -> Duration {
    let view = View::open(&VIEW).expect("a view");
    let start = cpu_time();
    let calls = view.calls_of_line(text, &Ancestry::default());
    let took = cpu_time() - start;
    let mut lines = calls.iter().filter_map(|call| call.line.as_ref());
    let whole = lines.next().expect("a call of a line has that line");
    assert!(**whole == *text && lines.clone().count() + 1 == calls.len());
    assert!(lines.all(|line| Arc::ptr_eq(line, whole)), "the line is copied for each call");
    assert!(calls.len() >= parse(text).commands.len(), "a command is no call");
    assert!(view.is_whole());
    took
}

/// Of this thread: other processes do not count.
fn cpu_time() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::try_from(now).unwrap_or_default()
}

fn assert_in_text(line: &Line, text: &str) {
    let mut behind = 0;
    for (at, command) in line.commands.iter().enumerate() {
        assert!(command.writers.iter().all(|writer| *writer < at), "{command:?}");
        assert_in_source(command);
        // What only assigns or redirects may be a compound command, around those before it.
        if is_of_the_text(command) && !command.words.is_empty() {
            let found = text.get(behind..).and_then(|rest| rest.find(&command.source));
            let found = found.unwrap_or_else(|| panic!("not in the text: {command:?}"));
            // Where the parser does not count a backslash and a newline, the end is a guess.
            if !command.source.contains("\\\n") {
                behind += found + command.source.len();
            }
        }
    }
}

/// Neither of a text that is expanded first, nor of one whose backslashes were taken off, nor
/// found once more.
fn is_of_the_text(command: &Command) -> bool {
    !command
        .nesting
        .iter()
        .any(|nest| matches!(nest, Nest::Substitution | Nest::Text | Nest::Again))
}

fn assert_in_source(command: &Command) {
    // A backslash and a newline are nothing, in the middle of a word too; one at the end is
    // given as two, which is what it means.
    let is_joined = command.source.contains("\\\n") || command.source.ends_with('\\');
    // With an option `time` is no reserved word, but a program, and the parser does not know.
    let time = usize::from(command.words.first().is_some_and(|word| word.source == "time"));
    for word in command.words.iter().skip(time) {
        // The blanks in an array are not those that were typed, nor those in a pattern.
        let is_joined = is_joined || word.source.contains('(');
        assert!(is_joined || command.source.contains(&word.source), "{word:?}: {command:?}");
        assert!(!word.pieces.is_empty(), "a word of nothing: {command:?}");
        let dynamic = word.pieces.iter().filter_map(|piece| match piece {
            Piece::Dynamic { source, .. } if source.len() > 1 => Some(source),
            _ => None,
        });
        dynamic.for_each(|source| assert!(word.source.contains(source), "{word:?}"));
    }
    assert!(command.argv().len() <= command.words.len(), "{command:?}");
}

fn assert_reads_the_same(text: &str) {
    let line = parse(text);
    assert!(line == parse(text), "read twice, understood twice");
    let is_unknown = line.commands.iter().any(Command::is_dynamic) || line.way == Way::Cut;
    assert!(!is_unknown || leaves_unknown(text), "what is dynamic is known");
}

/// A command on a line of its own is found, whatever stands behind it; and behind a text that
/// is complete.
fn assert_not_lost(text: &str) {
    let before = parse(&format!("{PROBE}\n{text}"));
    let first = before.commands.first().expect("a command is lost");
    assert!(is_probe(first) && first.stage == Stage::First, "not the first: {first:?}");
    assert!(first.nesting.is_empty(), "in something: {first:?}");

    let is_complete =
        parse(text).way == Way::Parsed && !text.ends_with('\\') && !text.contains("<<");
    if is_complete {
        let behind = parse(&format!("{text}\n{PROBE}"));
        assert!(behind.commands.iter().any(is_probe), "lost behind {text:?}: {behind:?}");
    }
}

fn is_probe(command: &Command) -> bool {
    command.argv() == ["embargo-probe", "x y"].map(BString::from)
}
