//! Rules on what feeds a command: `fed_by`.

use std::borrow::Cow;

use super::{Feeder, Invocation, Pattern, Rule, Ruling};

impl Rule {
    /// Does it speak of what feeds this call?
    pub(super) fn is_about_feeders(&self) -> bool {
        !self.subject.fed_by.is_empty()
    }

    /// The commands feeding the call that the rule names.
    pub(super) fn feeders<'c>(&self, call: &'c Invocation) -> impl Iterator<Item = &'c Feeder> {
        let names = |feeder: &Feeder| {
            self.subject.fed_by.iter().any(|form| form.covers(&feeder.words, super::Stage::First))
        };
        call.fed_by.iter().map(|feeder| &**feeder).filter(move |feeder| names(feeder))
    }

    /// The texts that patterns are matched on: the call's, or `FEEDER | COMMAND` for each that
    /// feeds it.
    pub(super) fn texts<'c>(&self, call: &'c Invocation) -> Vec<Cow<'c, str>> {
        if !self.is_about_feeders() {
            return vec![Cow::Borrowed(self.text(call))];
        }
        let piped = |feeder: &Feeder| Cow::Owned(format!("{} | {}", feeder.text, call.text));
        self.feeders(call).map(piped).collect()
    }

    /// Could it hold for a call of a line with this text? A rule that names a command looks at the
    /// text of that alone.
    pub(super) fn may_hold_in(&self, whole: &str) -> bool {
        let subject = &self.subject;
        let in_doubt = !matches!(self.ruling, Ruling::Allow { .. });
        let matches = |p: &Pattern| p.is_match(whole).unwrap_or(in_doubt);
        !subject.forms.is_empty()
            || self.is_about_feeders()
            || subject.contains.as_ref().is_none_or(|literal| whole.contains(literal.as_str()))
                && subject.pattern.as_ref().is_none_or(matches)
    }

    /// Do literal, pattern and exceptions leave this text to the rule?
    pub(super) fn holds_for(&self, call: &Invocation, text: &str, in_doubt: bool) -> bool {
        let subject = &self.subject;
        let matches = |p: &Pattern| p.is_match(text).unwrap_or(in_doubt);
        subject.contains.as_ref().is_none_or(|literal| text.contains(literal.as_str()))
            && subject.pattern.as_ref().is_none_or(matches)
            && !self.unless.iter().any(|exception| exception.lifts(call, text, !in_doubt))
    }
}
