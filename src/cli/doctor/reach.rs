//! Whether a shim is met: PATH here and in new shells, names, and the harness.

use std::path::Path;

use super::subject::Subject;
use crate::doctor::{self, Check, NotAsked, Reach, Report, Start, StartUp};
use crate::render::doctor::Which;
use crate::sys::shells::{self, Answer, Said, UsersShell};
use crate::sys::{doctor as look, environment, processes, runs, session, sources};

/// PATH here, in three shells, and the names in the interactive one.
pub fn shells(subject: &Subject) -> Vec<Report> {
    if !subject.directory().is_dir() {
        let not_asked = |check| Report::new(check, [Reach::NotAsked(NotAsked::NoDirectory)]);
        let shells = [Check::LoginShell, Check::InteractiveShell, Check::ShC, Check::Shadowed];
        let here = Report::new(Check::Path, [Reach::NoDirectory]);
        return std::iter::once(here).chain(shells.map(not_asked)).collect();
    }
    let names = subject.names();
    let users = shells::users();
    let ask = |start, names: &[String]| {
        let shell = users.as_ref().map_err(Clone::clone)?;
        shells::ask(shell, start, names)
    };
    let start_up = |start| users.as_ref().ok().and_then(|shell| shells::start_up(shell, start));
    let plain = shells::ask(&shells::plain(), Start::Plain, &[]);
    let interactive = ask(Start::Interactive, &names);
    let path = |answer: &Result<Answer, NotAsked>, start_up| match answer {
        Ok(answer) => stands(subject, shells::os(&answer.path), &names, start_up),
        Err(why) => Reach::NotAsked(why.clone()),
    };
    // What a new shell has from here says nothing of one in a new terminal.
    let alone = |start, found: Reach| match (&users, found) {
        (Ok(shell), Reach::First) if subject.place.which != Which::Run => {
            let bare = look::without(&environment::path_text(), subject.directory());
            let alone = shells::ask_on(Some(&bare), shell, start, &[]);
            match path(&alone, None) {
                Reach::Behind { .. } | Reach::NotOnPath { .. } => {
                    Reach::Inherited { start_up: start_up(start) }
                }
                _ => Reach::First,
            }
        }
        (_, found) => found,
    };
    let in_it = path(&interactive, start_up(Start::Interactive));
    let shadowed = match (interactive, &users) {
        (Ok(answer), Ok(shell)) => shadowed(
            subject,
            answer,
            &names,
            shell,
            in_it == Reach::First,
            &start_up(Start::Interactive),
        ),
        (Err(why), _) => vec![Reach::NotAsked(why)],
        (_, Err(why)) => vec![Reach::NotAsked(why.clone())],
    };
    let here = stands(subject, &environment::path_text(), &names, None);
    let login = path(&ask(Start::Login, &[]), start_up(Start::Login));
    let (login, in_it) = (alone(Start::Login, login), alone(Start::Interactive, in_it));
    vec![
        Report::new(Check::Path, [here]),
        Report::new(Check::LoginShell, [login]),
        Report::new(Check::InteractiveShell, [in_it]),
        Report::new(Check::ShC, [path(&plain, None)]),
        Report::new(Check::Shadowed, shadowed),
    ]
}

fn stands(
    subject: &Subject,
    path: &std::ffi::OsStr,
    names: &[String],
    start_up: Option<StartUp>,
) -> Reach {
    doctor::path(look::on_path(path, subject.directory(), names), start_up)
}

/// What hides a shim. Where the directory is not first, or the shim is not there, which other
/// checks tell, any file may be what a name leads to.
fn shadowed(
    subject: &Subject,
    answer: Answer,
    names: &[String],
    shell: &UsersShell,
    is_first: bool,
    start_up: &Option<StartUp>,
) -> Vec<Reach> {
    let shims = sources::canonical(subject.directory().to_owned());
    let is_shim = |name: &str, file: &Path| {
        let directory = file.parent().unwrap_or(file);
        !is_first
            || !subject.directory().join(name).exists()
            || sources::canonical(directory.to_owned()) == shims
            || runs::is_run(directory)
    };
    let again = |names: &[String]| -> Vec<(String, Said)> {
        shells::ask(shell, Start::Interactive, names).map(|a| a.names).unwrap_or_default()
    };
    let resolved = shells::resolve(answer.names, is_shim, again);
    let asked = resolved.len();
    let mut found: Vec<Reach> = resolved
        .into_iter()
        .filter_map(|(name, said)| doctor::shadow(&name, said, names, start_up))
        .collect();
    if found.is_empty() {
        found.push(match asked {
            0 => Reach::NotAsked(NotAsked::NoNames),
            names => Reach::MetByName { names },
        });
    }
    found
}

/// Which harness runs this.
pub fn harness(subject: &Subject) -> Report {
    let recorded = subject.context.record.as_ref().and_then(|record| record.session);
    let ancestry = processes::ancestry(recorded, &[], None);
    let facts = session::facts(recorded, &ancestry, environment::text);
    let of_harness = facts.variables.iter().map(|(name, _)| *name);
    let variables = of_harness.filter(|name| !name.starts_with("EMBARGO_")).collect();
    let agent = session::identify(&facts).agent;
    let reach = agent.map_or(Reach::NoHarness, |name| Reach::Harness { name, variables });
    Report::new(Check::Harness, [reach])
}
