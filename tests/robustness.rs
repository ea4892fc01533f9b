//! Arbitrary input never panics and never loses what was there: shell text, argv,
//! forms, patterns, policies and home records.

use std::path::PathBuf;
use std::sync::LazyLock;

use bstr::BString;
use embargo::command::{Catalogue, join, parse};
use embargo::config::{Code, SourceText, catalogue, description, load};
use embargo::line::{cut, leaves_unknown, split};
use embargo::policy::{Form, Layer, Pattern};
use embargo::sys::home::HomeRecord;
use proptest::prelude::*;

static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| catalogue(&[]).0);

/// Text that is dense in what shells give a meaning to.
fn shell_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("|"),
        Just("||"),
        Just("|&"),
        Just("&&"),
        Just("&"),
        Just(";"),
        Just(";;"),
        Just("\n"),
        Just("<<E\n"),
        Just("E\n"),
        Just("<<-'E'"),
        Just("'"),
        Just("\""),
        Just("`"),
        Just("$("),
        Just("${"),
        Just("("),
        Just(")"),
        Just("{"),
        Just("}"),
        Just("#"),
        Just("\\"),
        Just(">"),
        Just(">&2"),
        Just("2>"),
        Just("&>"),
        Just("A=b "),
        Just("sudo "),
        Just("env -S"),
        Just("git "),
        Just("-C"),
        Just("--"),
        Just(" "),
        Just("é"),
        Just("\u{202e}"),
        Just("find . -exec "),
        Just("{} +"),
        Just("sh -c "),
        Just("exec -a "),
        Just("head -"),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// Found by fuzzing: the mark stood beyond the line, at the second of the two bytes that end it.
#[test]
fn a_fault_at_a_line_end_of_two_bytes_is_placed_in_its_line() {
    let bytes = b"[[embargo]]\r\ncommand = \"git\r\n".to_vec();
    let path = PathBuf::from("embargo.toml");
    let source = SourceText { path, shown: "embargo.toml".into(), layer: Layer::User, bytes };
    let loaded = load(&[source], |_| Err("no such file".into()));
    let places: Vec<_> = loaded.diagnostics.iter().map(|d| (d.line, d.column, d.length)).collect();
    assert_eq!(places, [(2, 15, 1)]);
}

/// Found by fuzzing: a path of command and subcommands begins with the name, up to a blank.
#[test]
fn a_description_names_programs() {
    for (text, code) in [
        ("names = []", Code::MissingKey),
        ("names = [\"\"]", Code::Blank),
        ("names = [\"git push\"]", Code::BadName),
        ("names = [\"git\", \"bin/git\"]", Code::BadName),
    ] {
        let path = PathBuf::from("x.toml");
        let bytes = text.as_bytes().to_vec();
        let source = SourceText { path, shown: "x.toml".into(), layer: Layer::User, bytes };
        let codes: Vec<Code> =
            description(&source).expect_err(text).iter().map(|fault| fault.code).collect();
        assert_eq!(codes, [code], "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn cutting_gives_parts_of_the_text_in_order(text in prop_oneof![shell_text(), any::<String>()]) {
        let mut from = 0;
        for part in cut(&text) {
            prop_assert!(!part.text.trim().is_empty());
            let at = text[from..].find(part.text).map(|at| at + from);
            prop_assert!(at.is_some(), "{:?} is not in the rest of {:?}", part.text, text);
            from = at.unwrap() + part.text.len();
            split(part.text);
        }
        leaves_unknown(&text);
    }

    #[test]
    fn what_was_quoted_is_read_back(argv in prop::collection::vec("[^\0]{0,12}", 1..6)) {
        let words: Vec<BString> = argv.iter().map(|a| BString::from(a.as_str())).collect();
        // A leading keyword or assignment is set aside by design.
        let with_program: Vec<BString> = std::iter::once("prog".into()).chain(words).collect();
        let line = join(&with_program);
        prop_assert_eq!(cut(&line).len(), 1, "{}", line);
        prop_assert_eq!(split(&line), with_program);
    }

    #[test]
    fn argv_of_any_bytes_is_taken_apart(
        program in prop::sample::select(&["git", "sudo", "env", "find", "xargs", "sh", "bash", "python3.12", "docker", "npm", "pip", "uv", "head", "nothing-known"]),
        rest in prop::collection::vec(prop_oneof![
            prop::collection::vec(any::<u8>(), 0..6),
            prop::sample::select(&["-c", "-exec", ";", "{}", "+", "--", "-", "-C", "push", "run", "-m", "-S", "A=b", "-rf", "--x=y", "-n1"]).prop_map(|s| s.as_bytes().to_vec()),
        ], 0..8),
    ) {
        let argv: Vec<BString> = std::iter::once(program.as_bytes().to_vec()).chain(rest).map(BString::from).collect();
        let words = parse(&argv, &CATALOGUE);
        prop_assert_eq!(words.argv(), &argv[..]);
    }

    #[test]
    fn any_policy_text_is_read_or_explained(text in prop_oneof![
        any::<String>(),
        "(\\[\\[embargo\\]\\]\n|command = |\"gradle\"|reason = |'x'|\n|=|\\[|\\]|\\{|\\}|unless|,|#|3|true|extends = ){0,20}",
    ], json in any::<bool>()) {
        let name = if json { "embargo.json" } else { "embargo.toml" };
        let source = SourceText { path: PathBuf::from(name), shown: name.into(), layer: Layer::User, bytes: text.into_bytes() };
        let loaded = load(&[source], |_| Err("no such file".into()));
        prop_assert!(loaded.broken.is_empty() || !loaded.diagnostics.is_empty());
    }

    #[test]
    fn any_form_and_pattern_is_parsed(text in any::<String>(), other in "\\PC{0,20}") {
        let _ = Form::parse(&text);
        Pattern::parse(&other).is_match(&text);
    }

    #[test]
    fn a_home_record_is_read_back(parts in prop::collection::vec("[^\0]{1,12}", 3), owner in any::<u32>(), noise in prop::collection::vec(any::<u8>(), 0..64)) {
        let path = |i: usize| PathBuf::from(&parts[i]);
        let record = HomeRecord { owner, config: path(0), state: path(1), cache: path(2), starts: vec![path(0), path(2)], policies: vec![path(1), path(2)], session: None };
        prop_assert_eq!(HomeRecord::parse(&record.to_bytes()).ok(), Some(record));
        let _ = HomeRecord::parse(&noise);
    }
}
