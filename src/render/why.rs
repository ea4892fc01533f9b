//! Why a rule hits a call, or does not.

use crate::policy::{Exception, FlagChoice, Miss, Standing};

use super::prose::backquoted;

/// In one clause.
pub fn why(standing: &Standing<'_>) -> String {
    let miss = match standing {
        Standing::Hits => return "hits".to_owned(),
        Standing::Silenced => return "hits, and an `allow` silences it".to_owned(),
        Standing::Misses(miss) => miss,
    };
    let why = match miss {
        Miss::Elsewhere => {
            "it runs in a container or on another host (`machines = \"any\"` would count it)"
                .to_owned()
        }
        Miss::Effects => "the call does nothing that it names".to_owned(),
        Miss::Form => "its `command` has other words or another place in the line".to_owned(),
        Miss::Feeder => "nothing that `fed_by` names writes into its pipe".to_owned(),
        Miss::Flag(FlagChoice(names)) => format!("{} is not given", backquoted(&names.join("|"))),
        Miss::Literal(text) => format!("the text does not contain {}", backquoted(text)),
        Miss::Pattern(pattern) => {
            format!("the text does not match {}", backquoted(pattern.source()))
        }
        Miss::Lifted(exception) => {
            format!("lifted by `unless` {}", backquoted(&spelled(exception)))
        }
        Miss::Under(name) => format!("it is called by way of {}", backquoted(name)),
        Miss::NotTyped => "the agent's own shell did not run it (`callers = \"typed\"`)".to_owned(),
    };
    format!("does not hit: {why}")
}

fn spelled(exception: &Exception) -> String {
    match exception {
        Exception::Words(words) => words.join(" "),
        Exception::Flag(FlagChoice(names)) => names.join("|"),
        Exception::Text(pattern) => format!("/{}/", pattern.source()),
    }
}
