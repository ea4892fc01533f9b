//! `embargo check`: what the policy says of a line or a command. Runs nothing, and
//! leaves no evidence.

use super::Outcome;
use super::judging::{self, Asked, Distrusted, Policies, Question};
use crate::line;
use crate::policy::{Exit, Verdict};
use crate::render::refusal::{self, Circumstances};
use crate::render::{answer, trouble};
use crate::sys::{sources, stdio};

/// Says what the policy has to say of a line or a command, without running it
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, override_usage = USAGE)]
pub struct Args {
    #[command(flatten)]
    question: Question,
}

const USAGE: &str = "embargo check [OPTIONS] 'LINE'
       embargo check [OPTIONS] --argv CMD [ARG]...";

const EXAMPLES: &str = "\
Examples:
  embargo check 'cd app && gradle build | head -50'
  embargo check --policy embargo.example.toml 'git push -f'
  embargo check --json --argv git -C lib push --force

Prints `pass`, or what the agent would read. Exit status: 0 passes, 86 refused, 87 needs a
person's approval, 88 the policy cannot be trusted.";

/// Prints the verdict; its exit status is ours.
pub fn run(args: Args) -> Outcome {
    let Args { question } = args;
    let asked = question.call.asked("check")?;
    match judged(&question.policies, &asked, question.json) {
        Ok(exit) => Ok(exit),
        Err(Distrusted(message)) if question.json => {
            stdio::print(&answer::object(&answer::broken(&message, "check")));
            Ok(Exit::Broken)
        }
        Err(Distrusted(message)) => {
            stdio::say(&message);
            Ok(Exit::Broken)
        }
    }
}

fn judged(policies: &Policies, asked: &Asked, json: bool) -> Result<Exit, Distrusted> {
    let name = asked.name();
    let context = policies.context(&name)?;
    let decision = judging::decide(&context, &name, asked.subject())?;
    let mut notes: Vec<String> = decision.notices.iter().map(|n| trouble::notice(n)).collect();
    if let Asked::Line(text) = asked
        && line::leaves_unknown(text)
    {
        notes.push(answer::expansions());
    }
    let passes = matches!(decision.verdict(), Verdict::Pass(_));
    if passes && decision.sources.is_empty() && sources::find(&context, &[]).is_empty() {
        notes.push(answer::no_policy(context.cwd.as_deref(), context.config()));
    }
    notes.iter().for_each(|note| stdio::say(note));

    let about = Circumstances {
        evidence: None,
        offence: 0,
        surface_after: decision.settings.surface_after,
        door: "check",
    };
    let calls = &decision.calls;
    let verdict = decision.verdict();
    let text = match &verdict {
        Verdict::Pass(because) if json => answer::object(&answer::pass(because)),
        Verdict::Warn(it) | Verdict::Refuse(it) if json => {
            answer::object(&refusal::json(it, calls, &about))
        }
        Verdict::Pass(because) => answer::passes(because),
        Verdict::Warn(warning) => refusal::warning(warning, calls),
        Verdict::Refuse(refusal) => refusal::agent_voice(refusal, calls, &about),
    };
    stdio::print(&text);
    Ok(match &verdict {
        Verdict::Pass(_) => Exit::Success,
        Verdict::Warn(it) | Verdict::Refuse(it) => it.exit(),
    })
}
