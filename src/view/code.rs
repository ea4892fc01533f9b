//! Text in other languages than that of the shell (`python -c`, `node -e`): which text a call
//! is given, and which literal paths in it are deleted, overwritten or moved. A table of
//! names, no parser: what is computed is not seen.

use bstr::{BString, ByteSlice};

use crate::command::{Act, Effect, Object, Words};

/// A language: its interpreter, the options before text, and what its functions do.
struct Language {
    program: &'static str,
    options: &'static [&'static str],
    calls: &'static [Call],
}

/// A function by the last part of its name.
struct Call {
    /// What may stand before the dot; any where nothing is said.
    of: &'static [&'static str],
    name: &'static str,
    does: Does,
}

/// What it does to its arguments.
#[derive(Clone, Copy)]
enum Does {
    /// Deletes each.
    Deletes,
    /// Overwrites the first.
    Overwrites,
    /// Overwrites the path that it is a method of.
    Writes,
    /// Moves the first over the second.
    Moves,
    /// Overwrites the second.
    Copies,
    /// Overwrites the first if the next says so: `"w"`.
    Opens,
    /// `open(F, ">", "x")`, `open(F, ">x")`
    OpensFor,
}

const fn any(name: &'static str, does: Does) -> Call {
    Call { of: &[], name, does }
}

const fn of(of: &'static [&'static str], name: &'static str, does: Does) -> Call {
    Call { of, name, does }
}

const LANGUAGES: [Language; 4] = [
    Language {
        program: "python",
        options: &["-c"],
        calls: &[
            of(&["os", ""], "remove", Does::Deletes),
            any("unlink", Does::Deletes),
            any("rmdir", Does::Deletes),
            any("removedirs", Does::Deletes),
            any("rmtree", Does::Deletes),
            of(&["os", ""], "rename", Does::Moves),
            of(&["os"], "replace", Does::Moves),
            of(&["os"], "truncate", Does::Overwrites),
            of(&["shutil"], "move", Does::Moves),
            any("copyfile", Does::Copies),
            of(&["shutil", ""], "copy", Does::Copies),
            any("copy2", Does::Copies),
            any("copytree", Does::Copies),
            any("write_text", Does::Writes),
            any("write_bytes", Does::Writes),
            of(&["", "io", "codecs", "builtins"], "open", Does::Opens),
        ],
    },
    Language {
        program: "node",
        options: &["-e", "--eval", "-p", "--print"],
        calls: &[
            any("rmSync", Does::Deletes),
            any("rm", Does::Deletes),
            any("unlinkSync", Does::Deletes),
            any("unlink", Does::Deletes),
            any("rmdirSync", Does::Deletes),
            any("rmdir", Does::Deletes),
            any("writeFileSync", Does::Overwrites),
            any("writeFile", Does::Overwrites),
            any("truncateSync", Does::Overwrites),
            any("truncate", Does::Overwrites),
            any("createWriteStream", Does::Overwrites),
            any("renameSync", Does::Moves),
            any("rename", Does::Moves),
            any("copyFileSync", Does::Copies),
            any("copyFile", Does::Copies),
            any("cpSync", Does::Copies),
            any("openSync", Does::Opens),
        ],
    },
    Language {
        program: "perl",
        options: &["-e", "-E"],
        calls: &[
            any("unlink", Does::Deletes),
            any("rmdir", Does::Deletes),
            any("rmtree", Does::Deletes),
            any("remove_tree", Does::Deletes),
            any("rename", Does::Moves),
            any("move", Does::Moves),
            any("copy", Does::Copies),
            any("truncate", Does::Overwrites),
            any("open", Does::OpensFor),
        ],
    },
    Language {
        program: "ruby",
        options: &["-e"],
        calls: &[
            of(&["File", "Dir", "Pathname"], "delete", Does::Deletes),
            of(&["File", "Dir"], "unlink", Does::Deletes),
            of(&["Dir", "FileUtils"], "rmdir", Does::Deletes),
            of(&["FileUtils", ""], "rm", Does::Deletes),
            any("rm_f", Does::Deletes),
            any("rm_r", Does::Deletes),
            any("rm_rf", Does::Deletes),
            any("rmtree", Does::Deletes),
            any("remove_dir", Does::Deletes),
            any("remove_entry", Does::Deletes),
            of(&["File", "IO"], "write", Does::Overwrites),
            of(&["File", "IO"], "binwrite", Does::Overwrites),
            of(&["File"], "truncate", Does::Overwrites),
            of(&["File"], "rename", Does::Moves),
            of(&["FileUtils"], "mv", Does::Moves),
            of(&["FileUtils"], "cp", Does::Copies),
            of(&["FileUtils"], "cp_r", Does::Copies),
            of(&["File", ""], "open", Does::Opens),
            of(&["File"], "new", Does::Opens),
        ],
    },
];

/// Longer texts are not looked into.
const BYTES: usize = 1 << 16;

/// Is the language of this program known?
pub(super) fn is_known(program: &str) -> bool {
    LANGUAGES.iter().any(|language| language.program == program)
}

/// The texts that a call is given to run.
pub(super) fn given(words: &Words) -> impl Iterator<Item = &BString> {
    let program = words.program();
    let language = LANGUAGES.iter().find(|l| program == l.program.as_bytes());
    let options = language.map_or(&[][..], |language| language.options);
    let is_text = |name: &&BString| options.iter().any(|option| *name == option.as_bytes());
    let flags = words.flags().iter().filter(move |flag| is_text(&&flag.name));
    flags.filter_map(|flag| flag.value.as_ref())
}

/// What running this text does to paths that stand in it.
pub(super) fn effects(program: &str, text: &[u8]) -> Vec<Effect> {
    let Some(language) = LANGUAGES.iter().find(|l| l.program == program) else { return Vec::new() };
    let tokens = tokens(text.get(..BYTES.min(text.len())).unwrap_or_default());
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let Token::Name(name) = token else { continue };
        let (before, last) = match name.rfind_byte(b'.').or(name.rfind(b"::").map(|at| at + 1)) {
            Some(dot) => (name[..dot].trim_end_with(|c| c == ':'), &name[dot + 1..]),
            None => (&b""[..], &name[..]),
        };
        let before = before.rsplit(|b| matches!(b, b'.' | b':')).next().unwrap_or_default();
        let is_method = name.starts_with(b".");
        let before = if is_method { b")" } else { before };
        let is_it = |call: &&Call| {
            last == call.name.as_bytes()
                && (call.of.is_empty() || call.of.iter().any(|of| before == of.as_bytes()))
        };
        let Some(call) = language.calls.iter().find(is_it) else { continue };
        // `Path("x").unlink()`: the path stands before the dot.
        let found_here = match subject(&tokens[..at]).filter(|_| is_method) {
            Some(path) => done(call.does, &[Some(path)]),
            None if matches!(call.does, Does::Writes) => Vec::new(),
            None => done(call.does, &arguments(&tokens[at + 1..])),
        };
        found.extend(found_here);
    }
    found
}

fn done(does: Does, arguments: &[Option<&BString>]) -> Vec<Effect> {
    let effect = |act, path: &[u8]| Effect { act, on: Object::Path(path.into()) };
    let at = |at: usize| arguments.get(at).copied().flatten();
    let on = |act, argument: usize| at(argument).map(|path| effect(act, path)).into_iter();
    match does {
        Does::Deletes => {
            arguments.iter().flatten().map(|path| effect(Act::Deletes, path)).collect()
        }
        Does::Overwrites | Does::Writes => on(Act::Overwrites, 0).collect(),
        Does::Moves => on(Act::Moves, 0).chain(on(Act::Overwrites, 1)).collect(),
        Does::Copies => on(Act::Overwrites, 1).collect(),
        Does::Opens => {
            let writes = arguments.iter().skip(1).flatten().any(|mode| is_writing(mode));
            on(Act::Overwrites, 0).filter(|_| writes).collect()
        }
        Does::OpensFor => match (at(1), at(2)) {
            (Some(mode), Some(path)) if opens_for_writing(mode) => {
                vec![effect(Act::Overwrites, path)]
            }
            (Some(both), None) if opens_for_writing(both) => {
                let path = both.trim_start_with(|c| matches!(c, '+' | '>' | ' '));
                vec![effect(Act::Overwrites, path)]
            }
            _ => Vec::new(),
        },
    }
}

/// `w`, `wb`, `r+`: as fopen(3) has it.
fn is_writing(mode: &BString) -> bool {
    mode.len() <= 4
        && mode.iter().all(|b| b"rwxabt+".contains(b))
        && mode.find_byteset(b"wx+").is_some()
}

fn opens_for_writing(mode: &BString) -> bool {
    let mode = mode.trim();
    mode.starts_with(b">") && !mode.starts_with(b">>") || mode.starts_with(b"+")
}

enum Token {
    Name(BString),
    /// A literal that is known.
    Text(BString),
    /// A literal that is not: `f"{x}"`.
    Unknown,
    Sign(u8),
}

/// Names with their dots, literals, and signs; comments and blanks are passed over.
fn tokens(text: &[u8]) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let rest = text.get(at..).unwrap_or_default();
        match byte {
            b'\'' | b'"' | b'`' => {
                let is_computed =
                    matches!(tokens.last(), Some(Token::Name(name)) if is_prefix(name));
                if is_computed {
                    tokens.pop();
                }
                let (literal, width) = literal(rest);
                let unknown =
                    [&b"{"[..], b"$", b"#{"].iter().any(|sign| literal.contains_str(sign));
                let plain = byte == b'\'' && !is_computed;
                tokens.push(match unknown && !plain {
                    true => Token::Unknown,
                    false => Token::Text(literal),
                });
                at += width;
            }
            b'#' if rest.get(1) != Some(&b'{') => {
                at += rest.find_byte(b'\n').unwrap_or(rest.len());
            }
            _ if is_of_name(byte) => {
                let is_part = |at: usize| {
                    rest.get(at).is_some_and(|b| is_of_name(*b) || matches!(b, b'.' | b':'))
                };
                let width = (0..).take_while(|at| is_part(*at)).count();
                tokens.push(Token::Name(rest.get(..width).unwrap_or_default().into()));
                at += width;
            }
            b'.' if rest.get(1).is_some_and(|b| is_of_name(*b)) => {
                let width = 1 + rest[1..].iter().take_while(|b| is_of_name(**b)).count();
                tokens.push(Token::Name(rest.get(..width).unwrap_or_default().into()));
                at += width;
            }
            _ => {
                if byte == b'\n' || !byte.is_ascii_whitespace() {
                    tokens.push(Token::Sign(byte));
                }
                at += 1;
            }
        }
    }
    tokens
}

fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'@')
}

/// `r"…"`, `b'…'`, `f"…"`: python's.
fn is_prefix(name: &BString) -> bool {
    name.len() <= 2 && name.iter().all(|b| b"rbfuRBFU".contains(b))
}

/// The literal that begins here, and its width.
fn literal(text: &[u8]) -> (BString, usize) {
    let quote = text.first().copied().unwrap_or_default();
    let is_triple = text.starts_with(&[quote; 3]);
    let close = if is_triple { vec![quote; 3] } else { vec![quote] };
    let mut literal = BString::default();
    let mut at = close.len();
    while let Some(&byte) = text.get(at) {
        if text.get(at..).is_some_and(|rest| rest.starts_with(&close)) {
            return (literal, at + close.len());
        }
        let is_escape = byte == b'\\' && text.len() > at + 1;
        at += usize::from(is_escape);
        literal.extend(text.get(at));
        at += 1;
    }
    (literal, text.len())
}

/// The path of `Path("x").unlink`, where only the name behind the dot is at hand.
fn subject(before: &[Token]) -> Option<&BString> {
    match before {
        [.., Token::Name(path), Token::Sign(b'('), Token::Text(text), Token::Sign(b')')]
            if path.ends_with(b"Path") || path.ends_with(b"Pathname") =>
        {
            Some(text)
        }
        _ => None,
    }
}

/// The arguments of a call, those of a list each for itself; `None` is what is computed.
fn arguments(behind: &[Token]) -> Vec<Option<&BString>> {
    let mut found = Vec::new();
    let mut argument = Argument::Nothing;
    let has_parentheses = matches!(behind.first(), Some(Token::Sign(b'(')));
    let mut rest = behind.iter().skip(usize::from(has_parentheses)).peekable();
    // Calls among the arguments, and how deep in them.
    let (mut inner, mut lists) = (0_usize, 0_usize);
    let mut is_name = false;
    while let Some(token) = rest.next() {
        let was_name = std::mem::take(&mut is_name);
        match token {
            Token::Sign(b'(') if was_name || inner > 0 => {
                inner += 1;
                argument = Argument::Computed;
            }
            Token::Sign(b')') if inner > 0 => inner -= 1,
            _ if inner > 0 => {}
            Token::Sign(b'(' | b'[') => lists += 1,
            Token::Sign(b')' | b']') if lists > 0 => lists -= 1,
            Token::Sign(b')' | b']' | b';' | b'{' | b'}') => break,
            Token::Sign(b'\n') if !has_parentheses => break,
            Token::Sign(b'\n') => {}
            Token::Sign(b',') => found.push(std::mem::take(&mut argument).text()),
            Token::Text(text) => argument = argument.and(text),
            // `mode="w"`
            Token::Name(_) if matches!(rest.peek(), Some(Token::Sign(b'='))) => {
                rest.next();
            }
            Token::Name(_) => {
                is_name = true;
                argument = Argument::Computed;
            }
            Token::Unknown | Token::Sign(_) => argument = Argument::Computed,
        }
    }
    found.push(argument.text());
    found
}

/// One argument of a call, as far as it was read.
#[derive(Default)]
enum Argument<'t> {
    #[default]
    Nothing,
    Text(&'t BString),
    Computed,
}

impl<'t> Argument<'t> {
    fn and(self, text: &'t BString) -> Self {
        match self {
            Argument::Nothing => Argument::Text(text),
            _ => Argument::Computed,
        }
    }

    fn text(self) -> Option<&'t BString> {
        match self {
            Argument::Text(text) => Some(text),
            _ => None,
        }
    }
}
