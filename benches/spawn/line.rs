//! The line judge alone, in this process: lines a second, and how its cost grows with the length of a
//! line and with the number of rules. Ratios are of alternating rounds, as everywhere here.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use embargo::policy::{Ancestry, Layer, Place, Rule, Verdict, judge_all};
use embargo::view::{Read, View, compile, encode};

use crate::pairs::Effort;
use crate::policies::Policy;
use crate::ratio::{self, Ratio};
use crate::table::{Bound, Table};

/// What an agent's line is made of: sequences, a pipe, a redirection, quotes, a variable.
const PART: &str = "cd app && make -j4 VERBOSE=1 2>&1 | sort -u > \"out/log.txt\"; echo 'it is built' \"$HOME\" x ;\n";

/// How long one side of a round takes at least.
const SLICE: Duration = Duration::from_millis(20);

/// Three rows and the two bounds.
pub fn rows(effort: Effort, table: &mut Table) -> Result<()> {
    table.section("the line judge, in process");
    let (ten, many) = (compiled(Policy::Spread(10))?, compiled(Policy::Spread(10_000))?);
    let example = compiled(Policy::Example)?;
    let line = |length: usize| -> String { PART.chars().cycle().take(length).collect() };
    for length in [100, 1_000, 10_000] {
        let text = line(length);
        let took = ratio::median((0..effort.repeats()).map(|_| took(&example, &text)).collect());
        table.lines(&format!("{length} characters, example policy"), 1.0 / took);
    }
    let (short, long) = (line(1_000), line(10_000));
    let growth = alternating(effort, (&example, &long), (&example, &short));
    // Ten times as long.
    let growth = Ratio {
        median: growth.median / 10.0,
        least: growth.least / 10.0,
        most: growth.most / 10.0,
        ..growth
    };
    table.judged("a character of 10,000, over one of 1,000", growth, Some(Bound::LineLength));
    let text = line(1_000);
    let rules = alternating(effort, (&many, &text), (&ten, &text));
    table.judged("1,000 characters: 10,000 rules, over 10", rules, Some(Bound::LineRules));
    Ok(())
}

fn compiled(policy: Policy) -> Result<Vec<u8>> {
    let bytes = Ok(policy.text().into_bytes());
    let source = Read { path: "/p/embargo.toml".into(), layer: Layer::User, bytes };
    let contents = compile(&[source], &[], &[], |_| Err("no such file".to_owned()));
    Ok(encode(&contents.map_err(|distrust| anyhow!("{}", distrust.message))?))
}

/// Seconds for one line.
fn took(view: &[u8], text: &str) -> f64 {
    let begin = Instant::now();
    let mut lines = 0_u32;
    while begin.elapsed() < SLICE || lines == 0 {
        judge(view, text);
        lines += 1;
    }
    begin.elapsed().as_secs_f64() / f64::from(lines)
}

fn alternating(effort: Effort, subject: (&[u8], &str), scale: (&[u8], &str)) -> Ratio {
    let repeat = |_| {
        let (mut ratios, mut times) = (Vec::new(), Vec::new());
        for _ in 0..effort.rounds() / 10 {
            let (subject, scale) = (took(subject.0, subject.1), took(scale.0, scale.1));
            ratios.push(subject / scale);
            times.push(subject);
        }
        (ratio::median(ratios), ratio::median(times))
    };
    Ratio::of(&(0..effort.repeats()).map(repeat).collect::<Vec<_>>())
}

/// As a hook has it judged, the view opened each time.
fn judge(bytes: &[u8], text: &str) {
    let Ok(view) = View::open(bytes) else { return };
    let mut calls = view.calls_of_line(std::hint::black_box(text), &Ancestry::default());
    if view.speaks_of_effects() {
        let place = Place { cwd: "/home/me/app".into(), homes: vec!["/home/me".into()] };
        view.add_effects(&mut calls, &Arc::new(place));
    }
    let rules = view.candidates(&calls);
    let rules: Vec<&Rule> = rules.iter().collect();
    std::hint::black_box(matches!(judge_all(&rules, &[], &calls), Verdict::Pass(_)));
}
