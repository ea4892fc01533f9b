//! `embargo last`: the last refusal of this session, in the words it was said in. For
//! whoever sent standard error away.

use std::path::PathBuf;

use super::judging::Policies;
use super::{Outcome, failure, in_force};
use crate::policy::{Ancestry, Exit, Invocation, Refusal, Reserved, Rule, Severity};
use crate::render::refusal::{self, Circumstances};
use crate::render::{answer, last, log, usage};
use crate::sys::context::Context;
use crate::sys::evidence::{self, EvidenceId, Filter, Row};
use crate::sys::processes::Lineage;
use crate::sys::{environment, session, sources, stdio};
use crate::view::{Contents, View, encode};

/// Shows the last refusal of this session once more
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    policies: Policies,
    /// One JSON object, as the refusal itself would have been
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Example:
  gradle build 2>/dev/null || embargo last

Exit status: 0 shown, 1 there was none.";

/// Prints it.
pub fn run(args: Args) -> Outcome {
    let context = Context::of_verb();
    let mut context = context.map_err(|(dir, error)| failure(log::no_record(&dir, &error)))?;
    context.named.extend(args.policies.absolute(&context));
    let state = context.state().ok_or_else(|| failure(usage::no_places()))?;
    let recorded = context.record.as_ref().and_then(|r| r.session);
    let ancestry = Lineage::of_this_process(recorded).ancestry(&[], None);
    let facts = session::facts(recorded, &ancestry, environment::text);
    let session = session::identify(&facts).id.key();

    let filter = Filter { session: Some(session.clone()), ..Filter::default() };
    let rows = evidence::rows(state, &filter).map_err(|e| failure(log::unreadable(&e)))?;
    let is_refusal = |row: &&Row| row.kind.is_refusal();
    let Some(row) = rows.iter().rfind(is_refusal) else {
        stdio::say(&last::none(&session));
        return Ok(Exit::Findings);
    };
    stdio::print(&text(&context, row, args.json));

    let unseen = rows.iter().filter(|r| is_refusal(r) && !r.told && r.id != row.id).count();
    if unseen > 0 && !args.json {
        stdio::print(&last::unseen(unseen, &session));
    }
    let seen: Vec<EvidenceId> = if args.json { vec![row.id.clone()] } else { ids(&rows) };
    // A mark that cannot be made: the notice comes once more.
    let _ = evidence::mark_told(state, &seen);
    Ok(Exit::Success)
}

fn ids(rows: &[Row]) -> Vec<EvidenceId> {
    rows.iter().filter(|row| !row.told).map(|row| row.id.clone()).collect()
}

/// In the agent's words, by the rules of today; what no rule says any more is told as
/// the log has it.
fn text(context: &Context, row: &Row, json: bool) -> String {
    let there = Context { cwd: Some(PathBuf::from(&row.cwd)), ..context.clone() };
    let contents = in_force::contents(&there, &sources::find(&there, &[])).unwrap_or_default();
    let rules: Vec<&Rule> =
        contents.policy.rules.iter().filter(|rule| row.rules.contains(&rule.id.0)).collect();
    let is_it = |name: &&Reserved| row.rule == format!("reserved:{}", name.name);
    let refusal = match contents.policy.reserved.iter().find(is_it) {
        Some(name) => Some(Refusal::reserved(name, rules)),
        None => Refusal::by_rules(rules).filter(|r| r.severity() > Severity::Warn),
    };
    let Some(refusal) = refusal else {
        return if json { answer::object(&log::json(row)) } else { last::as_logged(row) };
    };
    let about = Circumstances {
        evidence: Some(row.id.0.clone()),
        offence: row.offence,
        surface_after: contents.policy.settings.surface_after,
        door: "last",
    };
    let calls = calls(row, &contents);
    match json {
        true => answer::object(&refusal::json(&refusal, &calls, &about)),
        false => {
            stdio::say(&last::heading(row));
            refusal::agent_voice(&refusal, &calls, &about)
        }
    }
}

fn calls(row: &Row, contents: &Contents) -> Vec<Invocation> {
    let bytes = encode(contents);
    let argv: Vec<_> = row.argv.iter().map(|word| word.as_str().into()).collect();
    View::open(&bytes).map(|view| view.calls(&argv, &Ancestry::default())).unwrap_or_default()
}
