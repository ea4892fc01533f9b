//! Words and clauses → effects: which of a call's arguments undergo what. Pure: nothing is
//! looked up, and paths stay as they were typed.

use std::collections::BTreeSet;
use std::fmt;

use bstr::{BString, ByteSlice};

use super::words::{basename, joined};
use super::{Clause, Condition, Effect, Object, Reach, Stand, Thing, What, Word, Words, quote};

/// What the call does by the clauses of the level that its words reached, each thing once;
/// `narrows` are tests that leave some of it.
pub fn effects(words: &Words, clauses: &[Clause], narrows: &[String]) -> Vec<Effect> {
    let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
    if asks_about_itself(words) {
        return found;
    }
    let clauses = clauses.iter().filter(|clause| clause.when.iter().all(|c| holds(c, words)));
    let is_narrowed = narrows.iter().any(|test| words.has_flag(test));
    for effect in clauses.flat_map(|clause| of_clause(clause, words)) {
        let effect = if is_narrowed { effect.of_some() } else { effect };
        if seen.insert(effect.clone()) {
            found.push(effect);
        }
    }
    found
}

impl Effect {
    /// Of what is deleted, some alone.
    pub fn of_some(self) -> Effect {
        match self {
            Effect { act: super::Act::Deletes, on: Object::Path(path) } => {
                Effect { act: super::Act::Deletes, on: Object::Among(path) }
            }
            other => other,
        }
    }

    /// Its path from where the command's own working directory is `at`.
    pub fn seen_from(self, at: &BString) -> Effect {
        let on = match self.on {
            Object::Path(path) => Object::Path(joined(at, &path)),
            Object::Only(path) => Object::Only(joined(at, &path)),
            Object::Below(path) => Object::Below(joined(at, &path)),
            Object::Among(path) => Object::Among(joined(at, &path)),
            other => other,
        };
        Effect { act: self.act, on }
    }
}

/// `--help` and `--version` print, and that is all (GNU coding standards, 4.8).
fn asks_about_itself(words: &Words) -> bool {
    let asks = |name: &[u8]| name == b"--help" || name == b"--version";
    words.flags().iter().any(|flag| !flag.doubtful && flag.known && asks(&flag.name))
}

/// In doubt it is done.
fn holds(condition: &Condition, words: &Words) -> bool {
    match condition {
        Condition::If(flag) => words.has_flag(flag),
        Condition::Unless(flag) => !words.certainly_has_flag(flag),
        Condition::IfOperands => !words.operands().is_empty(),
        Condition::IfSeveral => words.operands().len() > 1,
        Condition::UnlessOperands => words.operands().is_empty(),
        Condition::IfOperand(prefix) => words.operands().iter().any(|word| {
            let rest = word.text.strip_prefix(prefix.as_bytes());
            rest.is_some_and(|rest| rest.first().is_some_and(|b| *b != b'/'))
        }),
    }
}

fn of_clause(clause: &Clause, words: &Words) -> Vec<Effect> {
    let Clause { act, what, reach, stand, .. } = clause;
    let effect = |on| Effect { act: *act, on };
    if let What::Thing(thing) = what {
        return vec![effect(Object::Thing(*thing))];
    }
    let named = named(what, words);
    if *act == super::Act::Runs {
        return named.iter().map(|n| effect(Object::Program(basename(n).into()))).collect();
    }
    let start = [BString::default()];
    let from = match stand {
        Stand::Moved => &words.stands()[..],
        Stand::Start => &start,
    };
    let on = |path| match reach {
        Reach::Itself => Object::Path(path),
        Reach::Only => Object::Only(path),
        Reach::Below => Object::Below(path),
        Reach::Among => Object::Among(path),
    };
    let paths = named.iter().flat_map(|path| from.iter().map(move |at| joined(at, path)));
    paths.map(|path| effect(on(path))).collect()
}

/// The arguments that are meant.
fn named(what: &What, words: &Words) -> Vec<BString> {
    let operands = words.operands();
    let texts = |words: &[Word]| words.iter().map(|w| w.text.clone()).collect::<Vec<_>>();
    let (earlier, last) = operands.split_last().map_or((&[][..], None), |(l, e)| (e, Some(l)));
    let last = last.map(|word| &word.text);
    match what {
        What::Operands => texts(operands),
        What::FirstOperand => texts(operands.get(..1).unwrap_or_default()),
        What::LaterOperands => texts(operands.get(1..).unwrap_or_default()),
        What::EarlierOperands => texts(earlier),
        What::LastOperand => last.cloned().into_iter().collect(),
        What::LocalEarlierOperands => texts(earlier).into_iter().filter(is_local).collect(),
        What::LocalLastOperand => last.filter(|word| is_local(word)).cloned().into_iter().collect(),
        What::IntoLastOperand => {
            let into = |to: &BString| earlier.iter().map(|word| into(to, &word.text)).collect();
            last.map(into).unwrap_or_default()
        }
        What::Paths => texts(paths(words)),
        What::Named(prefix) => {
            let rest = |word: &Word| word.text.strip_prefix(prefix.as_bytes()).map(BString::from);
            operands.iter().filter_map(rest).collect()
        }
        What::StemOf(suffix) => {
            let stem = |word: &Word| word.text.strip_suffix(suffix.as_bytes()).map(BString::from);
            operands.iter().filter_map(stem).collect()
        }
        What::Value(option) => {
            values(words, option).filter(|value| *value != "-").cloned().collect()
        }
        What::FirstOfValue(option) => {
            let first = |value: &BString| value.split(|b| *b == b' ').next().map(BString::from);
            values(words, option).filter_map(first).collect()
        }
        What::IntoValue(option) => {
            let all = |to| operands.iter().map(move |word| into(to, &word.text));
            values(words, option).flat_map(all).collect()
        }
        What::IntoHere => operands.iter().map(|word| into(&".".into(), &word.text)).collect(),
        What::Here => vec![".".into()],
        What::Thing(_) => Vec::new(),
    }
}

fn values<'w>(words: &'w Words, option: &str) -> impl Iterator<Item = &'w BString> {
    let given = words.flags().iter().filter(move |flag| flag.is_called(option));
    given.filter_map(|flag| flag.value.as_ref())
}

/// `host:path` and `rsync://` are another machine's: a colon before any slash, rsync(1).
fn is_local(word: &BString) -> bool {
    let colon = word.find_byte(b':').unwrap_or(word.len());
    colon == word.len() || word.find_byte(b'/').is_some_and(|slash| slash < colon)
}

/// Behind `--` all are paths. Without it the first may be a commit, gitcli(7): it counts if
/// it looks like a path.
fn paths(words: &Words) -> &[Word] {
    let operands = words.operands();
    if let Some(behind) = words.behind_dashes() {
        return behind;
    }
    match operands.first() {
        Some(first) if !looks_like_path(&first.text) => operands.get(1..).unwrap_or_default(),
        _ => operands,
    }
}

fn looks_like_path(word: &BString) -> bool {
    let extension = word.rfind_byte(b'.').and_then(|at| word.get(at + 1));
    word.contains(&b'/')
        || matches!(word.as_slice(), b"." | b"..")
        || word.contains(&b'*')
        || word.starts_with(b":")
        || extension.is_some_and(u8::is_ascii_alphabetic)
}

/// The name that `from` gets in the directory `to`; `..` gets none.
fn into(to: &BString, from: &BString) -> BString {
    let name = basename(from.trim_end_with(|c| c == '/'));
    if name == ".." || name.is_empty() { to.clone() } else { joined(to, name) }
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = self.act.name();
        match &self.on {
            Object::Thing(thing) => write!(f, "{verb} {}", thing.name()),
            Object::Below(path) => match path.trim_end_with(|c| c == '/') {
                b"" => write!(f, "{verb} /**"),
                path => write!(f, "{verb} {}/**", quote(path)),
            },
            Object::Among(path) => write!(f, "{verb} some of {}", quote(path)),
            Object::Path(path) | Object::Only(path)
                if path.to_str().is_ok_and(|p| Thing::named(p).is_some()) =>
            {
                write!(f, "{verb} ./{path}")
            }
            Object::Path(path) | Object::Only(path) | Object::Program(path) => {
                write!(f, "{verb} {}", quote(path))
            }
        }
    }
}
