//! What may come next in shell text, as far as it changes what the bytes mean.

/// Reserved words with a command behind them.
pub const KEYWORDS: [&str; 15] = [
    "if", "then", "elif", "else", "while", "until", "do", "!", "{", "}", "time", "fi", "done",
    "esac", "coproc",
];

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Expects {
    /// A command or a reserved word.
    Command,
    /// Arguments, or the `()` that makes the first word a function.
    Parentheses,
    Arguments,
    /// The word behind `coproc`: a command, or a name; then perhaps the group of that name.
    Coprocess,
    Group,
    /// The word behind `function`.
    Function,
    /// The word behind `for` or `select`, or `((…))`; then `in` or `do`.
    Variable,
    In,
    /// The word behind `case`; then `in`; then patterns up to `)`.
    Subject,
    CaseIn,
    Pattern,
    /// Up to `]]`.
    Test,
}

/// What comes behind a word that stands where a command may.
pub fn behind(word: &str) -> Expects {
    match word {
        "case" => Expects::Subject,
        "for" | "select" => Expects::Variable,
        "function" => Expects::Function,
        "[[" => Expects::Test,
        "coproc" => Expects::Coprocess,
        // `time -p`
        _ if KEYWORDS.contains(&word) || word.starts_with('-') => Expects::Command,
        _ => Expects::Parentheses,
    }
}
