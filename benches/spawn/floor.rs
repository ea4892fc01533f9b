//! The floor: a minimal static C program that only becomes another one. No shim
//! can be cheaper; every ratio is over it.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::call::Call;
use crate::machine::Machine;

const SOURCE: &str = "\
#include <unistd.h>
extern char **environ;
int main(int argc, char **argv) {
    (void)argc;
    execve(TARGET, argv, environ);
    return 127;
}
";

/// The libc below it decides half of its time.
#[derive(Clone, Copy, PartialEq)]
pub enum Libc {
    Musl,
    Glibc,
}

pub struct Floor {
    directory: PathBuf,
    path: PathBuf,
    pub libc: Libc,
}

impl Floor {
    /// In front of `/bin/true`.
    pub fn compile(machine: &Machine) -> Result<Self> {
        let directory = machine.directory("floor")?;
        std::fs::write(directory.join("floor.c"), SOURCE)?;
        let libc = if compiler("musl-gcc") { Libc::Musl } else { Libc::Glibc };
        Self { path: PathBuf::new(), directory, libc }.in_front_of(Path::new("/bin/true"))
    }

    pub fn in_front_of(&self, program: &Path) -> Result<Self> {
        let name = program.file_name().context("the floor needs a program to become")?;
        let path = self.directory.join(name);
        let compiled = Command::new(self.compiler())
            .args(["-O2", "-static", "-no-pie", "-o"])
            .arg(&path)
            .arg(format!("-DTARGET=\"{}\"", program.display()))
            .arg(self.directory.join("floor.c"))
            .status()
            .with_context(|| format!("the floor needs a C compiler: `{}`", self.compiler()))?;
        if !compiled.success() {
            bail!("`{}` does not compile the floor", self.compiler());
        }
        Ok(Self { path, directory: self.directory.clone(), libc: self.libc })
    }

    /// The floor, called as `call` is.
    pub fn like(&self, call: &Call) -> Call {
        call.of(&self.path)
    }

    pub const fn compiler(&self) -> &'static str {
        match self.libc {
            Libc::Musl => "musl-gcc",
            Libc::Glibc => "gcc",
        }
    }
}

fn compiler(name: &str) -> bool {
    Command::new(name).arg("--version").output().is_ok_and(|o| o.status.success())
}
