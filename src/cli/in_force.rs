//! The policies that a verb looks into: those in force here, or files by name.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::PathBuf;

use serde_json::Value;

use super::judging::{Distrusted, Policies};
use crate::config::{self, Diagnostic, Loaded, SourceText};
use crate::policy::{Exit, guarded_names, shimmed_names};
use crate::render::{answer, findings};
use crate::sys::context::Context;
use crate::sys::executed::Executed;
use crate::sys::{ledger, policy_view, program, sources, stdio};
use crate::view::{
    Contents, Distrust, Proof, Read, SourceRecord, View, prove, source_text, spell_out,
};

/// Which policies `lint` and `test` look into.
#[derive(Debug, clap::Args)]
pub struct Files {
    #[command(flatten)]
    policies: Policies,
    /// Policy files, each by itself; without any, the policies in force here together
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// One JSON object
    #[arg(long)]
    pub json: bool,
}

impl Files {
    /// At least one set; else what is missing is said, and how the verb ends. With `--json` that
    /// is an object as well: `nothing`, as it is of no set at all.
    pub fn sets(&self, verb: &str, nothing: impl FnOnce() -> Value) -> Result<Vec<Set>, Exit> {
        let name = format!("embargo {verb}");
        let context = self.policies.context(OsStr::new(&name)).map_err(|Distrusted(message)| {
            match self.json {
                true => stdio::print(&answer::object(&answer::broken(&message, verb))),
                false => stdio::say(&message),
            }
            Exit::Broken
        })?;
        let sets = sets(&context, &self.files);
        if sets.is_empty() {
            stdio::say(&findings::no_policy());
            if self.json {
                stdio::print(&answer::object(&nothing()));
            }
            return Err(Exit::Findings);
        }
        Ok(sets)
    }
}

/// Policies that count together, loaded.
#[derive(Debug, Default)]
pub struct Set {
    pub loaded: Loaded,
    pub contents: Contents,
    /// Faults of the user's own command descriptions.
    pub descriptions: Vec<Diagnostic>,
    /// Files that cannot be read, and why.
    pub unread: Vec<(PathBuf, String)>,
}

impl Set {
    /// Judges the examples that the rules carry.
    pub fn prove(&self) -> Proof<'_> {
        prove(&self.contents, &self.loaded.examples)
    }
}

/// Each file by itself; without any, all that is in force here together. Empty when
/// there is no policy at all.
fn sets(context: &Context, files: &[PathBuf]) -> Vec<Set> {
    if files.is_empty() {
        let (found, set) = here(context);
        return if found.is_empty() { Vec::new() } else { vec![set] };
    }
    let one = |file: &PathBuf| {
        let shown = file.display().to_string();
        let text = |read: Read, bytes| SourceText {
            path: read.path,
            shown: shown.clone(),
            layer: read.layer,
            bytes,
        };
        set(context, &[sources::named(context, file)], text)
    };
    files.iter().map(one).collect()
}

/// All that is in force here together, with the files it comes from.
pub fn here(context: &Context) -> (Vec<SourceRecord>, Set) {
    let found = sources::find(context, &[]);
    let texts = |read: Read, bytes| source_text(&read.path, read.layer, bytes);
    let set = set(context, &found, texts);
    (found, set)
}

fn set(
    context: &Context,
    found: &[SourceRecord],
    text: impl Fn(Read, Vec<u8>) -> SourceText,
) -> Set {
    let mut set = Set::default();
    let mut texts = Vec::new();
    for mut read in found.iter().map(sources::read) {
        match std::mem::replace(&mut read.bytes, Ok(Vec::new())) {
            Ok(bytes) => texts.push(text(read, bytes)),
            Err(why) => set.unread.push((read.path, why)),
        }
    }
    let mut descriptions = Vec::new();
    for read in sources::read_descriptions(&sources::descriptions(context)) {
        match read.bytes {
            Ok(bytes) => descriptions.push(source_text(&read.path, read.layer, bytes)),
            Err(why) => set.unread.push((read.path, why)),
        }
    }
    let (catalogue, faults) = config::catalogue(&descriptions);
    set.descriptions = faults;
    set.loaded = config::load(&texts, sources::read_file);
    spell_out(&mut set.loaded.policy, &catalogue);
    set.contents = Contents { policy: set.loaded.policy.clone(), catalogue, ..Contents::default() };
    set
}

/// Everything in force for these sources, as the view is made from it.
pub fn contents(context: &Context, found: &[SourceRecord]) -> Result<Contents, Distrust> {
    let bytes = policy_view::get(context, found)?;
    let last_good = View::open(bytes.bytes()).map(|view| view.texts()).unwrap_or_default();
    policy_view::contents(context, found, &last_good)
}

/// The names to shim.
#[derive(Debug, Default)]
pub struct Wanted {
    pub names: Vec<String>,
    /// Project files that are broken: what they said before counts.
    pub notices: Vec<String>,
}

/// For the policies in force; a project file that is broken and was never right leaves
/// nothing to go by.
pub fn wanted(context: &Context, us: &Executed) -> Result<Wanted, Distrust> {
    wanted_by(context, &sources::find(context, &[]), us)
}

/// The names to shim for the sake of seals; `run` asks before anything is sealed below it.
pub fn guarded(context: &Context, us: &Executed) -> Result<Vec<String>, Distrust> {
    let contents = contents(context, &sources::find(context, &[]))?;
    let exists = |name: &str| program::exists(OsStr::new(name), us);
    let versions = |stem: &str| program::versions(stem, us);
    let mut names = guarded_names(&contents.catalogue, exists, versions);
    // The shim of a shell judges every line that it is given: only for what is sealed by now.
    if ledger::held(context).is_ok_and(|held| held.is_some()) {
        names.extend(contents.catalogue.shells().into_iter().filter(|name| exists(name)));
    }
    Ok(names.into_iter().collect())
}

/// The same for these sources of them.
pub fn wanted_by(
    context: &Context,
    found: &[SourceRecord],
    us: &Executed,
) -> Result<Wanted, Distrust> {
    let contents = contents(context, found)?;
    if !contents.distrusted.is_empty() {
        let faults: BTreeSet<&str> = contents.distrusted.values().map(String::as_str).collect();
        return Err(Distrust { message: faults.into_iter().collect::<Vec<_>>().join("\n") });
    }
    let exists = |name: &str| program::exists(OsStr::new(name), us);
    let versions = |stem: &str| program::versions(stem, us);
    let mut names = shimmed_names(&contents.policy, &contents.catalogue, exists, versions);
    if !contents.policy.protects.is_empty() {
        names.extend(guarded_names(&contents.catalogue, exists, versions));
        names.extend(contents.catalogue.shells().into_iter().filter(|name| exists(name)));
    }
    Ok(Wanted { names: names.into_iter().collect(), notices: contents.notices })
}
