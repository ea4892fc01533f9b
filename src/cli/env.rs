//! `embargo env`: shell text that puts the shim directory first on PATH.

use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use bstr::{BStr, ByteSlice};
use clap::ValueEnum;

use super::{Outcome, failure};
use crate::policy::{Caller, Exit};
use crate::render::{shells, usage};
use crate::sys::context::{Context, Places, absolute};
use crate::sys::environment;
use crate::sys::install::InstallError;
use crate::sys::processes::Lineage;
use crate::sys::{sources, stdio};

/// Prints what a shell has to run to have the shims first on PATH
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// For this shell; by default the one that calls, else the one in SHELL
    #[arg(long, value_enum)]
    shell: Option<Shell>,
    /// Another directory of shims than the user's own
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  eval \"$(embargo env)\"                    in ~/.bashrc or ~/.zshrc, at its end
  embargo env --shell fish | source        in ~/.config/fish/config.fish

The directory stands on PATH once, however often this is run. Inside `embargo run` the
directory of the run stays in front of it.";

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Shell {
    Sh,
    Bash,
    Zsh,
    Fish,
}

/// Prints the text.
pub fn run(args: Args) -> Outcome {
    let context = Context::of_caller();
    let own = || context.by_variables.as_ref().map(Places::shims);
    let named = args.dir.map(|dir| absolute(context.cwd.as_deref(), &dir));
    let directory = named.or_else(own).ok_or_else(|| failure(usage::no_home()))?;
    // Without `..`, and without a slash at the end: PATH is compared as text.
    let directory = sources::in_canonical_directory(directory.components().collect());
    let bytes = directory.as_os_str().as_bytes().as_bstr();
    if bytes.contains(&b':') || !directory.is_absolute() {
        let error = InstallError::NotForPath(directory);
        return Err(failure(crate::render::installing::failure(&error)));
    }
    stdio::print_bytes(&text(args.shell, bytes)?);
    Ok(Exit::Success)
}

fn text(shell: Option<Shell>, directory: &BStr) -> anyhow::Result<Vec<u8>> {
    match shell {
        Some(Shell::Sh | Shell::Bash | Shell::Zsh) => return Ok(shells::posix(directory)),
        Some(Shell::Fish) => return Ok(shells::fish(directory)),
        None => {}
    }
    let shell = asking_shell().or_else(|| environment::text("SHELL"));
    let shell = shell.filter(|shell| !shell.is_empty());
    match shell.as_deref().map(|shell| shell.rsplit('/').next().unwrap_or(shell)) {
        None | Some("sh" | "bash" | "zsh" | "dash" | "ksh" | "ash" | "mksh") => {
            Ok(shells::posix(directory))
        }
        Some("fish") => Ok(shells::fish(directory)),
        Some(name) => Err(failure(usage::unknown_shell(name))),
    }
}

/// The shell that has called us: fish may run in a terminal whose SHELL is bash.
fn asking_shell() -> Option<String> {
    let lineage = Lineage::of_this_process(None);
    let process = &lineage.parent()?.process;
    let name = process.argv.first()?.to_str_lossy().into_owned();
    let is_shell = matches!(process.caller(), Caller::Shell | Caller::Script);
    is_shell.then(|| name.trim_start_matches('-').to_owned())
}
