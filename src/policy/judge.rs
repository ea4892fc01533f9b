//! The judge. Strictest wins; the order of rules never matters.

use super::{
    Because, Callers, Exception, FlagChoice, Form, Invocation, Machine, Machines, Refusal,
    Reserved, Rule, Ruling, Severity, Subject, Verdict,
};
use crate::command::Thing;

/// Judges one call against rules that may speak of it.
///
/// `rules` may hold any superset of the rules that hit: those that do not speak
/// of the call change nothing.
pub fn judge<'p>(
    rules: impl IntoIterator<Item = &'p Rule>,
    reserved: &'p [Reserved],
    call: &Invocation,
) -> Verdict<'p> {
    let hits: Vec<&Rule> = rules.into_iter().filter(|rule| rule.hits(call)).collect();
    let (allows, against): (Vec<&Rule>, Vec<&Rule>) =
        hits.into_iter().partition(|rule| matches!(rule.ruling, Ruling::Allow { .. }));
    let (silenced, standing): (Vec<&Rule>, Vec<&Rule>) =
        against.into_iter().partition(|rule| allows.iter().any(|allow| allow.silences(rule)));

    if let Some(name) = reserved.iter().find(|r| call.words.is_program(&r.name)) {
        return Verdict::Refuse(Refusal::reserved(name, standing));
    }
    match Refusal::by_rules(standing) {
        Some(refusal) if refusal.severity() == Severity::Warn => Verdict::Warn(refusal),
        Some(refusal) => Verdict::Refuse(refusal),
        None if silenced.is_empty() => Verdict::Pass(Because::NoRule),
        None => {
            let mut by: Vec<&Rule> = allows;
            by.retain(|allow| silenced.iter().any(|rule| allow.silences(rule)));
            by.sort_by(|a, b| a.place().cmp(&b.place()));
            Verdict::Pass(Because::Allowed(by))
        }
    }
}

/// Judges the calls of a line, or a call and the one it wraps: the strictest wins.
pub fn judge_all<'p>(
    rules: &[&'p Rule],
    reserved: &'p [Reserved],
    calls: &[Invocation],
) -> Verdict<'p> {
    let mut in_question: (Option<&str>, Vec<&Rule>) = (None, Vec::new());
    calls
        .iter()
        .map(|call| {
            // The calls of a line have their whole text in common: what is looked for in it is so once.
            let whole = call.whole();
            if !in_question.0.is_some_and(|before| std::ptr::eq(before, whole)) {
                let may = |rule: &&Rule| rule.may_hold_in(whole);
                in_question = (Some(whole), rules.iter().copied().filter(may).collect());
            }
            judge(in_question.1.iter().copied(), reserved, call)
        })
        .fold(Verdict::Pass(Because::NoRule), Verdict::or_stricter)
}

impl super::Accepted {
    /// Is the call this check?
    pub fn is_met_by(&self, call: &Invocation) -> bool {
        self.forms.iter().any(|form| form.certainly_covers(&call.words, call.stage))
    }
}

impl Rule {
    /// Does this rule speak of this call, here and now?
    pub fn hits(&self, call: &Invocation) -> bool {
        self.covers(call)
            && !self.unless_under.iter().any(|name| call.ancestry.has(name))
            && (self.callers == Callers::Any || call.ancestry.is_typed(call.words.argv()))
    }

    /// Does it speak of this call, whoever makes it?
    pub fn covers(&self, call: &Invocation) -> bool {
        let subject = &self.subject;
        let form = self.form_of(call);
        // In doubt (a pattern that ran out of its bound) a rule against holds, an allow does not.
        let in_doubt = !matches!(self.ruling, Ruling::Allow { .. });
        self.counts_on(call.machine)
            && self.speaks_of_what_it_does(call)
            && (subject.forms.is_empty() || form.is_some())
            && subject.flags.iter().all(|flag| self.sees(flag, call))
            && match self.is_about_feeders() {
                false => self.holds_for(call, self.text(call), in_doubt),
                true => self.texts(call).iter().any(|text| self.holds_for(call, text, in_doubt)),
            }
    }

    /// What runs in a container or on another host is theirs, unless the rule says that it is not;
    /// a rule on text, which names no command and no effect, looks at the line whatever runs where.
    pub(super) fn counts_on(&self, machine: Machine) -> bool {
        let subject = &self.subject;
        machine == Machine::This
            || self.machines == Machines::Any
            || subject.forms.is_empty() && subject.effects.is_empty()
    }

    /// The form that speaks of this call.
    pub(super) fn form_of(&self, call: &Invocation) -> Option<&Form> {
        let covers = match self.ruling {
            // In doubt an allow does not hold.
            Ruling::Allow { .. } => Form::certainly_covers,
            _ => Form::covers,
        };
        self.subject.forms.iter().find(|form| covers(form, &call.words, call.stage))
    }

    /// What patterns are matched on: a rule that names a command looks at that command's text;
    /// what stands before a fragment, or any command at all, is looked for in the whole line.
    pub(super) fn text<'c>(&self, call: &'c Invocation) -> &'c str {
        match self.form_of(call) {
            Some(Form::Command { .. }) => &call.text,
            Some(Form::Fragment { .. }) | None => call.whole(),
        }
    }

    /// Is this flag given? In doubt it is for a rule against, and is not for an allow.
    pub(super) fn sees(&self, flag: &FlagChoice, call: &Invocation) -> bool {
        match self.ruling {
            Ruling::Allow { .. } => flag.is_certainly_in(&call.words),
            _ => flag.is_in(&call.words),
        }
    }

    /// An allow silences what is strictly below it, and in its own layer what it names.
    /// Below system and user it silences only its own file's rules.
    pub fn silences(&self, other: &Rule) -> bool {
        let Ruling::Allow { over } = &self.ruling else { return false };
        let (mine, theirs) = (&self.origin, &other.origin);
        if other.ruling == Ruling::Grant {
            return false;
        }
        let below = mine.layer.may_loosen() && mine.layer.rank() < theirs.layer.rank();
        let own = mine.layer == theirs.layer
            && (mine.layer.may_loosen() || mine.file == theirs.file)
            && over.contains(&other.id);
        below || own
    }

    /// Must the ancestors be known to judge this rule?
    pub fn asks_for_ancestry(&self) -> bool {
        self.callers == Callers::Typed || !self.unless_under.is_empty()
    }

    /// Does some of what this rule speaks of stand in shell text alone: pipes and other operators,
    /// redirections, where text comes from that is run, the text of a line?
    pub fn asks_for_line(&self) -> bool {
        let Subject { forms, effects, .. } = &self.subject;
        let is_fragment = |form: &Form| matches!(form, Form::Fragment { .. });
        let is_of_text = |name: &String| Thing::named(name).is_some_and(Thing::is_of_text);
        self.is_about_feeders()
            || forms.iter().any(is_fragment)
            || forms.is_empty()
                && (effects.is_empty()
                    || !effects.overwrites.is_empty()
                    || effects.runs.iter().any(is_of_text))
    }

    /// Can only shell text show what this rule speaks of?
    pub fn needs_line(&self) -> bool {
        let forms = &self.subject.forms;
        self.is_about_feeders()
            || !forms.is_empty() && forms.iter().all(|form| matches!(form, Form::Fragment { .. }))
    }
}

impl Exception {
    pub(super) fn lifts(&self, call: &Invocation, text: &str, in_doubt: bool) -> bool {
        match self {
            Exception::Words(words) => call.words.certainly_begin_with(words),
            Exception::Flag(flag) => flag.is_certainly_in(&call.words),
            Exception::Text(pattern) => pattern.is_match(text).unwrap_or(in_doubt),
        }
    }
}
