//! What feeds the commands of a line, as far as a rule names it.

use std::sync::Arc;

use crate::line::Command;
use crate::policy::{Feeder, Form, Invocation, Stage};

use super::View;

/// So many commands of earlier stages are looked at, the nearest first.
const COMMANDS: usize = 64;

/// Of each command of a line so far, its calls that a rule names as feeding others.
pub(super) struct Feeders {
    /// What rules name.
    forms: Vec<Form>,
    of_commands: Vec<Vec<Arc<Feeder>>>,
    /// Is there one at all?
    is_any: bool,
}

impl Feeders {
    pub fn of_line(view: &View<'_>) -> Self {
        Feeders { forms: view.feeding(), of_commands: Vec::new(), is_any: false }
    }

    /// Takes the calls of the next command of the line, and tells those that read from its pipe
    /// what feeds them.
    pub fn next(&mut self, commands: &[Command], calls: &mut [Invocation]) {
        if self.forms.is_empty() {
            return;
        }
        // Most lines have nothing that a rule names.
        let fed_by = match self.is_any {
            true => self.feeding(commands, self.of_commands.len()),
            false => Vec::new(),
        };
        for call in calls.iter_mut().filter(|call| call.stage == Stage::Piped) {
            // What stands in a text inside has been told already.
            if call.fed_by.is_empty() {
                call.fed_by.clone_from(&fed_by);
            }
        }
        let is_named = |call: &&Invocation| {
            self.forms.iter().any(|form| form.covers(&call.words, Stage::First))
        };
        let feeder = |call: &Invocation| {
            Arc::new(Feeder { words: Arc::clone(&call.words), text: call.text.clone() })
        };
        let feeders: Vec<Arc<Feeder>> = calls.iter().filter(is_named).map(feeder).collect();
        self.is_any |= !feeders.is_empty();
        self.of_commands.push(feeders);
    }

    fn feeding(&self, commands: &[Command], at: usize) -> Vec<Arc<Feeder>> {
        let writers = |at: usize| commands.get(at).map_or(&[][..], |command| &command.writers);
        let mut reached: Vec<usize> = writers(at).iter().copied().take(COMMANDS).collect();
        let mut next = 0;
        while let Some(writer) = reached.get(next).copied() {
            let of_its_own = commands.get(writer).is_some_and(writes_its_own);
            for further in writers(writer).iter().filter(|_| !of_its_own) {
                if *further < writer && reached.len() < COMMANDS && !reached.contains(further) {
                    reached.push(*further);
                }
            }
            next += 1;
        }
        reached.iter().filter_map(|at| self.of_commands.get(*at)).flatten().cloned().collect()
    }
}

/// Nothing of what it reads comes out of it.
fn writes_its_own(command: &Command) -> bool {
    command.argv().first().is_some_and(|name| name == "echo" || name == "printf")
}
