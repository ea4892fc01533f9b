//! Alternating rounds: each round runs scale and subject next to each other, so
//! that what the machine does meanwhile falls on both, and takes their ratio.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use crate::call::{Call, Output};
use crate::ratio::{self, Ratio};

/// How long one may be at it.
#[derive(Clone, Copy, PartialEq)]
pub enum Effort {
    Full,
    Quick,
}

impl Effort {
    pub const fn repeats(self) -> usize {
        match self {
            Self::Full => 5,
            Self::Quick => 2,
        }
    }

    pub const fn rounds(self) -> usize {
        match self {
            Self::Full => 400,
            Self::Quick => 20,
        }
    }

    /// What slow programs are cut at: a version manager would take minutes.
    const fn time_of_a_repeat(self) -> Duration {
        match self {
            Self::Full => Duration::from_secs(3),
            Self::Quick => Duration::from_millis(300),
        }
    }
}

/// Runs before the clock counts, for the page cache and what a program makes once.
pub const WARM_UP: usize = 5;

/// What is run: the same call again and again, or one call after the other.
pub struct Subject {
    calls: Vec<Call>,
    next: usize,
    status: i32,
}

impl Subject {
    pub const fn each(calls: Vec<Call>, status: i32) -> Self {
        Self { calls, next: 0, status }
    }

    fn run(&mut self, output: &Output) -> Result<Duration> {
        let call = &self.calls[self.next % self.calls.len()];
        self.next += 1;
        let (status, took) = call.run(output)?;
        if status != self.status {
            bail!("`{}` ended with {status}, not {}", call.path().display(), self.status);
        }
        Ok(took)
    }
}

/// A call that is to pass, the same each time.
impl From<&Call> for Subject {
    fn from(call: &Call) -> Self {
        Self::each(vec![call.clone()], 0)
    }
}

/// The subject's time over the scale's.
pub fn measure(
    subject: impl Into<Subject>,
    scale: impl Into<Subject>,
    effort: Effort,
) -> Result<Ratio> {
    fed(subject, scale, effort, None)
}

/// The same, both with this file as standard input.
pub fn fed(
    subject: impl Into<Subject>,
    scale: impl Into<Subject>,
    effort: Effort,
    input: Option<&Path>,
) -> Result<Ratio> {
    let written = tempfile::NamedTempFile::new()?;
    let output = match input {
        Some(input) => Output::fed(written.path(), input)?,
        None => Output::to(written.path())?,
    };
    let mut pair = Pair { subject: subject.into(), scale: scale.into(), output };
    pair.measure(effort).with_context(|| {
        let said = std::fs::read_to_string(written.path()).unwrap_or_default();
        format!("what was run said: {}", said.trim())
    })
}

struct Pair {
    subject: Subject,
    scale: Subject,
    output: Output,
}

impl Pair {
    fn measure(&mut self, effort: Effort) -> Result<Ratio> {
        for round in 0..WARM_UP {
            self.round(round)?;
        }
        let repeats = (0..effort.repeats()).map(|_| self.repeat(effort));
        Ok(Ratio::of(&repeats.collect::<Result<Vec<_>>>()?))
    }

    /// The median ratio and the subject's median time over one series of rounds.
    fn repeat(&mut self, effort: Effort) -> Result<(f64, f64)> {
        let (mut ratios, mut times) = (Vec::new(), Vec::new());
        let begin = Instant::now();
        while ratios.len() < effort.rounds() && begin.elapsed() < effort.time_of_a_repeat() {
            let (subject, scale) = self.round(ratios.len())?;
            ratios.push(subject.as_secs_f64() / scale.as_secs_f64());
            times.push(subject.as_secs_f64());
        }
        Ok((ratio::median(ratios), ratio::median(times)))
    }

    /// Who goes first alternates: the second finds a warmer machine.
    fn round(&mut self, number: usize) -> Result<(Duration, Duration)> {
        if number.is_multiple_of(2) {
            let subject = self.subject.run(&self.output)?;
            Ok((subject, self.scale.run(&self.output)?))
        } else {
            let scale = self.scale.run(&self.output)?;
            Ok((self.subject.run(&self.output)?, scale))
        }
    }
}
