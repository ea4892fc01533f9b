//! `embargo doctor`: whether the shims are met here, and serve. `sys` looks, `doctor`
//! judges, `render` speaks; each check brings the three together.

mod guard;
mod home;
mod reach;
mod subject;

use std::path::PathBuf;

use super::Outcome;
use super::judging::Policies;
use crate::policy::Exit;
use crate::render::{answer, doctor as says};
use crate::sys::{Held, stdio};

use subject::Subject;

/// Looks whether the shims are met and judge here, and says what to mend
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Another directory of shims than the user's own, or that of the run around
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// One JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    policies: Policies,
}

const EXAMPLES: &str = "\
Examples:
  embargo doctor
  embargo doctor --json | jq -r '.checks[] | select(.verdict == \"finding\").remedy[]'

It starts the shell in SHELL, as login and as interactive shell, and `sh`, to see their PATH; makes
calls of its own in a temporary directory, to see them refused. It mends nothing, and says how. Let
an agent run it to see what its harness makes of PATH. Exit status: 0, or 1 with findings.";

/// Looks, and tells.
pub fn run(args: Args) -> Outcome {
    let held = Held::begin();
    let subject = Subject::new(args.dir, &args.policies)?;
    let mut reports = reach::shells(&subject);
    reports.extend(guard::reports(&subject));
    reports.extend(home::reports(&subject));
    reports.push(reach::harness(&subject));
    reports.push(home::others(&subject));
    // What was made is gone by now: a signal that came meanwhile ends us here.
    drop(held);
    stdio::print(&match args.json {
        true => answer::object(&says::json(&reports, &subject.place)),
        false => says::plain(&reports, &subject.place),
    });
    Ok(if says::findings(&reports) == 0 { Exit::Success } else { Exit::Findings })
}
