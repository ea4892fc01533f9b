//! The printed table, and the bounds that are judged at its end.

use crate::floor::{Floor, Libc};
use crate::machine::PATH_ENTRIES;
use crate::pairs::Effort;
use crate::ratio::Ratio;
use crate::stage::Stage;

/// What the static musl build is held to, over the floor unless said otherwise.
#[derive(Clone, Copy, PartialEq)]
pub enum Bound {
    Example,
    Growth,
    Refusal,
    Hook,
    LineLength,
    LineRules,
}

impl Bound {
    const ALL: [Self; 6] =
        [Self::Example, Self::Growth, Self::Refusal, Self::Hook, Self::LineLength, Self::LineRules];

    const fn limit(self) -> f64 {
        match self {
            Self::Example => 1.30,
            Self::Growth => 1.10,
            Self::Refusal => 8.0,
            Self::Hook => 1.60,
            Self::LineLength => 1.50,
            Self::LineRules => 1.25,
        }
    }

    /// What is hoped for; where nothing is, the limit.
    const fn aim(self) -> f64 {
        match self {
            Self::Example => 1.20,
            Self::Growth => 1.05,
            Self::Refusal => 8.0,
            Self::Hook => 1.30,
            Self::LineLength => 1.20,
            Self::LineRules => 1.10,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Example => "a pass with the example policy",
            Self::Growth => "10,000 rules over 10",
            Self::Refusal => "a refusal over `/bin/true`",
            Self::Hook => "a hook without a hit, over `/bin/true`",
            Self::LineLength => "a line ten times as long, by the character",
            Self::LineRules => "a line, 10,000 rules over 10",
        }
    }
}

pub struct Table {
    /// Why no bound can be judged, if none can.
    unjudged: Option<&'static str>,
    measured: Vec<(Bound, f64)>,
}

impl Table {
    pub fn open(floor: &Floor, effort: Effort) -> Self {
        println!(
            "Time of posix_spawn and wait: medians of the ratios of {} alternating rounds\n\
             (fewer where a program is slow), the median of {} repeats and their range.\n\
             The floor is static C (`{}`) that calls execve. PATH has {PATH_ENTRIES} entries, ours\n\
             first, /bin last.",
            effort.rounds(),
            effort.repeats(),
            floor.compiler(),
        );
        println!("\n{:<44}{:>7}  {:<13}{:>9}  bound", "", "ratio", "range", "ms");
        let unjudged = match (effort, floor.libc) {
            (Effort::Quick, _) => Some("this was a smoke, no measurement"),
            (_, Libc::Glibc) => Some("the floor needs `musl-gcc`: glibc's own start is slow"),
            _ => None,
        };
        Self { unjudged, measured: Vec::new() }
    }

    pub fn section(&self, title: &str) {
        println!("\n{title}");
    }

    pub fn row(&self, name: &str, ratio: Ratio) {
        println!("{}", line(name, ratio, "").trim_end());
    }

    pub fn judged(&mut self, name: &str, ratio: Ratio, bound: Option<Bound>) {
        let Some(bound) = bound else { return self.row(name, ratio) };
        let text = format!("≤ {:.2} (aim {:.2})", bound.limit(), bound.aim());
        println!("{}", line(name, ratio, &text));
        self.measured.push((bound, ratio.median));
    }

    /// How many lines are judged a second: for orientation.
    pub fn lines(&self, name: &str, a_second: f64) {
        println!("  {:<42}{:>34}", name, format!("{a_second:.0} a second"));
    }

    pub fn absent(&self, name: &str, reason: &str) {
        println!("  {name:<42} skipped: {reason}");
    }

    /// What a change of the policy costs the next call: for orientation.
    pub fn first_call(&self, name: &str, stage: &Stage) {
        let seconds = stage.first_call.as_secs_f64();
        println!("  {:<42}{:>34.2}", format!("{name}: the call that compiles"), seconds * 1e3);
    }

    /// A line for each bound; whether none is missed.
    pub fn close(&self) -> bool {
        println!();
        let verdicts = Bound::ALL.map(|bound| self.verdict(bound));
        verdicts.into_iter().all(|met| met)
    }

    fn verdict(&self, bound: Bound) -> bool {
        let measured = self.measured.iter().find(|(of, _)| *of == bound).map(|(_, ratio)| *ratio);
        let (word, met) = match (self.unjudged, measured) {
            (Some(reason), _) => (format!("not judged: {reason}"), true),
            (None, None) => ("not measured".into(), true),
            (None, Some(ratio)) if ratio <= bound.aim() => {
                (format!("met, aim included: {ratio:.2}"), true)
            }
            (None, Some(ratio)) if ratio <= bound.limit() => (format!("met: {ratio:.2}"), true),
            (None, Some(ratio)) => (format!("MISSED: {ratio:.2}"), false),
        };
        println!("{} ≤ {:.2}: {word}", bound.name(), bound.limit());
        met
    }
}

fn line(name: &str, ratio: Ratio, bound: &str) -> String {
    let range = format!("{:.2}–{:.2}", ratio.least, ratio.most);
    let milliseconds = ratio.seconds * 1e3;
    format!("  {name:<42}{:>7.2}  {range:<13}{milliseconds:>9.2}  {bound}", ratio.median)
}
