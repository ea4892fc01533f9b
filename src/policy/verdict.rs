//! What the judge answers. A refusal has at least one rule; a pass has a because.

use crate::seal::{Threat, Tier};

use super::{Exit, Origin, Reserved, Rule, Ruling};

/// The answer for one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict<'p> {
    Pass(Because<'p>),
    /// Passes with a word of warning.
    Warn(Refusal<'p>),
    /// Refused, with 86 or 87 as its severity says.
    Refuse(Refusal<'p>),
}

/// Why a call passes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Because<'p> {
    /// No rule speaks of it.
    NoRule,
    /// Rules spoke, and an `allow` of more authority silenced them all.
    Allowed(Vec<&'p Rule>),
}

/// How strict an answer is; later is stricter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    Pass,
    Warn,
    Ask,
    Grant,
    /// A seal that the override token lifts.
    SoftSeal,
    Refuse,
    /// A seal that only a person ends.
    HardSeal,
    Reserved,
}

/// Everything that stands against a call: never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal<'p> {
    severity: Severity,
    reserved: Option<&'p Reserved>,
    rules: Vec<&'p Rule>,
    threats: &'p [Threat],
}

impl<'p> Refusal<'p> {
    /// By name alone, whatever the rules say.
    pub fn reserved(name: &'p Reserved, rules: Vec<&'p Rule>) -> Self {
        Refusal { severity: Severity::Reserved, reserved: Some(name), rules, threats: &[] }
    }

    /// By rules; `None` when there are none.
    pub fn by_rules(mut rules: Vec<&'p Rule>) -> Option<Self> {
        rules.sort_by(|a, b| order(a).cmp(&order(b)));
        rules.dedup_by(|a, b| a.id == b.id && a.says == b.says);
        let severity = rules.iter().map(|r| r.ruling.severity()).max()?;
        Some(Refusal { severity, reserved: None, rules, threats: &[] })
    }

    /// By seals that would be broken; `None` when there are none.
    pub fn by_seals(threats: &'p [Threat]) -> Option<Self> {
        let severity = threats.iter().map(|threat| threat.tier.severity()).max()?;
        Some(Refusal { severity, reserved: None, rules: Vec::new(), threats })
    }

    pub fn severity(&self) -> Severity {
        self.severity
    }

    /// The seals that would be broken, the firmest first.
    pub fn threats(&self) -> &'p [Threat] {
        self.threats
    }

    /// Is a seal what decides?
    pub fn is_by_seal(&self) -> bool {
        let is_as_strict = |threat: &Threat| threat.tier.severity() == self.severity;
        self.reserved.is_none() && self.threats.iter().any(is_as_strict)
    }

    /// The reserved name that was called, if that is why.
    pub fn reserved_name(&self) -> Option<&'p Reserved> {
        self.reserved
    }

    /// The rules that hit: strictest first, then by authority and id (A13).
    pub fn rules(&self) -> &[&'p Rule] {
        &self.rules
    }

    /// The status the caller gets.
    pub fn exit(&self) -> Exit {
        match self.severity {
            Severity::Ask | Severity::Grant => Exit::NeedsApproval,
            Severity::Pass | Severity::Warn => Exit::Success,
            Severity::SoftSeal | Severity::Refuse | Severity::HardSeal | Severity::Reserved => {
                Exit::Refused
            }
        }
    }

    /// The id that evidence and offences are kept under.
    pub fn id(&self) -> String {
        match (self.reserved, self.rules.first()) {
            (Some(name), _) => format!("reserved:{}", name.name),
            _ if self.is_by_seal() => self.threats.first().map(Threat::id).unwrap_or_default(),
            (None, Some(rule)) => rule.id.0.clone(),
            (None, None) => String::new(),
        }
    }

    /// Where the deciding words were written.
    pub fn origin(&self) -> Option<&'p Origin> {
        self.reserved.map(|r| &r.origin).or(self.rules.first().map(|r| &r.origin))
    }
}

fn order(rule: &Rule) -> (std::cmp::Reverse<Severity>, (super::Layer, &str, &str, u32)) {
    (std::cmp::Reverse(rule.ruling.severity()), rule.place())
}

impl Rule {
    /// By authority, then id, then where it was written: a fixed order for telling (A13).
    pub(super) fn place(&self) -> (super::Layer, &str, &str, u32) {
        (self.origin.layer, self.id.0.as_str(), self.origin.file.as_str(), self.origin.line)
    }
}

impl Tier {
    /// How strict a broken seal of this tier is.
    pub fn severity(self) -> Severity {
        match self {
            Tier::Scratch => Severity::Warn,
            Tier::Soft => Severity::SoftSeal,
            Tier::Hard => Severity::HardSeal,
        }
    }
}

impl Ruling {
    /// How strict the ruling is by itself.
    pub fn severity(&self) -> Severity {
        match self {
            Ruling::Refuse => Severity::Refuse,
            Ruling::Grant => Severity::Grant,
            Ruling::Ask => Severity::Ask,
            Ruling::Warn => Severity::Warn,
            Ruling::Allow { .. } => Severity::Pass,
        }
    }
}

impl<'p> Verdict<'p> {
    pub fn severity(&self) -> Severity {
        match self {
            Verdict::Pass(_) => Severity::Pass,
            Verdict::Warn(refusal) | Verdict::Refuse(refusal) => refusal.severity,
        }
    }

    /// The same with the seals that the call would break: all reasons are told, the strictest
    /// decides.
    pub fn with_seals(self, threats: &'p [Threat]) -> Verdict<'p> {
        let Some(by_seals) = Refusal::by_seals(threats) else { return self };
        let all = match self {
            Verdict::Pass(_) => by_seals,
            Verdict::Warn(by_rules) | Verdict::Refuse(by_rules) => by_rules.with(by_seals),
        };
        if all.severity > Severity::Warn { Verdict::Refuse(all) } else { Verdict::Warn(all) }
    }

    /// The stricter of two; of equals, all reasons together.
    pub fn or_stricter(self, other: Verdict<'p>) -> Verdict<'p> {
        match (self, other) {
            (Verdict::Refuse(a), Verdict::Refuse(b)) => Verdict::Refuse(a.with(b)),
            (Verdict::Warn(a), Verdict::Warn(b)) => Verdict::Warn(a.with(b)),
            (Verdict::Pass(a), Verdict::Pass(b)) => {
                Verdict::Pass(if a == Because::NoRule { b } else { a })
            }
            (a, b) if b.severity() > a.severity() => b,
            (a, _) => a,
        }
    }
}

impl<'p> Refusal<'p> {
    fn with(self, other: Refusal<'p>) -> Refusal<'p> {
        let severity = self.severity.max(other.severity);
        let threats = if self.threats.is_empty() { other.threats } else { self.threats };
        let mut rules = self.rules;
        rules.extend(other.rules);
        rules.sort_by(|a, b| order(a).cmp(&order(b)));
        rules.dedup_by(|a, b| a.id == b.id && a.says == b.says);
        Refusal { severity, reserved: self.reserved.or(other.reserved), rules, threats }
    }
}
