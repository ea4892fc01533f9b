//! `embargo shim`: the directory of shims that stays, one for each user.

mod change;
pub(super) mod sync;

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use clap::Subcommand;
use clap_complete::ArgValueCandidates;

use super::judging::Policies;
use super::{Outcome, completions, failure};
use crate::command::quote;
use crate::render::{installing, usage};
use crate::sys::context::{Context, Places, absolute};
use crate::sys::executed::Executed;
use crate::sys::home::HomeRecord;
use crate::sys::install::{InstallError, ShimDirectory};
use crate::sys::{program, runs, sources, stdio};

/// Installs, removes and lists shims in a directory that stays
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(subcommand)]
    act: Act,
}

const EXAMPLES: &str = "\
Examples:
  embargo shim install gradle git
  embargo shim sync                     shims for what the policies in force here speak of
  embargo shim list --json
  embargo shim uninstall --all";

const UNINSTALL: &str = "embargo shim uninstall [--dir DIR] NAME...
       embargo shim uninstall [--dir DIR] --all";

#[derive(Debug, Subcommand)]
enum Act {
    /// Puts shims of these names into the directory
    #[command(after_help = "Example:\n  embargo shim install gradle && eval \"$(embargo env)\"")]
    Install {
        #[arg(value_name = "NAME", required = true)]
        names: Vec<OsString>,
        /// Also where no program of the name is on PATH and no rule refuses it
        #[arg(long, short)]
        force: bool,
        #[command(flatten)]
        place: Place,
        #[command(flatten)]
        policies: Policies,
    },
    /// Takes shims away
    #[command(override_usage = UNINSTALL, after_help = "Example:\n  embargo shim uninstall gradle")]
    Uninstall {
        #[arg(
            value_name = "NAME",
            required_unless_present = "all",
            conflicts_with = "all",
            add = ArgValueCandidates::new(completions::shims)
        )]
        names: Vec<OsString>,
        /// All of them, the home record and the list of who wants what
        #[arg(long)]
        all: bool,
        #[command(flatten)]
        place: Place,
    },
    /// Shows the shims, and which program each becomes; 1 when one leads nowhere
    #[command(after_help = "Example:\n  embargo shim list --json | jq -r '.[].name'")]
    List {
        #[command(flatten)]
        place: Place,
        /// An array of objects: name, resolves_to, broken, dir
        #[arg(long)]
        json: bool,
    },
    /// Adds shims that the policies in force here want, removes those that nobody wants any more
    #[command(after_help = "Example:\n  cd project && embargo shim sync")]
    Sync {
        #[command(flatten)]
        place: Place,
        #[command(flatten)]
        policies: Policies,
    },
}

#[derive(Debug, clap::Args)]
pub(super) struct Place {
    /// Another directory than the user's own
    #[arg(long, value_name = "DIR")]
    pub(super) dir: Option<PathBuf>,
}

/// Does one act.
pub fn run(args: Args) -> Outcome {
    match args.act {
        Act::Install { names, force, place, policies } => {
            change::install(&names, force, &place, &policies)
        }
        Act::Uninstall { names, all, place } => change::uninstall(&names, all, &place),
        Act::List { place, json } => change::list(&place, json),
        Act::Sync { place, policies } => sync::sync(&place, &policies),
    }
}

/// All shims, the home record and the list of who wants what.
pub fn uninstall_all(place: &Place) -> Outcome {
    change::uninstall(&[], true, place)
}

impl Place {
    /// The directory, absolute, as it stands on PATH.
    pub(super) fn path(&self, context: &Context) -> anyhow::Result<PathBuf> {
        let own = || context.by_variables.as_ref().map(Places::shims);
        let named = self.dir.as_ref().map(|dir| absolute(context.cwd.as_deref(), dir));
        let path = named.or_else(own).ok_or_else(|| failure(usage::no_home()))?;
        // Without `..`, and without a slash at the end: PATH is compared as text.
        Ok(sources::in_canonical_directory(path.components().collect()))
    }

    /// The directory, with its home record in place. One that is named may be shared.
    fn open(
        &self,
        path: &Path,
        context: &Context,
        policies: &Policies,
    ) -> anyhow::Result<ShimDirectory> {
        let places = context.by_variables.as_ref().ok_or_else(|| failure(usage::no_places()))?;
        let mode = if self.dir.is_some() { 0o755 } else { 0o700 };
        let directory = ShimDirectory::open(path, mode).map_err(cannot)?;
        let record = HomeRecord {
            owner: context.user,
            config: places.config.clone(),
            state: places.state.clone(),
            cache: places.cache.clone(),
            starts: Vec::new(),
            policies: policies.absolute(context),
            session: None,
        };
        directory.record(&record).map_err(cannot)?;
        Ok(directory)
    }

    /// The directory for `env --dir`, where it has to be given.
    fn option(&self, path: &Path) -> Option<String> {
        self.dir.as_ref().map(|_| quote(path.as_os_str().as_bytes()))
    }

    /// What is left to do in a shell, after these shims were made.
    fn say_next_step(&self, path: &Path, made: &[&OsString], us: &Executed) {
        if !program::is_first(path, runs::is_run) {
            stdio::print(&installing::next_step(path, self.option(path).as_deref()));
            return;
        }
        let behind = made.iter().filter(|name| program::exists(name, us));
        let names: Vec<_> = behind.map(|name| name.to_string_lossy()).collect();
        if !names.is_empty() {
            stdio::print(&installing::remembered(&names));
        }
    }
}

/// One shim of several that could not be changed; the others are.
fn say(error: &InstallError) {
    stdio::say(&usage::failed(&installing::failure(error)));
}

fn cannot(error: InstallError) -> anyhow::Error {
    failure(installing::failure(&error))
}
