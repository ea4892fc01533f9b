//! What is found in shell text: the table in `tests/cases/line.toml`, texts made to exhaust a
//! parser, and what bash itself runs.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use embargo::line::{Command, Directory, Line, Possible, Way, parse};
use embargo::policy::{Ancestry, Layer, Operator, Stage};
use embargo::view::{Read, View, compile, encode};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    line: String,
    finds: Vec<String>,
    stages: Option<Vec<String>>,
    redirections: Option<Vec<String>>,
    #[serde(default)]
    dynamic: usize,
    way: Option<String>,
    nesting: Option<Vec<String>>,
    directory: Option<String>,
}

#[test]
fn every_line_is_taken_apart_as_the_table_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/line.toml");
    let text = std::fs::read_to_string(path).expect("the table is there");
    let table: BTreeMap<String, Vec<Row>> = toml::from_str(&text).expect("the table parses");
    let rows: Vec<&Row> = table.values().flatten().collect();
    assert!(rows.len() >= 300, "the table has shrunk to {}", rows.len());
    let bytes = view();
    let view = View::open(&bytes).unwrap_or_else(|_| panic!("the view opens"));
    let failures: Vec<String> = rows
        .iter()
        .filter_map(|row| check(row, &view).err().map(|why| format!("{:?}\n  {why}", row.line)))
        .collect();
    let count = failures.len();
    assert!(count == 0, "{count} of {} failed:\n\n{}", rows.len(), failures.join("\n\n"));
}

/// A view with nothing but what is compiled in.
fn view() -> Vec<u8> {
    let source = Read { path: "/p/embargo.toml".into(), layer: Layer::User, bytes: Ok(vec![]) };
    let contents = compile(&[source], &[], &[], |_| Err("no such file".to_owned()));
    encode(&contents.expect("an empty policy compiles"))
}

fn check(row: &Row, view: &View<'_>) -> Result<(), String> {
    let line = parse(&row.line);
    let calls = view.calls_of_line(&row.line, &Ancestry::default());
    let calls: Vec<_> = calls.iter().filter(|call| !call.words.argv().is_empty()).collect();
    let found: Vec<String> = calls
        .iter()
        .map(|call| bstr::join(" ", call.words.argv()).into_iter().map(char::from).collect())
        .collect();
    let fits = |(found, wanted): (&String, &String)| {
        let wanted: String = wanted.bytes().map(char::from).collect();
        *found == wanted || found.starts_with(&format!("{wanted} "))
    };
    if found.len() != row.finds.len() || !found.iter().zip(&row.finds).all(fits) {
        return Err(format!("finds {found:?}, not {:?}", row.finds));
    }
    let stages = calls.iter().map(|call| stage(call.stage)).collect();
    same("stages", stages, &row.stages)?;
    let redirections = line.commands.iter().flat_map(redirections).collect();
    same("redirections", redirections, &row.redirections)?;
    let dynamic = line.commands.iter().filter(|command| command.is_dynamic()).count();
    same("dynamic", dynamic, &Some(row.dynamic))?;
    same("way", way(&line), &Some(row.way.clone().unwrap_or("parsed".to_owned())))?;
    let last = line.commands.last();
    let nesting = last.map(|command| &command.nesting[..]).unwrap_or_default().iter();
    let nesting = nesting.map(|nest| format!("{nest:?}").to_lowercase()).collect();
    same("nesting", nesting, &row.nesting)?;
    same("directory", last.map(directory).unwrap_or_default(), &row.directory)
}

fn same<T: PartialEq + std::fmt::Debug>(
    what: &str,
    found: T,
    wanted: &Option<T>,
) -> Result<(), String> {
    match wanted {
        Some(wanted) if *wanted != found => Err(format!("{what} {found:?}, not {wanted:?}")),
        _ => Ok(()),
    }
}

fn stage(stage: Stage) -> String {
    let name = match stage {
        Stage::First => "first",
        Stage::Piped | Stage::After(Operator::Pipe) => "piped",
        Stage::After(Operator::And) => "and",
        Stage::After(Operator::Or) => "or",
        Stage::After(Operator::Sequence) => "sequence",
    };
    name.to_owned()
}

fn redirections(command: &Command) -> Vec<String> {
    let written = |redirection: &embargo::line::Redirection| {
        let descriptor = redirection.descriptor.as_deref().unwrap_or_default();
        format!("{descriptor}{} {}", redirection.operator.sign(), redirection.target.typed())
    };
    command.redirections.iter().map(written).collect()
}

fn way(line: &Line) -> String {
    match line.way {
        Way::Parsed => "parsed",
        Way::Cut => "cut",
    }
    .to_owned()
}

fn directory(command: &Command) -> String {
    let shown = |place: &Possible| match &place.directory {
        Directory::Start => ".".to_owned(),
        Directory::At(at) => at.to_string(),
        Directory::Unknown => "?".to_owned(),
    };
    command.directories.iter().map(shown).collect::<Vec<_>>().join(" | ")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// Pieces of shell, in any order.
    #[test]
    fn any_text_is_read(pieces in vec(select(&PIECES[..]), 0..200)) {
        read(&pieces.concat());
    }

    #[test]
    fn any_characters_are_read(text in "[ -~\n\té😀]{0,300}") {
        read(&text);
    }
}

/// What nests, continues or ends something.
const PIECES: [&str; 64] = [
    "$(",
    "(",
    ")",
    "((",
    "))",
    "$((",
    "{",
    "}",
    "${",
    "`",
    "\\`",
    "'",
    "\"",
    "$'",
    "\\",
    "\n",
    ";",
    ";;",
    "&",
    "&&",
    "|",
    "||",
    "|&",
    "!",
    "<",
    ">",
    ">>",
    "<<E\n",
    "E\n",
    "<<-'E'\n",
    "<<<",
    "<(",
    ">(",
    "[[ ",
    " ]]",
    "[",
    "]",
    "if ",
    "then ",
    "fi ",
    "while ",
    "do ",
    "done ",
    "for x in ",
    "case x in ",
    "a) ",
    "esac ",
    "function f ",
    "f() ",
    "coproc ",
    "time ",
    "eval ",
    "X=",
    "$X",
    " ",
    "#",
    "-",
    "~",
    "*",
    "{a,b}",
    "{1..9}",
    "echo ",
    "é",
    "git push",
];

/// What a text may take in a build that is not optimized, on a machine that is busy.
const LONG: Duration = Duration::from_secs(10);

fn read(text: &str) -> Line {
    let start = Instant::now();
    let line = parse(text);
    assert!(start.elapsed() < LONG, "{:?} over {:?}", start.elapsed(), text.get(..80));
    line
}

#[test]
fn what_nests_too_deep_is_cut() {
    for piece in [
        "$(",
        "[[ (",
        "{ ",
        "`",
        "((",
        "( ",
        "$((",
        "${x:-",
        "<(",
        "\"$(",
        "if ",
        "! ",
        "while ",
        "f() ",
        "case x in a) ",
        "case x in a) $(",
        "\"`",
        "a=(",
        "coproc ",
        "time ",
    ] {
        let line = read(&piece.repeat(5000));
        assert_eq!(line.way, Way::Cut, "{piece:?}");
    }
}

#[test]
fn what_is_longer_than_sixty_four_kibibytes_is_cut() {
    for (count, way) in [(1 << 15, Way::Parsed), ((1 << 15) + 1, Way::Cut)] {
        let line = read(&"a ".repeat(count));
        assert_eq!((line.way, line.commands.len()), (way, 1));
    }
}

#[test]
fn sixty_four_kibibytes_are_soon_read() {
    let mut slowest = (Duration::ZERO, "");
    for piece in PIECES.iter().chain(&[
        "a;",
        "a\n",
        "a|",
        "a&&",
        "((-",
        "((!",
        "$(a)",
        "`a`",
        "{a,b}{a,b}",
        "X=$X$X;",
        "$X ",
        "X=a;",
        "(X=a);",
        "'a' ",
        "a <<E\n$(b)\nE\n",
        "a <<E\nb\nE\n",
        "case x in a) b;; esac;",
        "$(case x in a) b;; esac)",
        "if a; then b; fi;",
        "eval 'a'\n",
        "echo a | sh;",
        "${x:-$(a)}",
        "[[ a && b ]];",
        "a \\\n",
        "\"$(a)\"",
        "f() { a; };",
        "cd a;",
        "((a));",
        "$'\\x41'",
        "a=(b) ",
        "X='eval $X;eval $X';eval $X;",
        "(echo a) | sh;",
        "{ a; } > b;",
        "-1+",
        "$((1+1))",
        "f() { f $1; };f a;",
        "alias a='a;a';a;",
        "${x:-${x:-",
        "${x:-a} ",
        "for x in a b;do $x;done;",
        "for x in a b; do for y in $x $x; do $y; done; done;",
        "while read l; do $l; done <<< 'a';",
        "cd a || exit;",
        "a=(b c);a+=(\"${a[@]}\");",
        "declare -n a=b;",
        "{1..255} ",
        "$(a) ",
    ]) {
        let (long, short) = ((64 << 10) / piece.len(), (8 << 10) / piece.len());
        let (text, short) = (piece.repeat(long), piece.repeat(short));
        for text in [format!("(({short}"), format!("$(({short}))"), format!("a \"{short}"), text] {
            let start = Instant::now();
            read(&text);
            slowest = slowest.max((start.elapsed(), *piece));
        }
    }
    println!("the slowest took {:?}: {:?}", slowest.0, slowest.1);
}
