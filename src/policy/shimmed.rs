//! Which names a policy wants shims of.

use std::collections::BTreeSet;

use crate::command::{Act, Catalogue};

use super::{Callers, Form, Machines, Policy, Rule, Ruling};

/// The names to shim: those that rules speak of and reserved ones.
///
/// A name without a program behind it is among them only where a rule or a reserved
/// name refuses all its uses: else `command -v NAME` would become true for nothing.
/// `exists` says whether a program of a name is there, `versions` which programs are
/// called so with a version behind (`python3.` → `python3.11`).
pub fn shimmed_names(
    policy: &Policy,
    catalogue: &Catalogue,
    exists: impl Fn(&str) -> bool,
    versions: impl Fn(&str) -> Vec<String>,
) -> BTreeSet<String> {
    let mut names: BTreeSet<String> = policy.reserved.iter().map(|r| r.name.clone()).collect();
    for rule in policy.rules.iter().filter(|rule| bites_in_shims(rule) && !rule.needs_line()) {
        for form in &rule.subject.forms {
            let Form::Command { program, .. } = form else { continue };
            if names.contains(program) || refuses_name(rule, form) || exists(program) {
                names.insert(program.clone());
            }
            names.extend(others(program, catalogue, &exists, &versions));
            // `python -m pip` never calls pip.
            let run_by = catalogue.get(program).map(|d| d.run_by).unwrap_or_default();
            names.extend(run_by.iter().flat_map(|by| others(by, catalogue, &exists, &versions)));
        }
    }
    for rule in policy.rules.iter().filter(|rule| bites_in_shims(rule)) {
        let effects = &rule.subject.effects;
        // A rule that names commands as well is met in their shims.
        if effects.is_empty() || !rule.subject.forms.is_empty() {
            continue;
        }
        // What runs a script is met as often as scripts are: its shims are left to other rules.
        let acts = effects.acts() & !Act::Runs.bit();
        names.extend(catalogue.acting(acts).into_iter().filter(|name| exists(name)));
        for program in &effects.runs {
            names.extend(exists(program).then(|| program.clone()));
            names.extend(others(program, catalogue, &exists, &versions));
        }
    }
    // A check is watched in its shim.
    for form in policy.acceptances.iter().flat_map(|accepted| &accepted.forms) {
        names.extend(exists(form.program()).then(|| form.program().to_owned()));
        names.extend(others(form.program(), catalogue, &exists, &versions));
    }
    // What no argv shows is in the text that shells are given: `sh -c 'make | head -5'`.
    if policy.rules.iter().any(|rule| bites_in_shims(rule) && rule.asks_for_line()) {
        names.extend(catalogue.shells().into_iter().filter(|name| exists(name)));
    }
    // What runs on another machine is met where it is sent there.
    if policy.rules.iter().any(|rule| bites_in_shims(rule) && rule.machines == Machines::Any) {
        names.extend(catalogue.elsewhere().into_iter().filter(|name| exists(name)));
    }
    // `sudo` and `env` can start a command below another PATH, where no shim is met: they have to
    // be asked before.
    if policy.rules.iter().any(|rule| bites_in_shims(rule) && !rule.needs_line()) {
        names.extend(catalogue.assigning().into_iter().filter(|name| exists(name)));
    }
    names
}

/// The names to shim where something is or may be sealed: whatever may lose what is there, and
/// what may start it below another PATH.
pub fn guarded_names(
    catalogue: &Catalogue,
    exists: impl Fn(&str) -> bool,
    versions: impl Fn(&str) -> Vec<String>,
) -> BTreeSet<String> {
    let names = catalogue.acting(Act::destructive()).into_iter().chain(catalogue.assigning());
    let names: Vec<String> = names.collect();
    // `python -m json.tool` never calls json.tool.
    let run_by = names.iter().filter_map(|name| catalogue.get(name)).flat_map(|d| d.run_by);
    let run_by: Vec<String> =
        run_by.flat_map(|by| others(&by, catalogue, &exists, &versions)).collect();
    let names = names.into_iter().chain(run_by);
    names.filter(|name| exists(name)).collect()
}

/// Other names of the same program that are there: a rule on the first name covers them.
fn others(
    program: &str,
    catalogue: &Catalogue,
    exists: impl Fn(&str) -> bool,
    versions: impl Fn(&str) -> Vec<String>,
) -> Vec<String> {
    let Some(description) = catalogue.get(program) else { return Vec::new() };
    if description.names.first().is_none_or(|first| first != program) {
        return Vec::new();
    }
    let of_name = |name: &String| match name.strip_suffix('*') {
        Some(stem) => versions(stem),
        None if exists(name) => vec![name.clone()],
        None => Vec::new(),
    };
    description.names.iter().flat_map(of_name).collect()
}

fn bites_in_shims(rule: &Rule) -> bool {
    !matches!(rule.ruling, Ruling::Allow { .. })
}

/// Does the rule stand against the name as such, whatever its arguments?
fn refuses_name(rule: &Rule, form: &Form) -> bool {
    let subject = &rule.subject;
    let is_plain =
        matches!(form, Form::Command { words, flags, .. } if words.is_empty() && flags.is_empty());
    // Where only typed calls are refused, a script that asks `command -v NAME` would be misled.
    is_plain
        && rule.callers == Callers::Any
        && rule.ruling != Ruling::Warn
        && subject.flags.is_empty()
        && subject.pattern.is_none()
        && subject.contains.is_none()
        && subject.effects.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::{Description, Grammar, Wraps};
    use crate::policy::{
        Effects, FlagChoice, Layer, Origin, Pattern, Reserved, RuleId, Says, Subject,
    };

    fn origin() -> Origin {
        Origin { layer: Layer::User, file: String::new(), shown: String::new(), line: 1 }
    }

    fn rule(command: &str, ruling: Ruling) -> Rule {
        Rule {
            id: RuleId(command.to_owned()),
            origin: origin(),
            subject: Subject {
                forms: Form::parse(command).into_iter().collect(),
                ..Subject::default()
            },
            unless: Vec::new(),
            unless_under: Vec::new(),
            callers: Callers::Any,
            machines: Machines::This,
            ruling,
            says: Says::default(),
        }
    }

    /// On this PATH: git, pip3, python, python3, python3.11, npm.
    fn names(rule: Rule) -> Vec<String> {
        let mut catalogue = Catalogue::default();
        for names in [&["pip", "pip3", "pip3.*"][..], &["python", "python3", "python3.*"]] {
            let names = names.iter().map(|n| (*n).to_owned()).collect();
            catalogue.add(Description { names, ..Description::default() });
        }
        let there = ["git", "pip3", "python", "python3", "python3.11", "npm"];
        let versions = |stem: &str| {
            let rest = |name: &&str| name.strip_prefix(stem).is_some_and(|r| !r.is_empty());
            there.iter().copied().filter(rest).map(str::to_owned).collect()
        };
        let policy = Policy { rules: vec![rule], ..Policy::default() };
        shimmed_names(&policy, &catalogue, |name| there.contains(&name), versions)
            .into_iter()
            .collect()
    }

    /// What could start a command where no shim is met is shimmed as soon as there is a rule.
    #[test]
    fn what_may_reset_path_is_shimmed_with_any_rule() {
        let mut catalogue = Catalogue::default();
        for (name, wraps) in [("sudo", Wraps::Assignments), ("xargs", Wraps::Operands)] {
            let grammar = Grammar { wraps, ..Grammar::default() };
            let grammars = [(name.to_owned(), grammar)].into();
            let names = vec![name.to_owned()];
            catalogue.add(Description { names, grammars, ..Description::default() });
        }
        let names = |rules| {
            let policy = Policy { rules, ..Policy::default() };
            shimmed_names(&policy, &catalogue, |_| true, |_| Vec::new())
        };
        assert!(names(vec![rule("gradle", Ruling::Refuse)]).iter().eq(["gradle", "sudo"]));
        assert!(names(vec![rule("| head -", Ruling::Refuse)]).is_empty());
        assert!(names(Vec::new()).is_empty());
    }

    #[test]
    fn a_rule_for_any_machine_wants_shims_of_what_leads_there() {
        let (catalogue, _) = crate::config::catalogue(&[]);
        let there = ["git", "ssh", "docker", "kubectl", "terraform"];
        for (machines, wanted) in
            [(Machines::This, &["git"][..]), (Machines::Any, &["docker", "git", "kubectl", "ssh"])]
        {
            let rules = vec![Rule { machines, ..rule("git push", Ruling::Refuse) }];
            let policy = Policy { rules, ..Policy::default() };
            let exists = |name: &str| there.contains(&name);
            let names = shimmed_names(&policy, &catalogue, exists, |_| Vec::new());
            assert!(names.iter().eq(wanted), "{machines:?}: {names:?}");
        }
    }

    #[test]
    fn what_a_rule_wants_shims_of() {
        let allow = || Ruling::Allow { over: Vec::new() };
        let rows: [(&str, Ruling, &[&str]); 15] = [
            ("git", Ruling::Refuse, &["git"]),
            ("git push", Ruling::Refuse, &["git"]),
            ("git", Ruling::Warn, &["git"]),
            ("git", allow(), &[]),
            // Nothing of that name is there.
            ("gradle", Ruling::Refuse, &["gradle"]),
            ("gradle", Ruling::Ask, &["gradle"]),
            ("gradle", Ruling::Grant, &["gradle"]),
            ("gradle", Ruling::Warn, &[]),
            ("docker volume prune", Ruling::Refuse, &[]),
            ("docker --privileged", Ruling::Refuse, &[]),
            // The first name stands for all, another for itself.
            ("pip", Ruling::Refuse, &["pip", "pip3"]),
            ("pip install", Ruling::Refuse, &["pip3"]),
            ("python", Ruling::Refuse, &["python", "python3", "python3.11"]),
            ("python3", Ruling::Refuse, &["python3"]),
            // Only a line shows these.
            ("| head -", Ruling::Refuse, &[]),
        ];
        for (command, ruling, wanted) in rows {
            assert_eq!(names(rule(command, ruling.clone())), wanted, "{command} {ruling:?}");
        }
    }

    #[test]
    fn conditions_besides_the_name_leave_a_missing_program_missing() {
        let mut flags = rule("gradle", Ruling::Refuse);
        flags.subject.flags = vec![FlagChoice::parse("--offline")];
        let mut pattern = rule("gradle", Ruling::Refuse);
        pattern.subject.pattern = Some(Pattern::parse("clean"));
        let mut contains = rule("gradle", Ruling::Refuse);
        contains.subject.contains = Some("clean".to_owned());
        let mut effects = rule("gradle", Ruling::Refuse);
        effects.subject.effects.deletes = vec!["dist".to_owned()];
        for rule in [flags, pattern, contains, effects] {
            assert_eq!(names(rule), [] as [&str; 0]);
        }
    }

    #[test]
    fn a_rule_on_effects_wants_shims_of_all_that_has_them() {
        let (catalogue, _) = crate::config::catalogue(&[]);
        let names = |effects: Effects, there: &[&str]| -> Vec<String> {
            let mut rule = rule("", Ruling::Refuse);
            rule.subject = Subject { effects, ..Subject::default() };
            let policy = Policy { rules: vec![rule], ..Policy::default() };
            let exists = |name: &str| there.contains(&name);
            shimmed_names(&policy, &catalogue, exists, |_| Vec::new()).into_iter().collect()
        };
        let there = ["rm", "find", "git", "cp", "aws", "kubectl", "python3", "gradle", "cat"];
        let list = |name: &str| vec![name.to_owned()];
        let deletes = |name| Effects { deletes: list(name), ..Effects::default() };
        assert_eq!(names(deletes("dist/**"), &there), ["find", "git", "rm"]);
        assert_eq!(names(deletes("stash"), &there), ["aws", "git", "kubectl"]);
        let moves = Effects { moves: list("src"), ..Effects::default() };
        assert_eq!(names(moves, &there), ["git"]);
        let runs = Effects { runs: list("gradle"), ..Effects::default() };
        assert_eq!(names(runs, &there), ["gradle"]);
    }

    #[test]
    fn reserved_names_are_shimmed_whether_or_not_they_exist() {
        let reserved =
            Reserved { name: "deploy_now".to_owned(), origin: origin(), says: Says::default() };
        let policy = Policy { reserved: vec![reserved], ..Policy::default() };
        let names = shimmed_names(&policy, &Catalogue::default(), |_| false, |_| Vec::new());
        assert!(names.contains("deploy_now"));
    }
}
