//! What a command reads from its standard input, where the line itself says so: the text of a
//! here-document, or what `echo`, `printf` and `cat` write into its pipe.

use bstr::{BString, ByteSlice};

use super::ansi::unescaped;
use super::command::{Command, RedirectOperator};

/// So many commands are asked what they write, however the pipes lie.
const WRITERS: usize = 256;
/// Longer texts are not put together.
const BYTES: usize = 1 << 18;

/// The text that the command at this place is fed; none where nothing is known of it. What is
/// dynamic in it stays as it was typed.
pub fn fed(commands: &[Command], at: usize) -> Option<String> {
    Some(input(commands, at, &mut { WRITERS })?.to_str_lossy().into_owned())
}

fn input(commands: &[Command], at: usize, left: &mut usize) -> Option<BString> {
    let command = commands.get(at)?;
    if let Some(text) = &command.input {
        return Some(BString::from(&**text));
    }
    let mut text = BString::default();
    for &writer in command.writers.iter().filter(|writer| **writer < at) {
        text.extend_from_slice(&output(commands, writer, left).unwrap_or_default());
    }
    (!text.is_empty() && text.len() <= BYTES).then_some(text)
}

fn output(commands: &[Command], at: usize, left: &mut usize) -> Option<BString> {
    *left = left.checked_sub(1)?;
    let command = commands.get(at)?;
    if command.redirections.iter().any(|redirection| {
        let is_output = redirection.descriptor.as_deref().is_none_or(|d| d == "1");
        is_output && writes(redirection.operator)
    }) {
        return None;
    }
    let argv = command.argv();
    let (name, arguments) = argv.split_first()?;
    match name.rsplit(|b| *b == b'/').next().unwrap_or_default() {
        b"echo" => Some(echo(arguments)),
        b"printf" => printf(arguments),
        b"tee" => input(commands, at, left),
        b"cat" if arguments.iter().all(|argument| argument == "-") => input(commands, at, left),
        _ => None,
    }
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
    let mut text = if escapes { unescaped(&text) } else { text.into() };
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
            let flags = behind.iter().take_while(|b| b"-+ #0123456789.".contains(b)).count();
            match behind.get(flags) {
                Some(b'%') => text.push(b'%'),
                Some(b'b') => {
                    text.extend(arguments.next().map(|a| unescaped(a)).unwrap_or_default().iter());
                }
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
