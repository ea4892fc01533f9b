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
mod raw;
mod scan;
mod scope;
mod simple;
mod split;
mod walk;
mod word;
mod words;

pub use command::{Assignment, Command, Directory, Line, Nest, RedirectOperator, Redirection, Way};
pub use cut::{Part, cut};
pub use fed::fed;
pub use parse::parse;
pub use split::split;
pub use word::{Dynamic, Piece, Word};

/// Does the text hold anything that a plain command has not?
pub fn has_syntax(text: &str) -> bool {
    let mut parts = cut(text).into_iter();
    let plain = |p: &Part<'_>| p.text.trim() == text.trim();
    !parts.next().is_none_or(|p| plain(&p)) || text.contains(['$', '`', '>', '<'])
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
            has_syntax(&text);
            split(&text);
        }
    }
}
