//! `embargo explain`: the whole way to a verdict, for whoever wonders about it.

use std::sync::Arc;

use super::Outcome;
use super::in_force;
use super::judging::{self, Asked, Distrusted, Policies, Question};
use crate::decide::{self, Decision};
use crate::line;
use crate::policy::{Ancestry, Exit, Invocation, Place, Rule, considered};
use crate::render::explain::{Explanation, Unknown};
use crate::render::refusal::Circumstances;
use crate::render::{answer, explain, trouble};
use crate::sys::{sources, stdio};
use crate::view::{Contents, View, encode};

/// Says how the policy comes to its verdict on a line or a command
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, override_usage = USAGE)]
pub struct Args {
    #[command(flatten)]
    question: Question,
}

const USAGE: &str = "embargo explain [OPTIONS] 'LINE'
       embargo explain [OPTIONS] --argv CMD [ARG]...";

const EXAMPLES: &str = "\
Examples:
  embargo explain 'sudo git -C lib push -uf origin'
  embargo explain --json --argv pip3 install requests

Shows every command found, its words and flags as they were understood, each rule that speaks of
it and why it hits or does not, the policy files, and what cannot be known. Runs nothing.";

/// Prints the explanation.
pub fn run(args: Args) -> Outcome {
    let Args { question } = args;
    let asked = question.call.asked("explain")?;
    match explained(&question.policies, &asked, question.json) {
        Ok(text) => {
            stdio::print(&text);
            Ok(Exit::Success)
        }
        Err(Distrusted(message)) if question.json => {
            stdio::print(&answer::object(&answer::broken(&message, "explain")));
            Ok(Exit::Broken)
        }
        Err(Distrusted(message)) => {
            stdio::say(&message);
            Ok(Exit::Broken)
        }
    }
}

fn explained(policies: &Policies, asked: &Asked, json: bool) -> Result<String, Distrusted> {
    let name = asked.name();
    let context = policies.context(&name)?;
    let mut decision = judging::decide(&context, &name, asked.subject())?;
    if decision.sources.is_empty() {
        decision.sources = sources::find(&context, &[]);
    }
    let contents = in_force::contents(&context, &decision.sources);
    let contents = contents.map_err(|e| Distrusted(trouble::distrust(&name, &e)))?;
    if decision.calls.is_empty() {
        decision.calls = calls(asked, &contents);
    }
    add_effects(&mut decision.calls, &contents, &decide::place(&context));
    let policy = &contents.policy;
    let considered =
        decision.calls.iter().map(|call| considered(&policy.rules, &policy.reserved, call));
    let explanation = Explanation {
        verdict: decision.verdict(),
        calls: &decision.calls,
        considered: considered.collect(),
        rule_count: policy.rules.len(),
        sources: &decision.sources,
        notices: &decision.notices,
        way: match asked {
            Asked::Line(text) => Some(line::parse(text).way),
            Asked::Argv(_) => None,
        },
        unknown: unknown(asked, &decision, &policy.rules),
        about: Circumstances {
            evidence: None,
            offence: 0,
            surface_after: decision.settings.surface_after,
            door: "explain",
        },
    };
    Ok(match json {
        true => answer::object(&explain::json(&explanation)),
        false => explain::plain(&explanation),
    })
}

/// What each call does is told whether or not a rule asks.
fn add_effects(calls: &mut [Invocation], contents: &Contents, place: &Arc<Place>) {
    let bytes = encode(contents);
    if let Ok(view) = View::open(&bytes) {
        view.add_effects(calls, place);
    }
}

/// A call that no rule can speak of was not taken apart on the way to its verdict.
fn calls(asked: &Asked, contents: &Contents) -> Vec<Invocation> {
    let bytes = encode(contents);
    let Ok(view) = View::open(&bytes) else { return Vec::new() };
    match asked {
        Asked::Argv(argv) => view.calls(argv, &Ancestry::default()),
        Asked::Line(line) => view.calls_of_line(line, &Ancestry::default()),
    }
}

fn unknown(asked: &Asked, decision: &Decision, rules: &[Rule]) -> Vec<Unknown> {
    let covers = |rule: &Rule| decision.calls.iter().any(|call| rule.covers(call));
    let asks = rules.iter().any(|rule| rule.asks_for_ancestry() && covers(rule));
    let mut unknown = Vec::new();
    match asked {
        Asked::Argv(_) => unknown.push(Unknown::Line),
        Asked::Line(text) if line::leaves_unknown(text) => unknown.push(Unknown::Expansions),
        Asked::Line(_) => {}
    }
    if asks {
        unknown.push(Unknown::Caller);
    }
    unknown
}
