//! Shell text, for now only cut: at its operators, outside quotes, substitutions,
//! comments and here-documents; each part split into words. Not a parser: what a
//! variable holds and what `$(…)`, `` `…` `` and `<(…)` run stays unknown, and a quote
//! that is not closed ends with the text.

mod cut;
mod expects;
mod scan;
mod split;
mod words;

pub use cut::{Part, cut};
pub use split::split;

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
            has_syntax(&text);
            split(&text);
        }
    }
}
