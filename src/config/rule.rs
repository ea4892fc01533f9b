//! One `[[embargo]]` table → one rule, with every fault of it reported.

use crate::policy::{
    Callers, Exception, FlagChoice, Layer, Machines, Origin, Rule, RuleId, Ruling,
};

use super::bites::{Reach, bites};
use super::fields::Fields;
use super::node::{Node, Span, Value};
use super::report::Report;
use super::value::{Text, check_name};
use super::written::Written;
use super::{Code, RuleExamples, ids, says, subject, suggest};

const CALLERS: (&str, Code) = ("callers", Code::BadValue);
const MACHINES: (&str, Code) = ("machines", Code::BadValue);
const VERDICT: (&str, Code) = ("verdict", Code::UnknownVerdict);

/// Keys of a rule.
pub(super) const KEYS: &[&str] = &[
    "id",
    "command",
    "cmd",
    "fed_by",
    "flags",
    "pattern",
    "contains",
    "unless",
    "unless_under",
    "callers",
    "machines",
    "reason",
    "alternative",
    "instead",
    "label",
    "verdict",
    "over",
    "refuses",
    "permits",
    "deletes",
    "overwrites",
    "moves",
    "resets",
    "runs",
];

/// A rule that may still lack its id, with what is checked once all rules are known.
pub(super) struct Draft {
    pub rule: Rule,
    /// The id as written; without it, `rule.id` was made from the rule's words.
    pub given: Option<Text>,
    /// Tells apart rules whose made ids are equal.
    pub digest: String,
    pub over: Vec<Text>,
    pub examples: RuleExamples,
    /// The table, for faults of the rule as a whole.
    pub span: Span,
    pub written: Written,
}

/// Reads a rule. With faults reported, what is returned is not to be used.
pub(super) fn rule(node: &Node, origin: &Origin, report: &mut Report<'_>) -> Option<Draft> {
    let fields = Fields::of(node, "a rule with its keys", report)?;
    let errors_before = report.errors;
    fields.only(KEYS, misplaced, report);
    let subject = subject::subject(fields, report);
    let unless =
        fields.texts("unless", report).iter().filter_map(|t| exception(t, report)).collect();
    let unless_under = fields.texts("unless_under", report);
    for name in &unless_under {
        check_name(name, report);
    }
    let callers =
        fields.choice(CALLERS, &[("any", Callers::Any), ("typed", Callers::Typed)], report);
    let machines =
        fields.choice(MACHINES, &[("this", Machines::This), ("any", Machines::Any)], report);
    let says = says::says(fields, report);
    let (ruling, over) = ruling(fields, origin.layer, report);
    let given = fields.text("id", report);
    ids::check(given.as_ref(), report);
    let mut rule = Rule {
        id: RuleId(String::new()),
        origin: Origin { line: report.page.line(node.span.start), ..origin.clone() },
        subject,
        unless,
        unless_under: unless_under.into_iter().map(|t| t.text).collect(),
        callers: callers.unwrap_or_default(),
        machines: machines.unwrap_or_default(),
        ruling,
        says,
    };
    rule.id = RuleId(given.as_ref().map_or_else(|| ids::made(&rule), |id| id.text.clone()));
    let examples = says::examples(fields, &rule, report);
    if report.errors == errors_before {
        reach(&rule, &node.span, report);
    }
    let (digest, span, written) = (ids::digest(node), node.span.clone(), Written::of(fields));
    Some(Draft { rule, given, digest, over, examples, span, written })
}

/// A key that stands in a rule because TOML gives a table all that follows it.
fn misplaced(key: &str) -> String {
    if super::file::KEYS.contains(&key) {
        return format!("`{key}` belongs to the file: write it above the first `[[embargo]]`");
    }
    suggest::key(key, KEYS)
}

fn exception(text: &Text, report: &mut Report<'_>) -> Option<Exception> {
    let trimmed = text.text.trim();
    if let Some(source) = trimmed.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')) {
        if source.is_empty() {
            let message = "`//` would lift the rule always".to_owned();
            report.add(Code::Blank, &text.span, message, "write a regex between the slashes");
            return None;
        }
        return Some(Exception::Text(subject::pattern(source, &text.span, report)));
    }
    if trimmed.starts_with('-') {
        let choice = FlagChoice::parse(trimmed);
        subject::check_flag(&choice, text, report);
        return Some(Exception::Flag(choice));
    }
    Some(Exception::Words(trimmed.split_whitespace().map(str::to_owned).collect()))
}

fn ruling(fields: Fields<'_>, layer: Layer, report: &mut Report<'_>) -> (Ruling, Vec<Text>) {
    let over = fields.texts("over", report);
    let allow = Ruling::Allow { over: over.iter().map(|t| RuleId(t.text.clone())).collect() };
    let choices = [
        ("refuse", &Ruling::Refuse),
        ("warn", &Ruling::Warn),
        ("allow", &allow),
        ("ask", &Ruling::Ask),
        ("grant", &Ruling::Grant),
    ];
    let ruling = fields.choice(VERDICT, &choices, report).unwrap_or(&Ruling::Refuse).clone();
    let allows = matches!(ruling, Ruling::Allow { .. });
    if let Some(entry) = fields.entry("over").filter(|_| !allows && fields.rules_out_allow()) {
        let message = "`over` says what an `allow` silences, and this rule is none".to_owned();
        let help = "write `verdict = \"allow\"`, or remove `over`";
        report.add(Code::OverWithoutAllow, &entry.key_span, message, help);
    }
    if allows && over.is_empty() && !layer.may_loosen() {
        let message = "this `allow` silences nothing: a project's file can only tighten".to_owned();
        let help = "name rules of this file in `over`, or move the rule to your own embargo.toml";
        let span = fields.get("verdict").map_or(&fields.node.span, |node| &node.span);
        report.add(Code::AllowWithoutEffect, span, message, help);
    }
    (ruling, over)
}

impl Fields<'_> {
    /// A misspelt verdict has been reported already: `over` beside it is no second fault.
    fn rules_out_allow(&self) -> bool {
        let known = ["refuse", "warn", "ask", "grant"];
        self.get("verdict")
            .is_none_or(|node| matches!(&node.value, Value::Str(v) if known.contains(&v.as_str())))
    }
}

/// Says where the rule cannot bite (A21).
fn reach(rule: &Rule, span: &Span, report: &mut Report<'_>) {
    let subject = &rule.subject;
    let by_effects = !subject.effects.is_empty();
    if subject.forms.is_empty()
        && !by_effects
        && (subject.pattern.is_some() || subject.contains.is_some())
    {
        let message = "this rule names no command, so no shim is made for it".to_owned();
        let help =
            "it bites in shell text, a shell's `-c` included, and in shims that other rules make";
        report.add(Code::NoShim, span, message, help);
    } else if !subject.forms.is_empty() && bites(rule).shim == Reach::Never {
        let message =
            "only a line shows what this rule speaks of, so no shim is made for it".to_owned();
        report.add(
            Code::NoShim,
            span,
            message,
            "it bites where shell text is seen, a shell's `-c` included",
        );
    }
}
