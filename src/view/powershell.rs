//! The calls in PowerShell text: its commands, and those that stand in their arguments.

use std::sync::Arc;

use crate::line;
use crate::policy::{Ancestry, Invocation};

use super::View;
use super::calls::{Found, whole_alone};

impl View<'_> {
    /// Rules that name no command are matched on the text as it is.
    pub fn calls_of_powershell(&self, text: &str, ancestry: &Ancestry) -> Vec<Invocation> {
        let mut found = Found::default();
        let (whole, above): (Arc<str>, _) = (Arc::from(text), Arc::new(ancestry.clone()));
        for command in line::powershell(text) {
            let words = self.words(&command.words);
            let call = Invocation {
                line: Some(Arc::clone(&whole)),
                stage: command.stage,
                ..Invocation::from_text(words, command.source, Arc::clone(&above))
            };
            self.follow_call(call, &mut found);
        }
        if found.calls.is_empty() {
            found.calls.push(whole_alone(self, &whole, &above));
        }
        found.calls
    }
}
