//! Forms of `command`: whole words, never characters (A2), and fragments of a
//! line that begin with an operator (A3).

use serde::{Deserialize, Serialize};

use crate::command::Words;

use super::Stage;

/// One string of `command`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Form {
    /// `git push --force`: a program, words in order, flags that must be there.
    Command { program: String, words: Vec<String>, flags: Vec<FlagChoice> },
    /// `| head -`: a command behind an operator; a trailing `-` word is a prefix.
    Fragment { operator: Operator, program: String, words: Vec<String> },
}

/// `-f` or `-f|--force-with-lease`: one of these must be there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlagChoice(pub Vec<String>);

/// What stands before a fragment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Operator {
    Pipe,
    And,
    Or,
    Sequence,
}

/// Why a string is no form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParseFormError {
    Empty,
    /// A fragment without a program behind its operator.
    NoProgram,
    /// Redirections are effects, not fragments.
    Redirection,
    /// Operators inside: a form is one command.
    SeveralCommands,
}

impl Form {
    /// Parses a `command` string. `gradle:*` is `gradle`.
    pub fn parse(text: &str) -> Result<Self, ParseFormError> {
        let text = text.trim();
        let (operator, rest) = split_operator(text);
        if rest.starts_with(['>', '<']) || operator.is_none() && text.starts_with('&') {
            return Err(ParseFormError::Redirection);
        }
        let rest = rest.strip_suffix(":*").unwrap_or(rest);
        if rest.split_whitespace().any(|w| matches!(w, "|" | "||" | "&&" | ";" | "|&" | "&")) {
            return Err(ParseFormError::SeveralCommands);
        }
        let mut words = rest.split_whitespace().map(str::to_owned);
        let program = match (words.next(), operator) {
            (Some(program), _) => program,
            (None, Some(_)) => return Err(ParseFormError::NoProgram),
            (None, None) => return Err(ParseFormError::Empty),
        };
        Ok(match operator {
            Some(operator) => Form::Fragment { operator, program, words: words.collect() },
            None => {
                let (flags, words) = words.partition(|w| w.len() > 1 && w.starts_with('-'));
                let flags: Vec<String> = flags;
                Form::Command {
                    program,
                    words,
                    flags: flags.iter().map(|f| FlagChoice::parse(f)).collect(),
                }
            }
        })
    }

    /// The program that the form names.
    pub fn program(&self) -> &str {
        match self {
            Form::Command { program, .. } | Form::Fragment { program, .. } => program,
        }
    }

    /// The flags that must be there.
    pub fn flags(&self) -> &[FlagChoice] {
        match self {
            Form::Command { flags, .. } => flags,
            Form::Fragment { .. } => &[],
        }
    }

    /// Does this form speak of these words at this place of a line?
    pub fn covers(&self, words: &Words, stage: Stage) -> bool {
        match self {
            Form::Command { program, words: wanted, flags } => {
                words.is_program(program)
                    && words.begin_with(wanted)
                    && flags.iter().all(|f| f.is_in(words))
            }
            Form::Fragment { .. } => self.certainly_covers(words, stage),
        }
    }

    /// The same, where doubt does not help.
    pub fn certainly_covers(&self, words: &Words, stage: Stage) -> bool {
        match self {
            Form::Command { program, words: wanted, flags } => {
                words.is_program(program)
                    && words.certainly_begin_with(wanted)
                    && flags.iter().all(|f| f.is_certainly_in(words))
            }
            Form::Fragment { operator, program, words: wanted } => {
                operator.is_before(stage)
                    && words.is_program(program)
                    && wanted.iter().enumerate().all(|(i, want)| {
                        words.argument(i).is_some_and(|have| match want.strip_suffix('-') {
                            Some(_) => have.starts_with(want.as_bytes()),
                            None => have == want.as_bytes(),
                        })
                    })
            }
        }
    }
}

impl FlagChoice {
    /// Parses `-f|--force`.
    pub fn parse(text: &str) -> Self {
        FlagChoice(text.split('|').map(|s| s.trim().to_owned()).filter(|s| !s.is_empty()).collect())
    }

    /// Is one of the choices given?
    pub fn is_in(&self, words: &Words) -> bool {
        self.0.iter().any(|flag| words.has_flag(flag))
    }

    /// The same, where doubt does not help.
    pub fn is_certainly_in(&self, words: &Words) -> bool {
        self.0.iter().any(|flag| words.certainly_has_flag(flag))
    }
}

impl Operator {
    /// As it is written.
    pub fn sign(self) -> &'static str {
        match self {
            Operator::Pipe => "|",
            Operator::And => "&&",
            Operator::Or => "||",
            Operator::Sequence => ";",
        }
    }

    fn is_before(self, stage: Stage) -> bool {
        match self {
            Operator::Pipe => stage == Stage::Piped,
            Operator::And => stage == Stage::After(Operator::And),
            Operator::Or => stage == Stage::After(Operator::Or),
            Operator::Sequence => stage == Stage::After(Operator::Sequence),
        }
    }
}

fn split_operator(text: &str) -> (Option<Operator>, &str) {
    const OPERATORS: [(&str, Operator); 5] = [
        ("||", Operator::Or),
        ("|&", Operator::Pipe),
        ("|", Operator::Pipe),
        ("&&", Operator::And),
        (";", Operator::Sequence),
    ];
    for (sign, operator) in OPERATORS {
        if let Some(rest) = text.strip_prefix(sign) {
            return (Some(operator), rest.trim_start());
        }
    }
    (None, text)
}
