//! `embargo brief`: the rules in force, for an agent's context.

use std::ffi::OsStr;

use super::judging::{Distrusted, Policies};
use super::{Outcome, in_force};
use crate::policy::{Exit, Form, Rule, Ruling};
use crate::render::{answer, brief, trouble};
use crate::sys::{install, program, sources, stdio};
use crate::view::Contents;

/// Prints the rules in force here, compactly, for an agent's instructions
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    policies: Policies,
    /// Characters it may have; rules that do not fit are counted
    #[arg(long, value_name = "N", default_value_t = 1500, value_parser = clap::value_parser!(u32).range(400..))]
    max: u32,
    /// One JSON object, with every rule
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  embargo brief
  embargo brief >> AGENTS.md
  embargo brief --max 4000

Rules on programs that are there stand first, the strictest of them before the others; the order
changes only when the policy or the programs do. Without any rule nothing is printed.";

/// Prints it.
pub fn run(args: Args) -> Outcome {
    match briefed(&args) {
        Ok(exit) => Ok(exit),
        Err(Distrusted(message)) => {
            match args.json {
                true => stdio::print(&answer::object(&answer::broken(&message, "brief"))),
                false => stdio::say(&message),
            }
            Ok(Exit::Broken)
        }
    }
}

fn briefed(args: &Args) -> Result<Exit, Distrusted> {
    let name = OsStr::new("embargo brief");
    let context = args.policies.context(name)?;
    let found = sources::find(&context, &[]);
    let contents = in_force::contents(&context, &found);
    let contents = contents.map_err(|e| Distrusted(trouble::distrust(name, &e)))?;
    let rules = ordered(&contents);
    if rules.is_empty() && !args.json {
        if found.is_empty() {
            stdio::say(&answer::no_policy(context.cwd.as_deref(), context.config()));
        }
        return Ok(Exit::Success);
    }
    stdio::print(&match args.json {
        true => answer::object(&brief::json(&rules)),
        false => brief::text(&rules, args.max as usize),
    });
    Ok(Exit::Success)
}

/// Rules on programs that are there first, the strictest of them before the others.
pub fn ordered(contents: &Contents) -> Vec<&Rule> {
    let us = install::ourselves().ok();
    let is_there =
        |form: &Form| us.as_ref().is_some_and(|us| program::exists(OsStr::new(form.program()), us));
    // A name that is refused as such is called whether or not it is there.
    let is_name = |form: &Form| matches!(form, Form::Command { words, flags, .. } if words.is_empty() && flags.is_empty());
    let mut rules: Vec<(bool, &Rule)> = contents
        .policy
        .rules
        .iter()
        .filter(|rule| !matches!(rule.ruling, Ruling::Allow { .. }))
        .map(|rule| (rule.subject.forms.iter().any(|f| is_there(f) || is_name(f)), rule))
        .collect();
    rules.sort_by_key(|(is_there, rule)| {
        let origin = &rule.origin;
        // A project's own rules say most about its work.
        let far = u8::MAX - origin.layer.rank();
        (!is_there, std::cmp::Reverse(rule.ruling.severity()), far, &origin.file, origin.line)
    });
    rules.into_iter().map(|(_, rule)| rule).collect()
}
