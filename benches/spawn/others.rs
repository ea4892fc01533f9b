//! What users would put in front of a command otherwise: wrappers, guards and
//! version managers' shims, each over the floor in front of the same program.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::call::{Call, Environment};
use crate::machine::Machine;

/// A program in front of another.
pub struct Other {
    pub call: Call,
    /// What it becomes or starts.
    pub program: &'static Path,
}

/// Each row with what to run, or why it cannot be.
pub fn all(machine: &Machine) -> [(&'static str, Result<Other>); 5] {
    [
        ("an `sh` wrapper with a `case`", wrapper(machine, "sh")),
        ("a `bash` wrapper with a `case`", wrapper(machine, "bash")),
        ("safe-rm (over the floor in front of `rm`)", safe_rm(machine)),
        ("pyenv's shim", pyenv(machine)),
        ("mise's shim", mise(machine)),
    ]
}

fn wrapper(machine: &Machine, shell: &str) -> Result<Other> {
    let shell = in_path(shell)?;
    let path = machine.directory("wrappers")?.join(shell.file_name().context("a shell's name")?);
    let text = format!(
        "#!{}\ncase \"$1\" in\n    build|test|publish) echo 'use ./gradlew' >&2; exit 86 ;;\nesac\n\
         exec /bin/true \"$@\"\n",
        shell.display()
    );
    std::fs::write(&path, text)?;
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755))?;
    Ok(in_front_of_true(&path, &machine.environment))
}

fn safe_rm(machine: &Machine) -> Result<Other> {
    let call = Call::new(in_path("safe-rm")?, ["rm", "-f", "no-such-file"], &machine.environment);
    Ok(Other { call, program: Path::new("/bin/rm") })
}

/// A root of its own, with one version whose only program is `true`.
fn pyenv(machine: &Machine) -> Result<Other> {
    let pyenv = in_path("pyenv")?;
    let root = machine.directory("pyenv")?;
    link_true(&machine.directory("pyenv/versions/bench/bin")?)?;
    let environment = machine.environment_with(vec![
        ("PYENV_ROOT".into(), root.clone().into()),
        ("PYENV_VERSION".into(), "bench".into()),
    ]);
    prepare(Command::new(pyenv).arg("rehash"), &environment)?;
    shim_of_true(&root.join("shims"), &environment)
}

/// The same for mise: a tool that it takes for installed.
fn mise(machine: &Machine) -> Result<Other> {
    let mise = in_path("mise")?;
    let data = machine.directory("mise/data")?;
    link_true(&machine.directory("mise/data/installs/node/1.0.0/bin")?)?;
    let config = machine.directory("mise/config")?;
    std::fs::write(config.join("config.toml"), "[tools]\nnode = \"1.0.0\"\n")?;
    let environment = machine.environment_with(vec![
        ("MISE_DATA_DIR".into(), data.clone().into()),
        ("MISE_CONFIG_DIR".into(), config.into()),
        ("MISE_CACHE_DIR".into(), machine.directory("mise/cache")?.into()),
        ("MISE_STATE_DIR".into(), machine.directory("mise/state")?.into()),
        ("MISE_OFFLINE".into(), "1".into()),
    ]);
    prepare(Command::new(mise).arg("reshim"), &environment)?;
    shim_of_true(&data.join("shims"), &environment)
}

fn prepare(command: &mut Command, environment: &Environment) -> Result<()> {
    let output = command.env_clear().envs(environment.iter().map(|(n, v)| (n, v))).output()?;
    if !output.status.success() {
        bail!("{command:?} failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(())
}

fn shim_of_true(shims: &Path, environment: &Environment) -> Result<Other> {
    let path = shims.join("true");
    if !path.exists() {
        bail!("it made no shim `{}`", path.display());
    }
    Ok(in_front_of_true(&path, environment))
}

fn in_front_of_true(path: &Path, environment: &Environment) -> Other {
    Other { call: Call::new(path, ["true"], environment), program: Path::new("/bin/true") }
}

fn link_true(directory: &Path) -> Result<()> {
    Ok(symlink("/bin/true", directory.join("true"))?)
}

fn in_path(name: &str) -> Result<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|entry| entry.join(name)).find(|p| p.is_file());
    found.with_context(|| format!("`{name}` is not installed"))
}
