//! One clause of `effects` in a description: `operands if --force unless --dry-run`.

use serde::{Deserialize, Serialize};

use super::{Act, Thing};

/// What a command does, by its arguments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clause {
    pub act: Act,
    pub what: What,
    pub reach: Reach,
    pub stand: Stand,
    /// All must hold.
    pub when: Vec<Condition>,
}

/// Which arguments undergo it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum What {
    Operands,
    FirstOperand,
    /// All but the first.
    LaterOperands,
    /// All but the last.
    EarlierOperands,
    LastOperand,
    /// All but the last, without those of another machine (`host:path`).
    LocalEarlierOperands,
    LocalLastOperand,
    /// The name that each of the earlier ones gets if the last is a directory.
    IntoLastOperand,
    /// Operands behind `--`; without one, those that look like paths.
    Paths,
    /// The rest of an operand that begins so: `of=`.
    Named(String),
    /// The name of each operand that ends so, without that.
    StemOf(String),
    Value(String),
    /// The first word of a value of two.
    FirstOfValue(String),
    /// The name that each operand gets in the directory that is this option's value.
    IntoValue(String),
    /// The name that each operand gets in the directory in which the command works.
    IntoHere,
    /// The directory in which the command works.
    Here,
    Thing(Thing),
}

/// How far from what is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reach {
    Itself,
    /// Itself, and nothing below it.
    Only,
    /// Anything below it.
    Below,
    /// Some of what is below it.
    Among,
}

/// From where a relative path counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stand {
    /// From the directory that options have named.
    Moved,
    /// From where the command was started, whatever `-C` says.
    Start,
}

/// When it is so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Condition {
    If(String),
    Unless(String),
    IfOperands,
    UnlessOperands,
    /// An operand begins so and goes on, not with `/`.
    IfOperand(String),
    /// Two operands or more.
    IfSeveral,
}

/// Verbs that say nothing of what is here, and are for readers.
const ELSEWHERE: [&str; 6] = ["reads", "sends", "publishes", "installs", "removes", "stages"];

/// Why a clause means nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClauseFault {
    Verb,
    Word(String),
}

impl Clause {
    /// Reads `text` below the key `verb`; `None` is what says nothing of anything here.
    pub fn parse(verb: &str, text: &str) -> Result<Option<Clause>, ClauseFault> {
        let act = Act::named(verb);
        if act.is_none() && !ELSEWHERE.contains(&verb) {
            return Err(ClauseFault::Verb);
        }
        let mut words = text.split_whitespace().peekable();
        let below = words.next_if_eq(&"below").map(|_| Reach::Below);
        let among = words.next_if_eq(&"among").map(|_| Reach::Among);
        let only = words.next_if_eq(&"only").map(|_| Reach::Only);
        let start = words.next_if_eq(&"here").is_some();
        let word = words.next().unwrap_or_default();
        let what = what(word).ok_or_else(|| ClauseFault::Word(word.to_owned()))?;
        let mut when = Vec::new();
        while let Some(word) = words.next() {
            when.push(match (word, words.next()) {
                ("if", Some("operands")) => Condition::IfOperands,
                ("if", Some("several")) => Condition::IfSeveral,
                ("unless", Some("operands")) => Condition::UnlessOperands,
                ("if", Some(word)) if word.starts_with("operand:") => {
                    Condition::IfOperand(word["operand:".len()..].to_owned())
                }
                ("if", Some(flag)) => Condition::If(flag.to_owned()),
                ("unless", Some(flag)) => Condition::Unless(flag.to_owned()),
                _ => return Err(ClauseFault::Word(word.to_owned())),
            });
        }
        let reach = below.or(among).or(only).unwrap_or(Reach::Itself);
        let stand = if start { Stand::Start } else { Stand::Moved };
        Ok(act.zip(what).map(|(act, what)| Clause { act, what, reach, stand, when }))
    }

    /// Its act, as one of a set.
    pub fn bit(&self) -> u32 {
        match self.what {
            What::Thing(_) => self.act.bit_of_things(),
            _ => self.act.bit(),
        }
    }

    /// Flags and options that it names.
    pub fn options(&self) -> impl Iterator<Item = &str> {
        let value = match &self.what {
            What::Value(name) | What::FirstOfValue(name) | What::IntoValue(name) => Some(name),
            _ => None,
        };
        let flags = self.when.iter().filter_map(|condition| match condition {
            Condition::If(flag) | Condition::Unless(flag) => Some(flag),
            Condition::IfOperands
            | Condition::UnlessOperands
            | Condition::IfOperand(_)
            | Condition::IfSeveral => None,
        });
        value.into_iter().chain(flags).map(String::as_str)
    }
}

/// The outer `None`: no word of ours. The inner: names of what is elsewhere.
fn what(word: &str) -> Option<Option<What>> {
    let what = match word {
        "names" => return Some(None),
        "operands" => What::Operands,
        "first-operand" => What::FirstOperand,
        "later-operands" => What::LaterOperands,
        "earlier-operands" => What::EarlierOperands,
        "last-operand" => What::LastOperand,
        "local-earlier-operands" => What::LocalEarlierOperands,
        "local-last-operand" => What::LocalLastOperand,
        "into-here" => What::IntoHere,
        "into-last-operand" => What::IntoLastOperand,
        "paths" => What::Paths,
        "." => What::Here,
        _ => match word.split_once(':') {
            Some(("operand", prefix)) => What::Named(prefix.to_owned()),
            Some(("stem-of", suffix)) => What::StemOf(suffix.to_owned()),
            Some(("value", name)) => What::Value(name.to_owned()),
            Some(("first-of-value", name)) => What::FirstOfValue(name.to_owned()),
            Some(("into", name)) => What::IntoValue(name.to_owned()),
            _ => What::Thing(Thing::named(word)?),
        },
    };
    Some(Some(what))
}
