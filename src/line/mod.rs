//! Shell text, for now only cut: at its operators, outside quotes, substitutions,
//! comments and here-documents; each part split into words. Not a parser: what a
//! variable holds, what `$(…)` runs and what a function does stay unknown.

mod cut;
mod split;

pub use cut::{Part, cut};
pub use split::split;

/// Does the text hold anything that a plain command has not?
pub fn has_syntax(text: &str) -> bool {
    let mut parts = cut(text).into_iter();
    let plain = |p: &Part<'_>| p.text.trim() == text.trim();
    !parts.next().is_none_or(|p| plain(&p)) || text.contains(['$', '`', '>', '<'])
}
