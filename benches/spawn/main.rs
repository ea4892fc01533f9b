//! What a whole process costs: `cargo bench --bench spawn [-- --quick]` prints a
//! table of shims, ours and others', each over a minimal static C program that
//! only calls execve, both in front of the same program. It judges the project's
//! bounds and fails when one is missed; `--quick` is a smoke and judges nothing.
//! For Linux: the floor is a static program.

mod call;
mod embargo;
mod floor;
mod line;
mod machine;
mod others;
mod pairs;
mod policies;
mod ratio;
mod stage;
mod table;

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, bail};

use call::Call;
use floor::Floor;
use machine::Machine;
use pairs::Effort;
use table::Table;

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("spawn: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Prints the table; whether no bound is missed.
fn run() -> Result<bool> {
    let effort = effort(std::env::args().skip(1))?;
    let machine = Machine::prepare()?;
    let floor = Floor::compile(&machine)?;
    let mut table = Table::open(&floor, effort);

    table.section("the scale");
    let alone = Call::new("/bin/true", ["true"], &machine.environment);
    let itself = pairs::measure(&floor.like(&alone), &floor.like(&alone), effort)?;
    table.row("the floor over itself", itself);
    table
        .row("`/bin/true`, nothing in front", pairs::measure(&alone, &floor.like(&alone), effort)?);

    table.section("embargo");
    let bench = embargo::Bench { machine: &machine, floor: &floor, effort };
    match machine.musl_embargo() {
        Ok(binary) => bench.rows("static musl", &binary, embargo::Judged::Yes, &mut table)?,
        Err(reason) => table.absent("static musl", &reason),
    }
    let default = Path::new(env!("CARGO_BIN_EXE_embargo"));
    bench.rows("default build", default, embargo::Judged::No, &mut table)?;

    line::rows(effort, &mut table)?;

    table.section("what users would have otherwise");
    for (name, found) in others::all(&machine) {
        match found {
            Ok(other) => {
                let floor = floor.in_front_of(other.program)?.like(&other.call);
                table.row(name, pairs::measure(&other.call, &floor, effort)?);
            }
            Err(reason) => table.absent(name, &format!("{reason:#}")),
        }
    }
    Ok(table.close())
}

fn effort(arguments: impl Iterator<Item = String>) -> Result<Effort> {
    let mut effort = Effort::Full;
    for argument in arguments {
        match argument.as_str() {
            "--quick" => effort = Effort::Quick,
            "--bench" => {} // cargo says so to every bench
            other => bail!("`{other}` is no option of this bench; there is `--quick`"),
        }
    }
    Ok(effort)
}
