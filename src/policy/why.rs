//! Why a rule does not hit a call: the same questions as [`Rule::hits`], in the same
//! order, answered for a reader.

use super::{
    Exception, FlagChoice, Invocation, Pattern, Refusal, Reserved, Rule, Ruling, Verdict, judge,
};

/// The first condition that does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Miss<'r> {
    /// It runs in a container or on another host.
    Elsewhere,
    /// It does nothing that the rule names.
    Effects,
    /// Another command.
    Form,
    /// Nothing that it names feeds it.
    Feeder,
    Flag(&'r FlagChoice),
    Literal(&'r str),
    Pattern(&'r Pattern),
    /// An exception lifts it.
    Lifted(&'r Exception),
    /// It was called by way of this program.
    Under(&'r str),
    /// Not typed into the agent's own shell.
    NotTyped,
}

/// What a rule came to for one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing<'r> {
    Hits,
    /// It hits, and an `allow` silences it.
    Silenced,
    Misses(Miss<'r>),
}

/// Rules that name the call's program, or none, each with what it came to.
pub fn considered<'p>(
    rules: &'p [Rule],
    reserved: &'p [Reserved],
    call: &Invocation,
) -> Vec<(&'p Rule, Standing<'p>)> {
    let stands = match judge(rules, reserved, call) {
        Verdict::Warn(refusal) | Verdict::Refuse(refusal) => Refusal::rules(&refusal).to_vec(),
        Verdict::Pass(_) => Vec::new(),
    };
    let standing = |rule: &'p Rule| match rule.miss(call) {
        Some(miss) => Standing::Misses(miss),
        None if matches!(rule.ruling, Ruling::Allow { .. }) => Standing::Hits,
        None if stands.iter().any(|s| s.id == rule.id && s.says == rule.says) => Standing::Hits,
        None => Standing::Silenced,
    };
    rules.iter().filter(|r| r.speaks_of(call)).map(|rule| (rule, standing(rule))).collect()
}

impl Rule {
    /// Why this rule does not hit; `None` when it does.
    pub fn miss(&self, call: &Invocation) -> Option<Miss<'_>> {
        if self.hits(call) {
            return None;
        }
        let subject = &self.subject;
        let in_doubt = !matches!(self.ruling, Ruling::Allow { .. });
        let mut texts = self.texts(call);
        if !self.counts_on(call.machine) {
            return Some(Miss::Elsewhere);
        }
        if !subject.forms.is_empty() && self.form_of(call).is_none() {
            return Some(Miss::Form);
        }
        // Of several that feed it each misses; the last is told of.
        let Some(text) = texts.pop() else { return Some(Miss::Feeder) };
        let text = &*text;
        if !self.speaks_of_what_it_does(call) {
            return Some(Miss::Effects);
        }
        if let Some(flag) = subject.flags.iter().find(|flag| !self.sees(flag, call)) {
            return Some(Miss::Flag(flag));
        }
        if let Some(literal) = subject.contains.as_deref().filter(|l| !text.contains(l)) {
            return Some(Miss::Literal(literal));
        }
        let fails = |p: &&Pattern| !p.is_match(text).unwrap_or(in_doubt);
        if let Some(pattern) = subject.pattern.as_ref().filter(fails) {
            return Some(Miss::Pattern(pattern));
        }
        if let Some(exception) = self.unless.iter().find(|e| e.lifts(call, text, !in_doubt)) {
            return Some(Miss::Lifted(exception));
        }
        if let Some(name) = self.unless_under.iter().find(|name| call.ancestry.has(name)) {
            return Some(Miss::Under(name));
        }
        Some(Miss::NotTyped)
    }

    /// Does the rule name this program, or name none?
    pub fn speaks_of(&self, call: &Invocation) -> bool {
        let forms = &self.subject.forms;
        forms.is_empty() || forms.iter().any(|form| call.words.is_program(form.program()))
    }
}
