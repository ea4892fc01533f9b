//! What `find` would find, asked of find itself with every action made a mere print: its tests
//! decide which files an action meets. Without an answer in time all that is below counts.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::process::Command;
use std::time::Duration;

use bstr::{BString, ByteSlice};

use super::Asked;
use crate::command::{Act, Effect, Object};
use crate::policy::Invocation;
use crate::seal::{Index, Reach};
use crate::sys::context::Context;
use crate::sys::{Held, bounded};

const PATIENCE: Duration = Duration::from_secs(2);

/// Actions with a command behind them.
const EXECUTES: [&[u8]; 4] = [b"-exec", b"-execdir", b"-ok", b"-okdir"];

/// Does find know better than the description what undergoes this?
pub(super) fn answers(effect: &Effect, call: &Invocation) -> bool {
    let Some(argv) = finder(call) else { return false };
    let path = match &effect.on {
        Object::Path(path) | Object::Only(path) | Object::Among(path) => path,
        Object::Below(_) | Object::Thing(_) | Object::Program(_) => return false,
    };
    let is_own = call.words.is_program("find") && effect.act == Act::Deletes;
    is_own || roots(argv).any(|root| root == path) || path == "." && roots(argv).next().is_none()
}

/// The words of the find that the call is, or that it stands in.
fn finder(call: &Invocation) -> Option<&[BString]> {
    if call.words.is_program("find") {
        return Some(call.words.argv());
    }
    let above = call.ancestry.processes.first()?;
    let name = above.argv.first()?.rsplit(|b| *b == b'/').next()?;
    (name == b"find" || name == b"gfind").then_some(&above.argv)
}

/// Operands stand before the first word of the expression, find(1).
fn roots(argv: &[BString]) -> impl Iterator<Item = &BString> {
    let is_option = |word: &&BString| {
        matches!(word.as_slice(), b"-H" | b"-L" | b"-P" | b"--") || word.starts_with(b"-O")
    };
    let is_expression = |word: &BString| word.starts_with(b"-") || *word == "(" || *word == "!";
    argv.iter().skip(1).skip_while(is_option).take_while(move |word| !is_expression(word))
}

/// What it would touch; `None` where it is not asked or does not say.
pub(super) fn asked(call: &Invocation, context: &Context, index: &Index<'_>) -> Option<Vec<Asked>> {
    let effects: Vec<&Effect> = call.effects.iter().filter(|e| answers(e, call)).collect();
    if effects.is_empty() || index.is_empty() {
        return None;
    }
    let argv = printing(finder(call)?)?;
    // Of a line it is not known what a shell would make of these.
    if call.line.is_some() && roots(&argv).any(|root| root.find_byteset(b"*?[$~`").is_some()) {
        return None;
    }
    let here = super::here(call, context)?;
    let mut command = Command::new(super::behind_us("find")?);
    command.args(argv.iter().skip(1).map(|word| OsStr::from_bytes(word))).current_dir(&here);
    let _held = Held::begin();
    let ended = bounded::run(command, PATIENCE, None).ok()?;
    ended.status?;
    let paths = ended.stdout.split(|b| *b == 0).filter(|path| !path.is_empty());
    let paths: Vec<_> = paths.map(|path| here.join(OsStr::from_bytes(path))).collect();
    let mut found = Vec::new();
    for effect in effects {
        let own = call.words.is_program("find") || matches!(effect.on, Object::Only(_));
        // Of a directory find itself removes only what is left of it in the end.
        let reach = if own { Reach::Alone } else { Reach::Whole };
        found.extend(paths.iter().map(|path| (effect.act, path.clone(), reach)));
    }
    Some(found)
}

/// The same search, with nothing done; `None` where it writes files of its own.
fn printing(argv: &[BString]) -> Option<Vec<BString>> {
    let mut words = argv.iter().peekable();
    let mut found = Vec::new();
    while let Some(word) = words.next() {
        match word.as_slice() {
            b"-delete" => found.push("-print0".into()),
            b"-print" | b"-print0" | b"-ls" => found.push("-true".into()),
            b"-printf" => {
                words.next();
                found.push("-true".into());
            }
            b"-fprint" | b"-fprint0" | b"-fprintf" | b"-fls" | b"-files0-from" => return None,
            execute if EXECUTES.contains(&execute) => {
                let mut before = &BString::default();
                for word in words.by_ref() {
                    if word == ";" || word == "+" && before == "{}" {
                        break;
                    }
                    before = word;
                }
                found.push("-print0".into());
            }
            _ => found.push(word.clone()),
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_become_prints() {
        for (line, wanted) in [
            ("find d -name *.o -delete", Some("find d -name *.o -print0")),
            ("find d -exec rm {} ; -print", Some("find d -print0 -true")),
            ("find -execdir rm -f {} + -o -delete", Some("find -print0 -o -print0")),
            ("find d -exec cp + {} x ; -name y", Some("find d -print0 -name y")),
            ("find d -fprint out -delete", None),
        ] {
            let argv: Vec<BString> = line.split(' ').map(BString::from).collect();
            let found = printing(&argv).map(|words| bstr::join(" ", words));
            assert_eq!(found.as_deref(), wanted.map(str::as_bytes), "{line}");
        }
    }
}
