//! Faulty policies and what is said of them: `tests/cases/diagnostics.toml`,
//! files that TOML text cannot hold, and whole outputs.

use std::collections::BTreeMap;
use std::path::Path;

use embargo::config::{Code, Diagnostic, Level, Loaded, SourceText, load};
use embargo::policy::Layer;
use embargo::render::diagnostic;
use serde::Deserialize;

/// Found by `lint` and `test`, which judge the examples: their tests run these rows.
const BY_LINT: [&str; 2] = ["example-fails", "instead-refused"];

/// Code, line and column.
type Told = (&'static str, u32, u32);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cases {
    case: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    layer: String,
    text: Option<String>,
    json: Option<String>,
    #[serde(default)]
    files: BTreeMap<String, String>,
    code: String,
    level: Option<String>,
    line: u32,
    column: Option<u32>,
    says: Vec<String>,
    #[serde(default)]
    more: Vec<Fault>,
    #[serde(default = "yes")]
    only: bool,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Fault {
    code: String,
    level: Option<String>,
    line: u32,
    column: Option<u32>,
    says: Vec<String>,
}

fn yes() -> bool {
    true
}

#[test]
fn every_fault_is_told_with_its_place() {
    let cases: Cases = toml::from_str(include_str!("cases/diagnostics.toml")).unwrap();
    let wrong: Vec<String> = cases.case.iter().filter_map(wrong).collect();
    let (failed, all) = (wrong.len(), cases.case.len());
    assert!(wrong.is_empty(), "{failed} of {all} rows fail:\n\n{}", wrong.join("\n"));
}

fn wrong(case: &Case) -> Option<String> {
    let loaded = case.load();
    let mut left = loaded.diagnostics.clone();
    let mut complaints = Vec::new();
    let first = Fault {
        code: case.code.clone(),
        level: case.level.clone(),
        line: case.line,
        column: case.column,
        says: case.says.clone(),
    };
    let is_lint = BY_LINT.contains(&case.code.as_str());
    let expected = if is_lint { case.more.clone() } else { [&[first], &case.more[..]].concat() };
    for fault in &expected {
        match left.iter().position(|found| fault.is(found)) {
            Some(at) => drop(left.remove(at)),
            None => complaints.push(format!("nothing is `{}`, line {}", fault.code, fault.line)),
        }
    }
    if case.only && !left.is_empty() {
        complaints.push(format!("{} more than expected", left.len()));
    }
    let is_broken = expected.iter().any(|f| f.level.is_none());
    if is_broken == loaded.broken.is_empty() {
        complaints.push(format!("broken: {:?}", loaded.broken));
    }
    (!complaints.is_empty()).then(|| {
        let told = diagnostic::plain_all(&loaded.diagnostics);
        format!("{}: {}\n{told}", case.name, complaints.join("; "))
    })
}

#[test]
fn bytes_that_are_no_text_are_told_with_their_place() {
    let rule = "[[embargo]]\ncommand = 'gradle'\nreason = 'x'\n";
    let table: &[(&str, &[u8], &[Told])] = &[
        ("embargo.toml", rule.as_bytes(), &[]),
        ("embargo.toml", b"", &[]),
        ("embargo.toml", b"[[embargo]]\r\ncommand = 'gradle'\r\nreason = 'x'\r\n", &[]),
        ("embargo.toml", b"\xef\xbb\xbf[default]\n", &[("byte-order-mark", 1, 1)]),
        ("embargo.json", b"\xef\xbb\xbf{}", &[("byte-order-mark", 1, 1)]),
        ("embargo.toml", b"\xff\xfe[\0d\0", &[("not-utf8", 1, 1)]),
        ("embargo.toml", b"# caf\xc3\xa9\n# caf\xc3\xa9 \xe9\n", &[("not-utf8", 2, 8)]),
        ("embargo.toml", b"# a\n# b\0\n", &[("nul-byte", 2, 4)]),
        (
            "embargo.toml",
            b"\xef\xbb\xbf# \0\n# \xff",
            &[("byte-order-mark", 1, 1), ("nul-byte", 1, 4), ("not-utf8", 2, 3)],
        ),
        ("embargo.toml", b"x = 1\n# caf\xc3\xa9\ncaf\xc3\xa9 = 1\n", &[("toml-syntax", 3, 4)]),
        ("embargo.json", b"", &[("json-syntax", 1, 1)]),
        ("embargo.json", b" \n", &[("json-syntax", 1, 1)]),
        ("embargo.json", b"{} x", &[("json-syntax", 1, 4)]),
        ("embargo.json", b"{}\n{}", &[("json-syntax", 2, 1)]),
        ("embargo.json", b"{\"embargo\": [], // none\n}", &[("json-syntax", 1, 17)]),
        ("embargo.json", b"{'embargo': []}", &[("json-syntax", 1, 2)]),
        ("embargo.json", b"{embargo: []}", &[("json-syntax", 1, 2)]),
        ("embargo.json", b"{\"embargo\": [],\n \"embargo\": []}", &[("json-syntax", 2, 2)]),
        ("embargo.json", b"{\"embargo\": null}", &[("bad-type", 1, 2)]),
        ("embargo.json", b"{\"default\": {\"surface_after\": 2.5}}", &[("bad-type", 1, 31)]),
        (
            "embargo.json",
            b"{\"default\": {\"surface_after\": 99999999999999999999}}",
            &[("bad-type", 1, 31)],
        ),
        (
            "embargo.toml",
            b"[[embargo]]\ncommand = 'gradle'\nreason = 'x'\nunless_under = ['./gradlew']\n",
            &[("bad-name", 4, 17)],
        ),
        ("embargo.json", b"{\"default\": {\"surface_after\": 0}}", &[("bad-value", 1, 31)]),
        ("embargo.json", b"{\"conflicts\": [\"a\nb\"]}", &[("json-syntax", 1, 17)]),
        ("embargo.toml", b"requires = '>=9'\nx = = 1\n", &[("needs-newer", 1, 12)]),
        ("embargo.toml", b"requires = 3\ncolour = 1\n", &[("bad-type", 1, 12)]),
    ];
    let wrong: Vec<String> = table
        .iter()
        .filter_map(|(name, bytes, expected)| {
            let loaded = load(&[source(name, Layer::User, bytes)], |_| Err(String::new()));
            let found: Vec<Told> =
                loaded.diagnostics.iter().map(|d| (d.code.name(), d.line, d.column)).collect();
            let shown = String::from_utf8_lossy(bytes);
            (found != *expected)
                .then(|| format!("{shown:?}\n  expected {expected:?}\n  found    {found:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn deep_nesting_is_a_fault_and_no_crash() {
    for (name, open, close) in [("embargo.json", "[", "]"), ("embargo.toml", "[", "]")] {
        let text = match name {
            "embargo.json" => open.repeat(100_000) + &close.repeat(100_000),
            _ => format!("conflicts = {}{}", open.repeat(100_000), close.repeat(100_000)),
        };
        let loaded = load(&[source(name, Layer::User, text.as_bytes())], |_| Err(String::new()));
        assert!(!loaded.broken.is_empty(), "{name}");
    }
}

#[test]
fn each_code_has_a_name_and_a_line_of_documentation() {
    let names: BTreeMap<&str, Code> =
        Code::ALL.iter().map(|(code, _, name, _)| (*name, *code)).collect();
    assert_eq!(names.len(), Code::ALL.len());
    for (i, (code, level, name, documentation)) in Code::ALL.iter().enumerate() {
        assert_eq!((*code as usize, code.level(), code.name()), (i, *level, *name));
        let from_variant = format!("{code:?}").chars().fold(String::new(), |mut kebab, c| {
            if c.is_uppercase() && !kebab.is_empty() {
                kebab.push('-');
            }
            kebab.extend(c.to_lowercase());
            kebab
        });
        assert_eq!(*name, from_variant);
        assert!(!documentation.is_empty() && !documentation.ends_with('.'), "{documentation}");
    }
}

/// Whole outputs: file, then everything that is said of it.
#[test]
fn a_fault_is_shown_as_rustc_shows_one() {
    let wrong: Vec<String> = GOLDEN
        .iter()
        .filter_map(|(name, layer, text, expected)| {
            let loaded = load(&[source(name, *layer, text.as_bytes())], |_| Err("gone".to_owned()));
            let told = diagnostic::plain_all(&loaded.diagnostics);
            (told != *expected)
                .then(|| format!("{text}\n--- expected\n{expected}\n--- found\n{told}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n======\n"));
}

#[test]
fn a_fault_is_an_object_for_machines() {
    let loaded =
        load(&[source("embargo.toml", Layer::User, b"colour = 1\n")], |_| Err(String::new()));
    let expected = serde_json::json!({
        "code": "unknown-key",
        "level": "error",
        "file": "embargo.toml",
        "path": "/w/embargo.toml",
        "line": 1,
        "column": 1,
        "length": 6,
        "message": "there is no key `colour` here",
        "help": "the keys here are `requires`, `extends`, `conflicts`, `default`, `reserved`, `protect`, `acceptance` and `embargo`",
        "labels": [],
    });
    assert_eq!(serde_json::to_value(&loaded.diagnostics).unwrap(), serde_json::json!([expected]));
}

#[test]
fn the_page_of_codes_lists_them_all_and_nothing_else() {
    let page = include_str!("../docs/reference/diagnostics.md");
    let row = |(_, level, name, documentation): &(Code, Level, &str, &str)| {
        format!("| `{name}` | {} | {documentation} |\n", level.name())
    };
    let rows: String = Code::ALL.iter().map(row).collect();
    let start = page.find("| `").unwrap();
    let end = page.rfind("|\n").unwrap() + 2;
    assert_eq!(&page[start..end], rows);
}

impl Case {
    fn load(&self) -> Loaded {
        let layer = match self.layer.as_str() {
            "system" => Layer::System,
            "user" => Layer::User,
            "project" => Layer::Project,
            "named" => Layer::Named,
            other => panic!("{}: no layer `{other}`", self.name),
        };
        let (name, text) = match (&self.text, &self.json) {
            (Some(text), None) => ("embargo.toml", text),
            (None, Some(json)) => ("embargo.json", json),
            _ => panic!("{}: text or json", self.name),
        };
        let source = source(name, layer, text.as_bytes());
        load(&[source], |path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let text = self.files.get(&name).ok_or("No such file or directory")?;
            Ok(text.clone().into_bytes())
        })
    }
}

impl Fault {
    fn is(&self, found: &Diagnostic) -> bool {
        let told = format!("{} {}", found.message, found.help);
        found.code.name() == self.code
            && found.level.name() == self.level.as_deref().unwrap_or("error")
            && found.line == self.line
            && self.column.is_none_or(|column| found.column == column)
            && self.says.iter().all(|part| told.contains(part))
    }
}

fn source(name: &str, layer: Layer, bytes: &[u8]) -> SourceText {
    let path = Path::new("/w").join(name);
    SourceText { path, shown: name.to_owned(), layer, bytes: bytes.to_vec() }
}

const GOLDEN: &[(&str, Layer, &str, &str)] = &[
    (
        "embargo.toml",
        Layer::Project,
        "\
requires = \">=0.1\"
extends = [\"python-vu\"]

[default]
notify = [\"notify-send\"]

[[embargo]]
comand = \"gradle\"
reason = \"the wrapper pins the version\"

[[embargo]]
cmd = \"git push\"
flags = [\"force\"]
verdict = \"deny\"
extends = [\"conda\"]
",
        r#"error[unknown-pack]: there is no pack `python-vu`
 --> embargo.toml:2:12
  |
2 | extends = ["python-vu"]
  |            ^^^^^^^^^^^
  = help: did you mean `python-uv`? A file is written with its path: `./house.toml`

error[not-here]: `notify` does not count in a project's file
 --> embargo.toml:5:1
  |
5 | notify = ["notify-send"]
  | ^^^^^^
  = help: write it in the user's or the system's embargo.toml: whoever can commit must not loosen the policy or run a program

error[unknown-key]: there is no key `comand` here
 --> embargo.toml:8:1
  |
8 | comand = "gradle"
  | ^^^^^^
  = help: did you mean `command`?

error[missing-reason]: this rule has no `reason`
  --> embargo.toml:11:1
   |
11 | [[embargo]]
   | ^^^^^^^^^^^
   = help: complete the sentence: `I must not use X because …`

error[bad-flag-form]: `force` is no flag
  --> embargo.toml:13:10
   |
13 | flags = ["force"]
   |          ^^^^^^^
   = help: write `--force`

error[unknown-verdict]: `deny` is no value of `verdict`
  --> embargo.toml:14:11
   |
14 | verdict = "deny"
   |           ^^^^^^
   = help: did you mean `refuse`? Write `refuse`, `warn`, `allow`, `ask` or `grant`

error[unknown-key]: there is no key `extends` here
  --> embargo.toml:15:1
   |
15 | extends = ["conda"]
   | ^^^^^^^
   = help: `extends` belongs to the file: write it above the first `[[embargo]]`
"#,
    ),
    (
        "embargo.toml",
        Layer::User,
        "[[embargo]]\npattern = \"rm\\s+-rf\"\nreason = \"größer\" x\n\n[[embargo]\n",
        r#"error[toml-syntax]: this is no TOML: missing escaped value, expected `b`, `e`, `f`, `n`, `r`, `\`, `"`, `x`, `u`, `U`
 --> embargo.toml:2:15
  |
2 | pattern = "rm\s+-rf"
  |               ^
  = help: write it in 'single quotes', where a backslash is a backslash

error[toml-syntax]: this is no TOML: unexpected key or value, expected newline, `#`
 --> embargo.toml:3:19
  |
3 | reason = "größer" x
  |                   ^

error[toml-syntax]: this is no TOML: unclosed array table, expected `]`
 --> embargo.toml:5:11
  |
5 | [[embargo]
  |           ^
"#,
    ),
    (
        "embargo.toml",
        Layer::User,
        "requires = \">=9.1\"\nfuture = 1\n",
        concat!(
            "error[needs-newer]: this is embargo ",
            env!("CARGO_PKG_VERSION"),
            r#", and the file requires >=9.1
 --> embargo.toml:1:12
  |
1 | requires = ">=9.1"
  |            ^^^^^^^
  = help: update embargo, or use the version named; nothing else in the file was looked at
"#
        ),
    ),
    (
        "embargo.json",
        Layer::User,
        "{\"embargo\": [\n\t{\"cmd\": \"größe\", \"reson\": \"x\"},\n\t{\"cmd\": \"./gradlew\", \"reason\": \"a \\u001b[2J\"}\n]}\n",
        r#"error[unknown-key]: there is no key `reson` here
 --> embargo.json:2:19
  |
2 | 	{"cmd": "größe", "reson": "x"},
  | 	                 ^^^^^^^
  = help: did you mean `reason`?

error[bad-command-form]: `./gradlew` is a path, and a command is a name
 --> embargo.json:3:10
  |
3 | 	{"cmd": "./gradlew", "reason": "a \u001b[2J"}
  | 	        ^^^^^^^^^^^
  = help: write `gradlew`: a program is met by its name, wherever it lies

error[control-character]: `reason` holds the control character U+001B
 --> embargo.json:3:33
  |
3 | 	{"cmd": "./gradlew", "reason": "a \u001b[2J"}
  | 	                               ^^^^^^^^^^^^^
  = help: remove it
"#,
    ),
    (
        "embargo.toml",
        Layer::Named,
        "\
[[embargo]]
command = \"| head -\"
reason = \"x\"

[[embargo]]
id = \"a\"
pattern = '\\'
reason = \"x\"

[[embargo]]
id = \"a\"
command = \"git log\"
verdict = \"allow\"
reason = \"x\"
",
        r#"note[no-shim]: only a line shows what this rule speaks of, so no shim is made for it
 --> embargo.toml:1:1
  |
1 | [[embargo]]
  | ^^^^^^^^^^^
  = help: it bites where shell text is seen, a shell's `-c` included

note[no-shim]: this rule names no command, so no shim is made for it
 --> embargo.toml:5:1
  |
5 | [[embargo]]
  | ^^^^^^^^^^^
  = help: it bites in shell text, a shell's `-c` included, and in shims that other rules make

note[literal-pattern]: `\` is no regex, and is taken literally
 --> embargo.toml:7:11
  |
7 | pattern = '\'
  |           ^^^
  = help: write `contains` where literal text is meant

error[duplicate-id]: `a` is the id of another rule, in line 6
  --> embargo.toml:11:6
   |
6  | id = "a"
   |      --- the other rule
...
11 | id = "a"
   |      ^^^
   = help: give each rule an id of its own

warning[allow-without-effect]: this `allow` silences nothing: a project's file can only tighten
  --> embargo.toml:13:11
   |
13 | verdict = "allow"
   |           ^^^^^^^
   = help: name rules of this file in `over`, or move the rule to your own embargo.toml
"#,
    ),
];
