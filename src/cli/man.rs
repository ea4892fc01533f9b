//! `embargo man`: manual pages, from the definition that `--help` is made from.

use std::path::PathBuf;

use clap::CommandFactory;
use clap_mangen::Man;

use super::{Cli, Outcome, failure};
use crate::policy::Exit;
use crate::render::usage;
use crate::sys::{policy_file, stdio};

/// Prints the manual page, or writes those of all verbs into a directory
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Writes embargo.1, embargo-run.1 … here; what is there under these names is replaced
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  embargo man | man -l -
  embargo man --dir ~/.local/share/man/man1";

/// Prints or writes.
pub fn run(args: Args) -> Outcome {
    let command = Cli::command();
    match args.dir {
        None => {
            let mut page = Vec::new();
            Man::new(command).render(&mut page)?;
            stdio::print_bytes(&page);
        }
        Some(directory) => {
            let written = policy_file::make_directory(&directory)
                .and_then(|()| clap_mangen::generate_to(command, &directory));
            written.map_err(|error| failure(usage::not_written(&directory, &error)))?;
        }
    }
    Ok(Exit::Success)
}
