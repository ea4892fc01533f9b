//! What is examined: a directory of shims, and what its shims would know.

use std::path::{Path, PathBuf};

use crate::cli::failure;
use crate::cli::in_force::{self, Set};
use crate::cli::judging::Policies;
use crate::cli::shim::{Place as Named, sync};
use crate::command::quote;
use crate::doctor::SeenShim;
use crate::render::doctor::{Place, Which};
use crate::render::installing;
use crate::sys::context::Context;
use crate::sys::executed::Executed;
use crate::sys::home::{HomeRecord, RecordError};
use crate::sys::{doctor as look, install};
use crate::view::SourceRecord;

/// The directory, and all that is looked up once.
pub struct Subject {
    pub place: Place,
    pub record: Result<Option<HomeRecord>, RecordError>,
    /// With that record, where it can be used.
    pub context: Context,
    pub us: Executed,
    pub shims: Vec<SeenShim>,
    pub sources: Vec<SourceRecord>,
    pub policy: Set,
    /// Names that the policies in force want shims of; none where they cannot be trusted.
    pub wanted: Option<Vec<String>>,
}

impl Subject {
    /// The directory that is named, that of the run around, or the user's own.
    pub fn new(dir: Option<PathBuf>, policies: &Policies) -> anyhow::Result<Self> {
        let caller = Context::of_caller();
        let (which, run) = match &dir {
            Some(_) => (Which::Named, None),
            None => match look::run_directory() {
                Some(run) => (Which::Run, Some(run)),
                None => (Which::Own, None),
            },
        };
        let directory = Named { dir: dir.or(run) }.path(&caller)?;
        let us = install::ourselves().map_err(|e| failure(installing::failure(&e)))?;
        let record = HomeRecord::read(&directory);
        let named = policies.absolute(&caller).into_iter().chain(caller.named.iter().cloned());
        let context = Context {
            named: named.collect(),
            record: record.as_ref().ok().cloned().flatten(),
            shims: Some(directory.clone()),
            ..caller.clone()
        };
        let (sources, policy) = in_force::here(&context);
        let wanted = sync::wanted(&directory, caller, policies, &us).ok();
        let text = |name: std::ffi::OsString| name.to_string_lossy().into_owned();
        let binary = quote(install::lasting(&us).to_string_lossy().as_bytes());
        let embargo = match look::is_on_path(&us) {
            true => "embargo".to_owned(),
            false => binary.clone(),
        };
        Ok(Subject {
            shims: look::shims(&directory, &us),
            wanted: wanted.map(|wanted| wanted.names.into_iter().map(text).collect()),
            place: Place { directory, which, embargo, binary },
            record,
            context,
            us,
            sources,
            policy,
        })
    }

    pub fn directory(&self) -> &Path {
        &self.place.directory
    }

    /// Every name that has a shim, or should have one.
    pub fn names(&self) -> Vec<String> {
        let shimmed = self.shims.iter().map(|shim| shim.name.clone());
        let mut names: Vec<String> = shimmed.chain(self.wanted.iter().flatten().cloned()).collect();
        names.sort();
        names.dedup();
        names
    }
}
