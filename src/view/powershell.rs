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
        let whole: Arc<str> = Arc::from(text);
        for command in line::powershell(text) {
            let words = self.words(&command.words);
            let call = Invocation {
                text: command.source,
                line: Some(Arc::clone(&whole)),
                stage: command.stage,
                ..Invocation::from_words(words, ancestry.clone())
            };
            self.follow_call(call, &mut found);
        }
        if found.calls.is_empty() {
            found.calls.push(whole_alone(self, &whole, ancestry));
        }
        found.calls
    }
}
