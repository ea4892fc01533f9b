//! An argv is taken apart without losing or inventing a word, and text is only ever cut.

use std::sync::LazyLock;

use bstr::{BString, ByteSlice};
use embargo::command::{Catalogue, Grammar, Words, Wrapped, Wraps, join, parse};
use embargo::config::catalogue;
use embargo::line::{cut, leaves_unknown, split};
use embargo::policy::Ancestry;
use embargo::view::{Contents, View, encode};

use super::Costly;

static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| catalogue(&[]).0);
static VIEW: LazyLock<Vec<u8>> = LazyLock::new(|| encode(&Contents::default()));

/// For an argv whose first word is no name of `shims/`: some that read arguments differently.
const NAMES: &[&str] = &[
    "aws",
    "bash",
    "cargo",
    "docker",
    "env",
    "find",
    "gcc",
    "git",
    "go",
    "gradle",
    "head",
    "helm",
    "kubectl",
    "make",
    "nice",
    "node",
    "npm",
    "npx",
    "p4",
    "perl",
    "pip",
    "psql",
    "python3.12",
    "rm",
    "rsync",
    "ruby",
    "sed",
    "sh",
    "ssh",
    "stdbuf",
    "sudo",
    "systemctl",
    "tail",
    "tar",
    "time",
    "timeout",
    "uv",
    "xargs",
    "yarn",
    "zsh",
];

/// Any bytes: an argv with NUL between its words, and shell text.
///
/// The first word is the program where one of its name is described; else its bytes choose one.
pub fn words(bytes: &[u8], costly: Costly) {
    let mut argv: Vec<BString> = bytes.split(|b| *b == 0).map(BString::from).collect();
    if CATALOGUE.canonical(argv[0].as_bstr()).is_none() {
        let sum: usize = argv[0].iter().map(|b| usize::from(*b)).sum();
        argv[0] = NAMES[sum % NAMES.len()].into();
    }
    assert_accounted_for(&argv);
    if costly.asks("again", bytes) {
        assert_reads_the_same(&argv);
    }
    if costly.asks("as text", bytes) {
        text(&bytes.to_str_lossy());
    }
}

fn assert_accounted_for(argv: &[BString]) {
    let words = parse(argv, &CATALOGUE);
    assert_eq!(words.argv(), argv);
    let read = Reading::of(&words);
    for word in &argv[1..] {
        assert!(read.explains(word), "{word:?} is lost: {words:?}");
    }
    if !read.splits() {
        read.assert_nothing_invented(&argv[1..]);
    }
    // A leading keyword (`time`) or builtin is set aside by design: another stands there.
    let mut argv = argv.to_vec();
    argv[0] = "prog".into();
    if argv.iter().all(|word| word.to_str().is_ok()) {
        assert_eq!(split(&join(&argv)), argv, "quoted, and read back");
    }
}

/// Read twice, and by way of a view.
fn assert_reads_the_same(argv: &[BString]) {
    let words = parse(argv, &CATALOGUE);
    assert_eq!(words, parse(argv, &CATALOGUE), "read twice, understood twice");
    let view = View::open(&VIEW).expect("a view");
    assert_eq!(words, view.words(argv), "the view reads it otherwise");
    assert!(!view.calls(argv, &Ancestry::default()).is_empty() && view.is_whole());
}

/// What became of an argv, and the grammars by which it was read.
struct Reading<'w> {
    words: &'w Words,
    grammars: Vec<Grammar>,
}

impl<'w> Reading<'w> {
    fn of(words: &'w Words) -> Self {
        let mut path = words.program().to_str_lossy().into_owned();
        let mut grammars: Vec<Grammar> = CATALOGUE.grammar(&path).into_iter().collect();
        // A word that may be an option's value can stand between two subcommands.
        for word in words.words() {
            let below = format!("{path} {}", word.text);
            if let Some(grammar) = CATALOGUE.grammar(&below) {
                path = below;
                grammars.push(grammar);
            }
        }
        Reading { words, grammars }
    }

    /// Does something that was read stand for this argument?
    fn explains(&self, given: &BString) -> bool {
        let words = self.words;
        let is_given = |word: &BString| word == given;
        let in_wrapped = |wrapped: &Wrapped| match wrapped {
            Wrapped::Argv(argv) => argv.iter().any(is_given),
            Wrapped::Text(text) => text == given,
        };
        // A shell's parameters are no words of ours, `;` ends find's `-exec`, `--` the options.
        words.wrapped().iter().any(|w| matches!(w, Wrapped::Text(_)))
            // An empty text is none: ssh.
            || given.is_empty() && self.grammars.iter().any(|grammar| grammar.wraps == Wraps::Line)
            || given == "--"
            || given == ";"
            || [":::", ":::+", "::::", "::::+"].iter().any(|sign| given == sign)
            || given == "+"
            || words.words().iter().any(|word| is_given(&word.text))
            || words.wrapped().iter().any(in_wrapped)
            || words.flags().iter().any(|flag| self.is_part_of(given, flag))
            || self.grammars.iter().any(|grammar| is_alias(grammar, given))
            || self.grammars.iter().any(|grammar| is_letters(grammar, given))
            || given.find_byte(b'=').is_some_and(|at| at > 0 && given[0] != b'-')
    }

    /// An option in one of its spellings, with or without its value, or that value.
    fn is_part_of(&self, given: &BString, flag: &embargo::command::Flag) -> bool {
        let is_value = flag.value.as_ref().is_some_and(|value| value.contains_str(given));
        let name = given.split_once_str("=").map_or(&given[..], |(name, _)| name);
        let spelled = |spelling: &[u8]| {
            spelling.starts_with(name)
                || given.starts_with(spelling)
                // A bundle: `-uf`, and a shell's `+x`.
                || spelling.len() == 2 && given[0] == spelling[0] && given.contains(&spelling[1])
        };
        let specs = self.grammars.iter().filter_map(|grammar| grammar.option(&flag.name));
        let mut spellings =
            specs.flat_map(|spec| spec.names().map(str::to_owned).collect::<Vec<_>>());
        !given.is_empty() && (spelled(&flag.name) || spellings.any(|s| spelled(s.as_bytes())))
            || is_value
    }

    /// Was a value split into words (`env -S`)?
    fn splits(&self) -> bool {
        let splits = |flag: &BString| {
            self.grammars.iter().any(|g| g.splits.iter().any(|s| flag == s.as_str()))
        };
        self.words.flags().iter().any(|flag| splits(&flag.name))
    }

    fn assert_nothing_invented(&self, given: &[BString]) {
        let words = self.words;
        let is_given = |word: &BString| given.contains(word);
        let is_subcommand =
            |word: &BString| self.grammars.iter().any(|grammar| is_alias(grammar, word));
        for word in words.words() {
            assert!(is_given(&word.text) || is_subcommand(&word.text), "{word:?}: {words:?}");
        }
        for wrapped in words.wrapped() {
            match wrapped {
                // One word, or several joined: `ssh host ls -l`.
                Wrapped::Text(text) => {
                    let joined = bstr::join(" ", words.argv());
                    assert!(joined.contains_str(text), "{words:?}");
                }
                // A module may be attached: `-mpip`.
                Wrapped::Argv(argv) => {
                    assert!(argv[1..].iter().all(is_given), "{words:?}");
                    assert!(given.iter().any(|g| g.ends_with(&argv[0])), "{words:?}");
                }
            }
        }
        let all = bstr::join(" ", given);
        for flag in words.flags() {
            let value = flag.value.as_ref();
            assert!(value.is_none_or(|value| all.contains_str(value)), "{flag:?}: {words:?}");
        }
    }
}

/// `xzf` of tar.
fn is_letters(grammar: &Grammar, word: &BString) -> bool {
    grammar.letters_first && word.iter().all(|letter| grammar.option(&[b'-', *letter]).is_some())
}

/// A subcommand by any name, one word of it or all.
fn is_alias(grammar: &Grammar, word: &BString) -> bool {
    let mut names = grammar.subcommands.lines().flat_map(|line| line.split(", "));
    names.any(|name| name == word || name.split(' ').any(|part| part == word))
}

fn text(text: &str) {
    let mut from = 0;
    for part in cut(text) {
        assert!(!part.text.trim().is_empty());
        let at =
            text[from..].find(part.text).unwrap_or_else(|| panic!("{:?} is made up", part.text));
        from += at + part.text.len();
        split(part.text);
    }
    leaves_unknown(text);
    let view = View::open(&VIEW).expect("a view");
    let calls = view.calls_of_line(text, &Ancestry::default());
    assert!(calls.iter().all(|call| call.line.is_some()) && !calls.is_empty());
    assert!(view.is_whole());
}
