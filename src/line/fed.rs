//! What a command reads from its standard input, where the line itself says so: the text of a
//! here-document, or what `echo`, `printf` and `cat` write into its pipe.

use std::sync::Arc;

use bstr::{BString, ByteSlice};

use super::ansi::{unescaped, unescaped_by_echo};
use super::command::{Command, RedirectOperator, Redirection};
use super::word::Word;

/// So many commands are asked what they write, however the pipes lie.
const WRITERS: usize = 256;
/// Longer texts are not put together.
const BYTES: usize = 1 << 18;
/// What longer texts print is not looked for.
const PRINTED: usize = 1 << 12;

/// The text that the command at this place is fed; none where nothing is known of it. What is
/// dynamic in it stays as it was typed.
pub fn fed(commands: &[Command], at: usize) -> Option<String> {
    Some(input(commands, at, &mut { WRITERS })?.to_str_lossy().into_owned())
}

/// What a text prints when it is run, if it is one `echo` or `printf` of literal words.
pub fn printed(text: &str) -> Option<BString> {
    let text = text.trim();
    let is_printer = text.starts_with("echo") || text.starts_with("printf");
    if !is_printer || text.len() > PRINTED {
        return None;
    }
    let commands = super::parse(text).commands;
    let [command] = commands.as_slice() else { return None };
    let is_known = command.assignments.is_empty() && command.words.iter().all(Word::is_literal);
    output(&commands, 0, &mut { 1 }).filter(|_| is_known)
}

/// The same for what stands behind these commands, or reads this text.
pub(super) fn read(
    commands: &[Command],
    input: Option<&Arc<str>>,
    writers: &[usize],
) -> Option<BString> {
    all(commands, input, writers, commands.len(), &mut { WRITERS })
}

fn input(commands: &[Command], at: usize, left: &mut usize) -> Option<BString> {
    let command = commands.get(at)?;
    all(commands, command.input.as_ref(), &command.writers, at, left)
}

fn all(
    commands: &[Command],
    input: Option<&Arc<str>>,
    writers: &[usize],
    at: usize,
    left: &mut usize,
) -> Option<BString> {
    if let Some(text) = input {
        return Some(BString::from(&**text));
    }
    let mut text = BString::default();
    for &writer in writers.iter().filter(|writer| **writer < at) {
        text.extend_from_slice(&output(commands, writer, left).unwrap_or_default());
    }
    (!text.is_empty() && text.len() <= BYTES).then_some(text)
}

fn output(commands: &[Command], at: usize, left: &mut usize) -> Option<BString> {
    *left = left.checked_sub(1)?;
    let command = commands.get(at)?;
    if command.redirections.iter().any(leads_away) {
        return None;
    }
    let argv = command.argv();
    let (name, arguments) = argv.split_first()?;
    // `-u` changes nothing of what is written.
    let is_input = |argument: &BString| argument == "-" || argument == "-u" || argument == "--";
    match name.rsplit(|b| *b == b'/').next().unwrap_or_default() {
        b"echo" => Some(echo(arguments)),
        b"printf" => printf(arguments),
        b"tee" => input(commands, at, left),
        b"cat" if arguments.iter().all(is_input) => input(commands, at, left),
        _ => None,
    }
}

/// Does it take standard output to where nothing of the line reads it?
fn leads_away(redirection: &Redirection) -> bool {
    let is_output = redirection.descriptor.as_deref().is_none_or(|d| d == "1");
    let target = redirection.target.typed();
    let is_same = match redirection.operator {
        RedirectOperator::DuplicateOutput => target == "1",
        _ => {
            target.starts_with(b">(")
                || [&b"/dev/stdout"[..], b"/dev/fd/1", b"/proc/self/fd/1"]
                    .contains(&target.as_slice())
        }
    };
    is_output && writes(redirection.operator) && !is_same
}

fn writes(operator: RedirectOperator) -> bool {
    matches!(
        operator,
        RedirectOperator::Write
            | RedirectOperator::Clobber
            | RedirectOperator::Append
            | RedirectOperator::WriteBoth
            | RedirectOperator::AppendBoth
            | RedirectOperator::DuplicateOutput
    )
}

fn echo(arguments: &[BString]) -> BString {
    let is_option = |argument: &&BString| {
        argument.len() > 1
            && argument.starts_with(b"-")
            && argument[1..].iter().all(|b| matches!(b, b'n' | b'e' | b'E'))
    };
    let options = arguments.iter().take_while(is_option).count();
    let (options, words) = arguments.split_at(options);
    let text = bstr::join(" ", words);
    let escapes = options.iter().any(|option| option.contains(&b'e'));
    let mut text = if escapes { unescaped_by_echo(&text) } else { text.into() };
    text.push(b'\n');
    text
}

/// The format with its arguments in it, again and again while there are any.
fn printf(arguments: &[BString]) -> Option<BString> {
    let skipped = usize::from(arguments.first().is_some_and(|argument| argument == "--"));
    let (format, arguments) = arguments.get(skipped..)?.split_first()?;
    if format == "-v" {
        return None;
    }
    let mut arguments = arguments.iter();
    let mut text = BString::default();
    loop {
        let before = arguments.len();
        let mut rest = format.as_slice();
        while let Some(at) = rest.find_byte(b'%') {
            text.extend_from_slice(&unescaped(&rest[..at]));
            let behind = &rest[at + 1..];
            let flags = behind.iter().take_while(|b| b"-+ #0123456789.*".contains(b)).count();
            let (width, precision) = (behind.get(..flags).unwrap_or_default())
                .split_once_str(".")
                .map_or((behind.get(..flags).unwrap_or_default(), None), |(w, p)| (w, Some(p)));
            if width.contains(&b'*') {
                arguments.next();
            }
            let most = precision.map(|given| match given {
                b"*" => number(arguments.next().map_or(&[][..], |argument| argument)),
                given => number(given),
            });
            let first =
                |value: &[u8]| BString::from(&value[..most.unwrap_or(usize::MAX).min(value.len())]);
            match behind.get(flags) {
                Some(b'%') => text.push(b'%'),
                Some(b'b') => {
                    let value = arguments.next().map(|a| unescaped_by_echo(a)).unwrap_or_default();
                    text.extend_from_slice(&first(&value));
                }
                Some(b's') => {
                    text.extend_from_slice(&first(arguments.next().map_or(&[][..], |a| a)));
                }
                Some(b'c') => text.extend(arguments.next().and_then(|a| a.first())),
                _ => text.extend(arguments.next().into_iter().flat_map(|a| a.iter())),
            }
            rest = behind.get(flags + 1..).unwrap_or_default();
        }
        text.extend_from_slice(&unescaped(rest));
        if arguments.len() == before || arguments.len() == 0 || text.len() > BYTES {
            return Some(text);
        }
    }
}

fn number(digits: &[u8]) -> usize {
    digits.to_str().ok().and_then(|digits| digits.parse().ok()).unwrap_or_default()
}
