//! Asks the person at the terminal. Verbs for people only: the shim asks nobody (C15).

use std::io::{BufRead as _, IsTerminal as _};

use super::stdio;

/// Is there anybody to ask: are input and standard error both terminals?
pub fn is_possible() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// One line of answer, trimmed; `None` at the end of input.
pub fn line(question: &str) -> Option<String> {
    stdio::say(question);
    let mut answer = String::new();
    match std::io::stdin().lock().read_line(&mut answer) {
        Ok(1..) => Some(answer.trim().to_owned()),
        _ => None,
    }
}

/// Does the person agree? An empty answer does; the end of input does not.
pub fn agrees(question: &str) -> bool {
    line(question).is_some_and(|answer| matches!(&*answer.to_lowercase(), "" | "y" | "yes"))
}
