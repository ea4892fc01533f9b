//! Policy → bytes.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::Serialize;

use crate::command::{Catalogue, Program};
use crate::policy::{Form, Policy, Rule};

use super::key::{Key, trigrams};
use super::read::{HEADER, Header, SLOT, check};
use super::{BUILD_ID, SourceRecord};

/// Everything a view holds.
#[derive(Debug, Clone, Default)]
pub struct Contents {
    pub policy: Policy,
    pub catalogue: Catalogue,
    pub sources: Vec<SourceRecord>,
    /// Said on every call while it holds: a broken project file, in one line each.
    pub notices: Vec<String>,
    /// Names refused with 88, and why: a broken project file mentions them.
    pub distrusted: BTreeMap<String, String>,
    /// Text of each project source, and of what is extended, by path: the last that was good.
    pub texts: Vec<(Vec<u8>, Vec<u8>)>,
}

/// Lays the contents out. Deterministic: the same contents give the same bytes.
pub fn encode(contents: &Contents) -> Vec<u8> {
    let mut table = Table::default();
    file_rules(&contents.policy.rules, &mut table);
    for name in &contents.policy.reserved {
        table.add(Key::Reserved(name.name.as_bytes()), name);
    }
    for protect in &contents.policy.protects {
        table.add(Key::Protects, protect);
    }
    for accepted in &contents.policy.acceptances {
        for form in &accepted.forms {
            table.add(Key::Accepted(form.program().as_bytes()), accepted);
            // The mark by which its calls are looked at.
            table.mark(Key::Word(form.program().as_bytes(), b""));
        }
    }
    file_descriptions(&contents.catalogue, &mut table);

    let mut bytes = vec![0; HEADER];
    let section = |bytes: &mut Vec<u8>, data: Vec<u8>| {
        let place = (bytes.len() as u32, data.len() as u32);
        bytes.extend(data);
        place
    };
    let sources = section(&mut bytes, checked(pack(&contents.sources)));
    let settings = section(&mut bytes, checked(pack(&contents.policy.settings)));
    let notices = section(&mut bytes, checked(pack(&contents.notices)));
    let distrusted = section(&mut bytes, checked(pack(&contents.distrusted)));
    let (slots, mut data) = table.lay_out();
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    let slots = section(&mut bytes, slots);
    let records = bytes.len() as u32;
    bytes.append(&mut data);
    let texts = section(&mut bytes, checked(pack(&contents.texts)));

    let acts = contents.policy.rules.iter().map(|rule| rule.subject.effects.acts());
    let acts = acts.fold(0, |all, acts| all | acts);
    let header = Header {
        length: bytes.len() as u32,
        sources,
        settings,
        notices: if contents.notices.is_empty() { (0, 0) } else { notices },
        distrusted: if contents.distrusted.is_empty() { (0, 0) } else { distrusted },
        slots,
        records,
        texts,
        rules: contents.policy.rules.len() as u32,
        acts,
    };
    header.write(BUILD_ID, &mut bytes);
    bytes
}

fn file_rules(rules: &[Rule], table: &mut Table) {
    let mut common: HashMap<[u8; 3], u32> = HashMap::new();
    let (mut shorts, mut spoken) = (HashSet::new(), HashSet::new());
    for gram in rules.iter().flat_map(|rule| trigrams(literal(rule).as_bytes())) {
        *common.entry(gram).or_default() += 1;
    }
    for rule in rules {
        // The rarest part of what must occur in the text.
        let rare = trigrams(literal(rule).as_bytes())
            .min_by_key(|gram| common.get(gram).copied().unwrap_or_default());
        for form in &rule.subject.fed_by {
            table.add(Key::Feeders, form);
        }
        let effects = &rule.subject.effects;
        if rule.subject.forms.is_empty() && !effects.is_empty() {
            table.add_rule(Key::Acts, rule);
            for program in &effects.runs {
                table.add_rule(Key::Program(program.as_bytes()), rule);
            }
        } else if rule.subject.forms.is_empty() {
            match (rare, literal(rule)) {
                (Some(gram), _) => {
                    table.add_rule(Key::Trigram(b"", gram), rule);
                    table.mark(Key::HasTrigrams(b""));
                }
                (None, "") => table.add_rule(Key::Everything, rule),
                (None, short) => {
                    table.add_rule(Key::Short(short), rule);
                    if shorts.insert(short) {
                        table.add(Key::Shorts, &short);
                    }
                }
            }
        }
        for form in &rule.subject.forms {
            if spoken.insert(form.program()) {
                table.add(Key::Spoken, &form.program());
            }
            let program = form.program().as_bytes();
            match (form, rare) {
                // Its text is not the call's own.
                _ if !rule.subject.fed_by.is_empty() => {
                    table.add_rule(Key::Program(program), rule);
                }
                // A fragment's text is the whole line: the program alone finds it.
                (Form::Fragment { .. }, _) => table.add_rule(Key::Program(program), rule),
                (_, Some(gram)) => {
                    table.add_rule(Key::Trigram(program, gram), rule);
                    table.mark(Key::HasTrigrams(program));
                }
                (Form::Command { words, .. }, None) if !words.is_empty() => {
                    table.add_rule(Key::Word(program, words[0].as_bytes()), rule);
                    table.mark(Key::Word(program, b""));
                }
                _ => table.add_rule(Key::Program(program), rule),
            }
        }
    }
}

/// What must occur in the text for the rule to hit; empty when nothing must.
fn literal(rule: &Rule) -> &str {
    let contains = rule.subject.contains.as_deref().unwrap_or_default();
    let required = rule.subject.pattern.as_ref().map_or("", |p| p.required());
    if contains.len() >= required.len() { contains } else { required }
}

/// Those of the user: what is compiled in needs no copy.
fn file_descriptions(catalogue: &Catalogue, table: &mut Table) {
    for description in catalogue.iter() {
        for (path, grammar) in &description.grammars {
            table.add(Key::Grammar(path), grammar);
        }
        if let Some(canonical) = description.names.first() {
            table.add(Key::Effects(canonical.as_bytes()), &description.effects);
        }
        for program in Program::all(description) {
            match program.stem() {
                Some(stem) => table.add(Key::Versioned(stem.as_bytes()), &program),
                None => table.add(Key::Named(program.name.as_bytes()), &program),
            }
        }
    }
}

/// Records by the hash of their key.
#[derive(Default)]
struct Table {
    buckets: BTreeMap<u64, Vec<u8>>,
}

impl Table {
    /// Appends a length-prefixed record.
    fn add(&mut self, key: Key<'_>, record: &impl Serialize) {
        let record = pack(record);
        let bucket = self.buckets.entry(key.hash()).or_default();
        bucket.extend((record.len() as u32).to_le_bytes());
        bucket.extend(record);
    }

    fn add_rule(&mut self, key: Key<'_>, rule: &Rule) {
        self.add(key, rule);
    }

    fn mark(&mut self, key: Key<'_>) {
        self.buckets.entry(key.hash()).or_default();
    }

    /// Open addressing, at most half full: slots of hash, offset and check; then the buckets,
    /// each with its length and its check before the records.
    fn lay_out(self) -> (Vec<u8>, Vec<u8>) {
        let count = (self.buckets.len() * 2).next_power_of_two().max(8);
        let mut slots = vec![0u8; count * SLOT];
        let mut data = Vec::new();
        for (hash, bucket) in self.buckets {
            let mut at = hash as usize & (count - 1);
            while slots[at * SLOT..at * SLOT + 8] != [0; 8] {
                at = (at + 1) & (count - 1);
            }
            let slot = &mut slots[at * SLOT..(at + 1) * SLOT];
            slot[..8].copy_from_slice(&hash.to_le_bytes());
            slot[8..12].copy_from_slice(&(data.len() as u32).to_le_bytes());
            let sum = check([&slot[..12]]);
            slot[12..].copy_from_slice(&sum.to_le_bytes());
            let length = (bucket.len() as u32).to_le_bytes();
            data.extend(length);
            data.extend(check([&length, &bucket]).to_le_bytes());
            data.extend(bucket);
        }
        (slots, data)
    }
}

/// With its check in front.
fn checked(content: Vec<u8>) -> Vec<u8> {
    [&check([&content]).to_le_bytes()[..], &content].concat()
}

fn pack(record: &impl Serialize) -> Vec<u8> {
    // Plain data of our own types: postcard has no error to give for them.
    postcard::to_stdvec(record).unwrap_or_default()
}
