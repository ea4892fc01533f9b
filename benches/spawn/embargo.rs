//! The rows of one build of embargo.

use std::path::Path;

use anyhow::{Result, bail};

use crate::call::Call;
use crate::floor::Floor;
use crate::machine::Machine;
use crate::pairs::{self, Effort, Subject};
use crate::policies::{self, Policy};
use crate::stage::Stage;
use crate::table::{Bound, Table};

/// Whether the bounds are meant for this build.
#[derive(Clone, Copy, PartialEq)]
pub enum Judged {
    Yes,
    No,
}

pub struct Bench<'a> {
    pub machine: &'a Machine,
    pub floor: &'a Floor,
    pub effort: Effort,
}

impl Bench<'_> {
    pub fn rows(
        &self,
        build: &str,
        binary: &Path,
        judged: Judged,
        table: &mut Table,
    ) -> Result<()> {
        table.section(&format!("{build}: {}", binary.display()));
        let bound = |bound| (judged == Judged::Yes).then_some(bound);
        let stage = |policy| Stage::new(self.machine, binary, build, policy);

        let example = stage(Policy::Example)?;
        let row = self.over_floor(&example.pass(&[]))?;
        table.judged("a pass, example policy", row, bound(Bound::Example));

        let ten = stage(Policy::Spread(10))?;
        table.row("10 rules", self.over_floor(&ten.pass(&[]))?);
        for rules in [100, 1_000] {
            let many = stage(Policy::Spread(rules))?;
            table.row(&format!("{rules} rules"), self.over_floor(&many.pass(&[]))?);
        }
        let most = stage(Policy::Spread(10_000))?;
        table.row("10000 rules", self.over_floor(&most.pass(&[]))?);
        let row = pairs::measure(&most.pass(&[]), &ten.pass(&[]), self.effort)?;
        table.judged("10000 rules, over 10 rules", row, bound(Bound::Growth));
        table.first_call("10000 rules", &most);

        let crowded = stage(Policy::Crowded(10_000))?;
        let row = self.over_floor(&crowded.pass(&policies::CROWDED_ARGUMENTS))?;
        table.row("10000 patterns on the program called", row);
        table.first_call("10000 patterns", &crowded);

        let alone = Call::new("/bin/true", ["true"], &self.machine.environment);
        let evidence = example.state_size();
        let row = pairs::measure(example.first_refusals(self.effort), &alone, self.effort)?;
        if example.state_size() <= evidence {
            bail!("the refusals left no evidence in `{}`", example.state().display());
        }
        table.judged("a refusal, over `/bin/true`", row, bound(Bound::Refusal));
        let row = pairs::measure(example.repeated_refusals(), &alone, self.effort)?;
        table.row("the same, repeated in a session", row);
        let (hook, payload) = example.hook(binary)?;
        let row = pairs::fed(&hook, &alone, self.effort, Some(&payload))?;
        table.judged("a hook, no hit, over `/bin/true`", row, bound(Bound::Hook));
        Ok(())
    }

    fn over_floor(&self, pass: &Call) -> Result<crate::ratio::Ratio> {
        let floor: Subject = (&self.floor.like(pass)).into();
        pairs::measure(pass, floor, self.effort)
    }
}
