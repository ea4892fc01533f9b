//! The policies that are measured. Each refuses `gradle`, so that a row can prove
//! that its policy is in force before it times what passes.

use std::fmt::Write as _;

pub const REFUSED: [&str; 2] = ["gradle", "build"];

#[derive(Clone, Copy)]
pub enum Policy {
    /// The one that the repository shows: what a user would have.
    Example,
    /// So many rules, over many programs.
    Spread(usize),
    /// So many rules, all on the program that is called.
    Crowded(usize),
}

/// The fixed part of one pattern in forty is in these words, and none matches: of
/// 10,000 patterns 250 have to be run to know.
pub const CROWDED_ARGUMENTS: [&str; 3] = ["deploy", "--target", "stage7-x"];

impl Policy {
    pub fn name(self) -> String {
        match self {
            Self::Example => "example".into(),
            Self::Spread(rules) => format!("spread-{rules}"),
            Self::Crowded(rules) => format!("crowded-{rules}"),
        }
    }

    pub fn text(self) -> String {
        match self {
            Self::Example => include_str!("../../embargo.example.toml").into(),
            Self::Spread(rules) => rules_from(rules, spread),
            Self::Crowded(rules) => rules_from(rules, crowded),
        }
    }
}

fn rules_from(count: usize, subject: fn(usize) -> String) -> String {
    let mut text = String::new();
    for number in 0..count {
        // The last one, so that nothing is decided by the first lines of a file.
        let subject = if number + 1 == count {
            format!("command = \"{}\"", REFUSED[0])
        } else {
            subject(number)
        };
        let _ = writeln!(text, "[[embargo]]\nid = \"rule-{number}\"\n{subject}");
        let _ = writeln!(text, "reason = \"the release has a way of its own (rule {number})\"");
        let _ = writeln!(text, "alternative = \"run `make step-{number}`\"\n");
    }
    text
}

/// As people write them: most are words, some look at flags, some at the text.
fn spread(number: usize) -> String {
    let program = number % 1_000;
    match number % 4 {
        0 => format!("command = \"tool{program}\"\nflags = [\"--force\"]"),
        1 => format!("command = \"tool{program}\"\npattern = 'level-{number}\\s+\\w+$'"),
        _ => format!("command = \"tool{program} step{number}\""),
    }
}

fn crowded(number: usize) -> String {
    format!("command = \"true\"\npattern = 'stage{}-[a-w]+{number}$'", number % 40)
}
