//! Shell text → the commands in it, without running any. The grammar of bash is rable's
//! ([`parse`]); what it cannot parse, or would take too long for, is cut at its operators
//! ([`cut`]), so that each part is still seen. What only the shell will know stays dynamic: it
//! is kept as it was typed.

mod admit;
mod ansi;
mod atoms;
mod braces;
mod builtins;
mod command;
mod compound;
mod cut;
mod expand;
mod expects;
mod fed;
mod parse;
mod places;
mod powershell;
mod quoted;
mod raw;
mod rounds;
mod scan;
mod scope;
mod simple;
mod split;
mod walk;
mod word;
mod words;

pub use command::{
    Assignment, Command, Directory, Line, Nest, Possible, RedirectOperator, Redirection, Way,
};
pub use cut::{Part, cut};
pub use fed::{fed, printed};
pub use parse::{parse, parse_briefly, parse_with};
pub use powershell::{Simple, powershell};
pub use split::split;
pub use word::{Dynamic, Piece, Word};

/// Will only a shell know all of it: what a variable, a substitution or a glob stands for, or
/// what a text that does not parse is?
pub fn leaves_unknown(text: &str) -> bool {
    let line = parse(text);
    let is_unknown = |command: &Command| {
        let targets = command.redirections.iter().map(|redirection| &redirection.target);
        command.words.iter().chain(targets).any(|word| word.literal().is_none())
    };
    line.way == Way::Cut || line.commands.iter().any(is_unknown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_any_depth_is_cut_and_split() {
        let pieces = [
            "$(",
            "${",
            "\"$(",
            "((",
            "( (",
            "$((",
            "(",
            "a=(",
            "@(",
            "<(",
            "`",
            "$'",
            "'\"",
            "<<E ",
            "<<E\n",
            "case x in ",
            "[[ ",
            "f (",
            "#\n",
            "\\\n",
            "((a);",
            "coproc ",
            "é\\é",
        ];
        for piece in pieces {
            let text = piece.repeat(50_000);
            cut(&text).into_iter().for_each(|part| drop(split(part.text)));
            parse(&text);
            leaves_unknown(&text);
            split(&text);
        }
    }
}
