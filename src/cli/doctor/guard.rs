//! Whether a shim that is met serves: shims, rules, the canary, the policy.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use bstr::BString;

use super::subject::Subject;
use crate::config::{Diagnostic, Level};
use crate::decide::{self, decide};
use crate::doctor::{self, Call, Check, Guard, Report};
use crate::policy::{Layer, Verdict};
use crate::render::doctor::fault;
use crate::sys::doctor as look;

/// The four checks.
pub fn reports(subject: &Subject) -> Vec<Report> {
    vec![
        Report::new(Check::Shims, shims(subject)),
        Report::new(Check::Rules, rules(subject)),
        Report::new(Check::Canary, canary(subject)),
        Report::new(Check::Policy, policy(subject)),
    ]
}

fn shims(subject: &Subject) -> Vec<Guard> {
    // One directory serves all projects: what another one wants is no fault here.
    let elsewhere = look::wanted_elsewhere(subject.directory());
    let wanted = subject.wanted.as_ref().map(|here| [&here[..], &elsewhere].concat());
    let seen = |seen: &_| doctor::shim(Clone::clone(seen), wanted.as_deref());
    let seen = subject.shims.iter().flat_map(seen);
    let seen: Vec<Guard> = seen.collect();
    if seen.is_empty() { vec![Guard::NoShims] } else { seen }
}

fn rules(subject: &Subject) -> Vec<Guard> {
    if subject.sources.is_empty() {
        return vec![Guard::NoPolicy];
    }
    let Some(wanted) = &subject.wanted else { return vec![Guard::Untrusted] };
    let shims: Vec<String> = subject.shims.iter().map(|shim| shim.name.clone()).collect();
    doctor::unshimmed(wanted, &shims)
}

fn canary(subject: &Subject) -> Vec<Guard> {
    let policy = &subject.policy.loaded;
    let calls = match faults(subject).is_empty() {
        true => doctor::examples(&policy.policy, &policy.examples),
        false => Vec::new(),
    };
    let call = calls.into_iter().find(|call| is_refused(subject, call));
    match look::tried(&subject.context, call, &subject.us) {
        Ok(tried) => doctor::canary(tried),
        Err(why) => vec![Guard::NoCanary { why }],
    }
}

/// What a higher layer allows is let through as it should be; the shim has to do what
/// the judge says.
fn is_refused(subject: &Subject, call: &Call) -> bool {
    let argv: Vec<BString> = call.words.iter().map(|word| word.as_str().into()).collect();
    let decision = decide(&subject.context, decide::Subject::Argv(&argv));
    decision.is_ok_and(|decision| matches!(decision.verdict(), Verdict::Refuse(_)))
}

/// Every file in force, and what is wrong with it or with what it brings in.
fn policy(subject: &Subject) -> Vec<Guard> {
    if subject.sources.is_empty() {
        return vec![Guard::NoPolicy];
    }
    let faults = faults(subject);
    let path = |bytes: &[u8]| PathBuf::from(OsStr::from_bytes(bytes));
    let files: Vec<(PathBuf, Layer)> =
        subject.sources.iter().map(|source| (path(&source.path), source.layer)).collect();
    let one = |(file, layer): &(PathBuf, Layer)| {
        let (file, layer) = (file.clone(), *layer);
        match faults.iter().find(|(at, _)| *at == file) {
            Some((_, fault)) => Guard::Broken { file, layer, fault: fault.clone() },
            None => Guard::Sound { file, layer },
        }
    };
    let is_beside = |(at, _): &&(PathBuf, String)| !files.iter().any(|(file, _)| file == at);
    let beside = faults.iter().filter(is_beside).map(|(at, fault)| Guard::BrokenBeside {
        file: at.display().to_string(),
        fault: fault.clone(),
    });
    files.iter().map(one).chain(beside).collect()
}

/// The first fault of each file that has one.
fn faults(subject: &Subject) -> Vec<(PathBuf, String)> {
    let policy = &subject.policy;
    let is_error = |found: &&Diagnostic| found.level == Level::Error;
    let found = policy.loaded.diagnostics.iter().chain(&policy.descriptions).filter(is_error);
    let mut faults: Vec<(PathBuf, String)> = policy.unread.clone();
    faults.extend(found.map(|found| (found.path.clone(), fault(found))));
    let mut seen: Vec<PathBuf> = Vec::new();
    let mut is_first = |at: &Path| {
        let is_first = !seen.iter().any(|seen| seen == at);
        seen.push(at.to_owned());
        is_first
    };
    faults.retain(|(at, _)| is_first(at));
    faults
}
