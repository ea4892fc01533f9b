//! A refusal for its two readers: in the agent's own voice, and as JSON.

use serde_json::{Value, json};

use crate::command::{quote, quote_in_a_line};
use crate::policy::{
    self, Callers, Effects, Exception, FlagChoice, Form, Invocation, Machines, Refusal, Rule, Says,
    Severity,
};
use crate::sys::redact::REDACTED;

use super::prose::{backquoted, clause, instead, shown};
use super::sealed;

/// Version of the JSON object; raised when a key changes its meaning or goes.
pub const JSON_VERSION: u32 = 1;

/// What is known about a refusal besides its rules.
#[derive(Debug, Clone, Default)]
pub struct Circumstances {
    /// Id in the evidence log; `None` when nothing could be written.
    pub evidence: Option<String>,
    /// Which offence of this rule in this session it is, from 1.
    pub offence: u32,
    /// From here on a person is told.
    pub surface_after: u32,
    /// Which door saw it: `shim`, `line`, `run`.
    pub door: &'static str,
}

/// Of more rules than these only the number is told: eight lines hold a reserved name, these,
/// that number, the scope, the count of offences and the evidence.
const REASONS: usize = 3;
/// Where seals are told of as well, in two lines.
const BESIDE_SEALS: usize = 1;

/// What the agent reads: at most eight lines.
pub fn agent_voice(refusal: &Refusal<'_>, calls: &[Invocation], about: &Circumstances) -> String {
    let call = |rule: &Rule| calls.iter().find(|c| rule.covers(c)).or(calls.first());
    let mut lines = Vec::new();
    if let Some(name) = refusal.reserved_name() {
        lines.push(sentence(refusal, &backquoted(&name.name), &name.says, calls.first(), &[]));
    }
    let reasons = if refusal.threats().is_empty() { REASONS } else { BESIDE_SEALS };
    if !refusal.threats().is_empty() {
        lines.push(sealed::sentence(refusal.threats()));
        lines.extend(sealed::others(refusal.threats()));
    }
    for rule in refusal.rules().iter().take(reasons) {
        let words = rule.words_of(call(rule));
        let said = sentence(refusal, &subject(rule, call(rule)), &rule.says, call(rule), words);
        if !lines.contains(&said) {
            lines.push(said);
        }
    }
    if let Some(more @ 1..) = refusal.rules().len().checked_sub(reasons) {
        lines.push(format!("{more} more rules stand against it; `embargo explain` lists them."));
    }
    lines.push(standing(refusal, calls));
    if about.offence >= about.surface_after.max(2) && refusal.severity() > Severity::Warn {
        lines.push(format!(
            "I have now been refused this {} times. I must stop and tell the user what I tried and why it was refused.",
            about.offence
        ));
    }
    lines.push(marker(refusal, about));
    lines.join("\n") + "\n"
}

/// One line for a call that passes with a warning.
pub fn warning(refusal: &Refusal<'_>, calls: &[Invocation]) -> String {
    let of_seals = sealed::warning(refusal.threats());
    let lines = refusal.rules().iter().map(|rule| {
        let call = calls.iter().find(|c| rule.covers(c));
        let better = match &rule.says.alternative {
            Some(text) => {
                format!(" Better: {}.", instead(&expand(text, call, rule.words_of(call))))
            }
            None => String::new(),
        };
        format!(
            "I should not use {} because {}.{better} [embargo warned: rule `{}`]\n",
            subject(rule, call),
            clause(&rule.says.reason),
            rule.id
        )
    });
    std::iter::once(of_seals).chain(lines).collect()
}

/// The same for a program: one object.
pub fn json(refusal: &Refusal<'_>, calls: &[Invocation], about: &Circumstances) -> Value {
    let call = |rule: &Rule| calls.iter().find(|c| rule.covers(c)).or(calls.first());
    let rules: Vec<Value> = refusal
        .rules()
        .iter()
        .map(|rule| {
            json!({
                "id": rule.id.0,
                "origin": place(rule),
                "layer": format!("{:?}", rule.origin.layer).to_lowercase(),
                "verdict": severity_name(rule.ruling.severity()),
                "reason": rule.says.reason,
                "alternative": rule.says.alternative.as_deref().map(|a| expand(a, call(rule), rule.words_of(call(rule)))),
                "instead": commands(&rule.says, call(rule), rule.words_of(call(rule))),
            })
        })
        .collect();
    let (says, first, named) = match (refusal.reserved_name(), refusal.rules().first()) {
        (Some(name), _) => (Some(&name.says), calls.first(), &[][..]),
        (None, Some(rule)) => (Some(&rule.says), call(rule), rule.words_of(call(rule))),
        (None, None) => (None, None, &[][..]),
    };
    let warns = refusal.severity() == Severity::Warn;
    let kind = match refusal.is_by_seal() {
        _ if warns => "warning",
        true => "seal",
        false => "refusal",
    };
    let threats = refusal.threats();
    let of_seal = threats.first().filter(|_| refusal.is_by_seal());
    let sealed_instead: Vec<String> = of_seal.and_then(sealed::command).into_iter().collect();
    json!({
        "version": JSON_VERSION,
        "kind": kind,
        "denied": !warns,
        "verdict": severity_name(refusal.severity()),
        "exit": refusal.exit().code(),
        "rule": refusal.id(),
        "reason": match of_seal {
            Some(_) => sealed::reason(threats),
            None => says.map(|says| reason(says).to_owned()),
        },
        "alternative": match of_seal {
            Some(threat) => Some(sealed::alternative(threat)),
            None => {
                says.and_then(|s| s.alternative.as_deref()).map(|a| expand(a, first, named))
            }
        },
        "instead": match of_seal {
            Some(_) => sealed_instead,
            None => says.map(|s| commands(s, first, named)).unwrap_or_default(),
        },
        "retryable": false,
        "rules": rules,
        "seals": sealed::json(threats),
        "offence": about.offence,
        "evidence": about.evidence,
        "door": about.door,
        "command": first.map(|c| c.words.argv().iter().map(ToString::to_string).collect::<Vec<_>>()),
        "message": if warns { warning(refusal, calls) } else { agent_voice(refusal, calls, about) },
    })
}

/// The name of a severity in JSON and evidence.
pub fn severity_name(severity: Severity) -> &'static str {
    match severity {
        Severity::Pass => "pass",
        Severity::Warn => "warn",
        Severity::Ask => "ask",
        Severity::Grant => "grant",
        Severity::SoftSeal => "soft-seal",
        Severity::Refuse => "refuse",
        Severity::HardSeal => "hard-seal",
        Severity::Reserved => "reserved",
    }
}

fn sentence(
    refusal: &Refusal<'_>,
    what: &str,
    says: &Says,
    call: Option<&Invocation>,
    words: &[String],
) -> String {
    let condition = match refusal.severity() {
        Severity::Ask | Severity::Grant => " without a person's approval",
        _ => "",
    };
    let alternative = match &says.alternative {
        Some(text) => format!("Instead, {}.", instead(&expand(text, call, words))),
        None => "No alternative is set; I must ask the user.".to_owned(),
    };
    format!("I must not use {what}{condition} because {}. {alternative}", clause(reason(says)))
}

/// Only a reserved name may come without a reason of its own.
pub(super) fn reason(says: &Says) -> &str {
    match says.reason.trim() {
        "" => "this name is reserved, and no agent may call it",
        reason => reason,
    }
}

/// Why trying again is no use: made from the rule that decided.
fn standing(refusal: &Refusal<'_>, calls: &[Invocation]) -> String {
    if let Some(name) = refusal.reserved_name() {
        return format!(
            "This is policy, not a fault: the name `{}` is reserved and always refused; trying again will be refused too.",
            name.name
        );
    }
    if refusal.is_by_seal() {
        return sealed::standing(refusal);
    }
    let rules = refusal.rules();
    let Some(first) = rules.first() else { return String::new() };
    let cover = |rule: &&&Rule| {
        let scope = scope(rule, calls.iter().find(|call| rule.covers(call)));
        format!("rule `{}` ({}) covers {scope}", rule.id, place(rule))
    };
    let covers = rules.iter().take(REASONS).map(|rule| cover(&rule)).collect::<Vec<_>>().join(", ");
    let again =
        if flags_matter(first) { "trying again" } else { "trying again or with other flags" };
    match refusal.severity() {
        Severity::Ask | Severity::Grant => format!(
            "A person has to approve it: {covers}; until then {again} will be refused too. I must tell the user."
        ),
        _ => format!("This is policy, not a fault: {covers}; {again} will be refused too."),
    }
}

fn marker(refusal: &Refusal<'_>, about: &Circumstances) -> String {
    let id = match (&about.evidence, about.door) {
        (Some(id), _) => id,
        // Nothing was called, so nothing is recorded.
        (None, "check" | "explain") => "check-only",
        (None, _) => "unrecorded",
    };
    let verb = match refusal.severity() {
        Severity::Ask | Severity::Grant => "asks",
        _ => "refused",
    };
    format!("[embargo {verb} {id} exit {}]", refusal.exit().code())
}

/// Where the rule was written.
pub fn place(rule: &Rule) -> String {
    let origin = &rule.origin;
    if origin.shown.starts_with("pack ") {
        return origin.shown.clone();
    }
    format!("{}:{}", origin.shown, origin.line)
}

/// What must not be used, in back-quotes.
pub(super) fn subject(rule: &Rule, call: Option<&Invocation>) -> String {
    if let Some(label) = &rule.says.label {
        return label.clone();
    }
    let form =
        rule.subject.forms.iter().find(|f| call.is_some_and(|c| f.covers(&c.words, c.stage)));
    let form = form.or(rule.subject.forms.first()).map(|form| spell(form, call));
    let flags = with_flags(&rule.subject.flags) + &fed_by(&rule.subject.fed_by);
    let effects = &rule.subject.effects;
    let runs = Effects { runs: effects.runs.clone(), ..Effects::default() };
    // What is run is the command itself.
    let does = if *effects == runs && call.is_some() { String::new() } else { does(effects) };
    let place = if does.is_empty() { String::new() } else { format!(" where it {does}") };
    match (form, &rule.subject.pattern, &rule.subject.contains) {
        (Some(form), _, _) => backquoted(&form) + &flags + &place,
        (None, ..) if !does.is_empty() => match call {
            // `> file` alone calls nothing.
            Some(call) if call.words.argv().is_empty() => format!("a redirection{place}"),
            Some(call) => backquoted(&call.called()) + &place,
            None => format!("what {does}"),
        },
        (None, Some(pattern), _) => backquoted(pattern.source()),
        (None, None, Some(literal)) => backquoted(literal),
        (None, None, None) => backquoted(&call.map(Invocation::called).unwrap_or_default()),
    }
}

/// `deletes `dist/**` or moves `src`, `lib``; nothing where no effect is named.
fn does(effects: &Effects) -> String {
    let acts = [
        ("deletes", &effects.deletes),
        ("overwrites", &effects.overwrites),
        ("moves", &effects.moves),
        ("resets", &effects.resets),
        ("runs", &effects.runs),
    ];
    let list =
        |names: &[String]| names.iter().map(|n| backquoted(n)).collect::<Vec<_>>().join(", ");
    let named = acts.iter().filter(|(_, names)| !names.is_empty());
    named.map(|(verb, names)| format!("{verb} {}", list(names))).collect::<Vec<_>>().join(" or ")
}

/// ` with `-r` and `-f``; nothing where there are no flags.
fn with_flags(flags: &[FlagChoice]) -> String {
    let flags: Vec<String> =
        flags.iter().map(|FlagChoice(names)| backquoted(&names.join("` or `"))).collect();
    if flags.is_empty() { String::new() } else { format!(" with {}", flags.join(" and ")) }
}

/// ` behind `gradlew` or `make``; nothing where it does not matter.
fn fed_by(forms: &[Form]) -> String {
    let names: Vec<String> = forms.iter().map(|form| backquoted(&spell(form, None))).collect();
    if names.is_empty() { String::new() } else { format!(" behind {}", names.join(" or ")) }
}

/// A form as it is written, with the name that was called.
fn spell(form: &Form, call: Option<&Invocation>) -> String {
    match form {
        Form::Command { program, words, flags } => {
            let called = call.map(Invocation::called).unwrap_or_else(|| program.clone());
            let flags = flags.iter().map(|FlagChoice(names)| names.join("|"));
            std::iter::once(shown(&called))
                .chain(words.iter().cloned())
                .chain(flags)
                .collect::<Vec<_>>()
                .join(" ")
        }
        Form::Fragment { operator, program, words } => {
            let words = words.iter().map(|w| format!(" {w}")).collect::<String>();
            format!("{} {program}{words}", operator.sign())
        }
    }
}

fn flags_matter(rule: &Rule) -> bool {
    let subject = &rule.subject;
    let in_form = |f: &Form| matches!(f, Form::Command { flags, .. } if !flags.is_empty());
    !subject.flags.is_empty()
        || subject.pattern.is_some()
        || subject.contains.is_some()
        || subject.forms.iter().any(in_form)
        || rule.unless.iter().any(|e| !matches!(e, Exception::Words(_)))
}

/// What the rule covers, as far as this call is concerned.
fn scope(rule: &Rule, call: Option<&Invocation>) -> String {
    let subject = &rule.subject;
    let covers = |form: &&Form| call.is_some_and(|c| form.covers(&c.words, c.stage));
    let form = subject.forms.iter().find(covers).or(subject.forms.first());
    let mut scope = match form {
        None => "every command".to_owned(),
        Some(Form::Command { words, flags, .. })
            if words.is_empty()
                && flags.is_empty()
                && subject.flags.is_empty()
                && subject.fed_by.is_empty()
                && subject.effects.is_empty() =>
        {
            "every use of it".to_owned()
        }
        Some(form) => format!("every {}", backquoted(&spell(form, call))),
    };
    scope += &with_flags(&subject.flags);
    scope += &fed_by(&subject.fed_by);
    let does = does(&subject.effects);
    if !does.is_empty() {
        scope += &format!(" that {does}");
    }
    let label = rule.says.label.as_ref().map(|l| format!("with {l}"));
    if let Some(pattern) = &subject.pattern {
        scope += " ";
        scope += &label
            .clone()
            .unwrap_or_else(|| format!("whose text matches {}", backquoted(pattern.source())));
    }
    if let Some(literal) = &subject.contains {
        scope += " ";
        scope += &label.unwrap_or_else(|| format!("that contains {}", backquoted(literal)));
    }
    let mut unless: Vec<String> = rule
        .unless
        .iter()
        .map(|exception| match exception {
            Exception::Words(words) => backquoted(&words.join(" ")),
            Exception::Flag(FlagChoice(names)) => format!("with {}", backquoted(&names.join("|"))),
            // A regex tells an agent nothing that it should try.
            Exception::Text(_) => "what its pattern excepts".to_owned(),
        })
        .collect();
    if rule.callers == Callers::Typed {
        scope += " from my own shell";
    }
    if rule.machines == Machines::Any {
        scope += " on any machine";
    }
    // More than a few are for a person to read: `embargo explain` has them all.
    const EXCEPTIONS: usize = 4;
    let mut seen = std::collections::BTreeSet::new();
    unless.retain(|exception| seen.insert(exception.clone()));
    let more = unless.len().saturating_sub(EXCEPTIONS);
    if more > 0 {
        unless.truncate(EXCEPTIONS - 1);
        unless.push(format!("{} more cases", more + 1));
    }
    if !unless.is_empty() {
        scope += &format!(" except {}", unless.join(", "));
    }
    scope
}

/// The command lines to run instead, with this call's arguments filled in.
fn commands(says: &Says, call: Option<&Invocation>, words: &[String]) -> Vec<String> {
    says.instead.iter().map(|template| filled(template, call, words, quote)).collect()
}

/// In prose a command is one line.
fn expand(template: &str, call: Option<&Invocation>, words: &[String]) -> String {
    filled(template, call, words, quote_in_a_line)
}

/// What the log has taken out is no argument to give.
fn filled(
    template: &str,
    call: Option<&Invocation>,
    words: &[String],
    quote: fn(&[u8]) -> String,
) -> String {
    policy::expand(template, call, words, |word| {
        let text = quote(word);
        (!text.contains(REDACTED)).then_some(text)
    })
}
