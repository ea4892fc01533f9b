//! What a hook leaves of a line for the shims below it: an act for each of its commands that the
//! verdict was about.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use bstr::{BString, ByteSlice};

use crate::command::Wrapped;
use crate::decide::{self, Decision, Subject};
use crate::line::{self, Dynamic, Piece};
use crate::policy::{Invocation, Refusal, Rule, Severity, judge};
use crate::refuse::{Asker, OfLine};
use crate::sys::acts::{self, Act, Said, Word};
use crate::sys::context::{Context, absolute};
use crate::sys::sources;

/// Leaves them.
pub fn leave(
    context: &Context,
    decision: &Decision,
    refusal: &Refusal<'_>,
    (subject, asker): (Subject<'_>, &Asker),
    (of_line, said): (&OfLine, Said),
) {
    let rules: Vec<&Rule> = decision.rules.iter().collect();
    let unknown = unknown_words(subject, &decision.calls);
    let severity =
        |call: &Invocation| judge(rules.iter().copied(), &decision.reserved, call).severity();
    let mut left: Vec<Act> = Vec::new();
    for call in decision.calls.iter().filter(|call| severity(call) > Severity::Pass) {
        let directory = directory(context, call);
        let Some(cwd) = directory else { continue };
        if left.len() >= acts::MOST {
            break;
        }
        // A wrapper's shim judges what is inside as well.
        let wrappers = call.ancestry.processes.iter().map(|process| process.argv.as_slice());
        for (at, argv) in std::iter::once(call.words.argv()).chain(wrappers).enumerate() {
            let argv: Vec<Word> =
                argv.iter().enumerate().map(|(n, w)| word(n, w, &unknown)).collect();
            let is_there = |act: &Act| act.argv == argv && act.cwd == cwd;
            // Of a wrapper around several there is one; a command that stands there twice is two.
            if at > 0 && left.iter().any(is_there) {
                continue;
            }
            left.push(Act {
                said,
                argv,
                cwd: cwd.clone(),
                rules: refusal.rules().iter().map(|rule| rule.id.0.clone()).collect(),
                asker: asker.key(),
                session: of_line.session.clone(),
                call: of_line.call.clone(),
            });
        }
    }
    acts::leave(context, &left);
}

/// Where the shell will stand; a directory that is not there yet is none.
fn directory(context: &Context, call: &Invocation) -> Option<PathBuf> {
    let here = context.cwd.as_deref();
    if call.locations.is_empty() {
        return here.map(Path::to_owned);
    }
    let place = decide::place(context);
    // Of several the likeliest that is there.
    call.locations.iter().find_map(|location| {
        let there = place.at_home(&location.path, true).into_iter().next()?;
        sources::real_directory(&absolute(here, &there.to_path_lossy()))
    })
}

/// A shim knows its name alone.
fn word(at: usize, text: &BString, unknown: &HashMap<BString, Word>) -> Word {
    match unknown.get(text) {
        Some(word) => word.clone(),
        None if at == 0 => Word::Is(text.rsplit(|b| *b == b'/').next().unwrap_or_default().into()),
        None => Word::Is(text.clone()),
    }
}

/// The words that only the shell will know, as they are typed.
fn unknown_words(subject: Subject<'_>, calls: &[Invocation]) -> HashMap<BString, Word> {
    let mut found = HashMap::new();
    let inner =
        calls.iter().flat_map(|call| call.words.wrapped()).filter_map(|inner| match inner {
            Wrapped::Text(text) => Some(text.to_str_lossy().into_owned()),
            Wrapped::Argv(_) => None,
        });
    let own = match subject {
        Subject::Line(text) => Some(text.to_owned()),
        Subject::PowerShell(text) => {
            for command in line::powershell(text) {
                let words = command.unknown.iter().filter_map(|at| command.words.get(*at));
                found.extend(words.map(|word| (word.clone(), Word::Any)));
            }
            None
        }
        Subject::Call(_) | Subject::Argv(_) => None,
    };
    for text in own.into_iter().chain(inner) {
        for word in line::parse(&text).commands.iter().flat_map(|command| &command.words) {
            if word.tilde || word.literal().is_none() {
                found.insert(word.typed(), if gives_one(word) { Word::One } else { Word::Any });
            }
        }
    }
    found
}

/// In double quotes, and no list: bash(1) under Word Splitting.
fn gives_one(word: &line::Word) -> bool {
    let is_quoted =
        word.source.len() > 1 && word.source.starts_with('"') && word.source.ends_with('"');
    let is_list = |piece: &Piece| match piece {
        Piece::Dynamic { source, kind: Dynamic::Variable } => source.contains('@'),
        _ => false,
    };
    word.tilde && word.literal().is_some() || is_quoted && !word.pieces.iter().any(is_list)
}
