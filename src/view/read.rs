//! Bytes → the few records a call needs. What is read is checked first, and only
//! that: the cost does not grow with the number of rules.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use serde::de::DeserializeOwned;

use crate::command::{Clause, Grammar, Program, Words, stem};
use crate::config::BUILT_IN;
use crate::policy::{Accepted, Form, Invocation, Protect, Reserved, Rule, Settings};

use super::key::{Key, trigrams};
use super::{BUILD_ID, SourceRecord};

/// Bytes before the first section.
pub(super) const HEADER: usize = 92;
/// Bytes of one slot of the table.
pub(super) const SLOT: usize = 16;

const MAGIC: &[u8; 8] = b"embargoV";

/// Where the header's own check stands, after all that it covers.
const CHECK: usize = HEADER - 4;

/// A view over bytes, mapped or in memory.
#[derive(Debug)]
pub struct View<'a> {
    bytes: &'a [u8],
    header: Header,
    is_damaged: Cell<bool>,
    /// Those that were read: a long line asks for the same ones again and again.
    grammars: RefCell<BTreeMap<String, Rc<Grammar>>>,
}

/// These bytes are no view of this build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Damaged;

#[derive(Debug, Clone, Copy)]
pub(super) struct Header {
    pub length: u32,
    pub sources: (u32, u32),
    pub settings: (u32, u32),
    pub notices: (u32, u32),
    pub distrusted: (u32, u32),
    pub slots: (u32, u32),
    pub records: u32,
    pub texts: (u32, u32),
    pub rules: u32,
    /// What rules on effects speak of, as a set of acts.
    pub acts: u32,
}

impl Header {
    fn fields(&self) -> [u32; 16] {
        let Header {
            length,
            sources,
            settings,
            notices,
            distrusted,
            slots,
            records,
            texts,
            rules,
            acts,
        } = *self;
        [
            length,
            sources.0,
            sources.1,
            settings.0,
            settings.1,
            notices.0,
            notices.1,
            distrusted.0,
            distrusted.1,
            slots.0,
            slots.1,
            records,
            texts.0,
            texts.1,
            rules,
            acts,
        ]
    }

    pub(super) fn write(&self, build: &str, bytes: &mut [u8]) {
        bytes[..8].copy_from_slice(MAGIC);
        bytes[8..24].copy_from_slice(&build.as_bytes()[..16]);
        for (i, field) in self.fields().iter().enumerate() {
            bytes[24 + i * 4..28 + i * 4].copy_from_slice(&field.to_le_bytes());
        }
        let check = check([&bytes[..CHECK]]);
        bytes[CHECK..HEADER].copy_from_slice(&check.to_le_bytes());
    }

    fn read(bytes: &[u8]) -> Option<Header> {
        if bytes.get(..8)? != MAGIC || bytes.get(8..24)? != &BUILD_ID.as_bytes()[..16] {
            return None;
        }
        if u32_at(bytes, CHECK)? != check([bytes.get(..CHECK)?]) {
            return None;
        }
        let f = |i: usize| u32_at(bytes, 24 + i * 4);
        Some(Header {
            length: f(0)?,
            sources: (f(1)?, f(2)?),
            settings: (f(3)?, f(4)?),
            notices: (f(5)?, f(6)?),
            distrusted: (f(7)?, f(8)?),
            slots: (f(9)?, f(10)?),
            records: f(11)?,
            texts: (f(12)?, f(13)?),
            rules: f(14)?,
            acts: f(15)?,
        })
    }
}

impl<'a> View<'a> {
    /// Takes bytes as a view; refuses what is not whole or not of this build.
    pub fn open(bytes: &'a [u8]) -> Result<Self, Damaged> {
        let header = Header::read(bytes).ok_or(Damaged)?;
        let slots = header.slots.1 as usize / SLOT;
        if header.length as usize != bytes.len() || !slots.is_power_of_two() {
            return Err(Damaged);
        }
        let (is_damaged, grammars) = (Cell::new(false), RefCell::default());
        Ok(View { bytes, header, is_damaged, grammars })
    }

    /// Was everything sound that was read so far? If not, what was said does not count.
    pub fn is_whole(&self) -> bool {
        !self.is_damaged.get()
    }

    /// The files it was made from.
    pub fn sources(&self) -> Result<Vec<SourceRecord>, Damaged> {
        self.section(self.header.sources)
    }

    pub fn settings(&self) -> Settings {
        self.section(self.header.settings).unwrap_or_default()
    }

    /// What is said on every call while it holds.
    pub fn notices(&self) -> Vec<String> {
        if self.header.notices.1 == 0 {
            return Vec::new();
        }
        self.section(self.header.notices).unwrap_or_default()
    }

    /// Why this name cannot be trusted to be free: a broken file mentions it.
    pub fn distrust(&self, called: &str) -> Option<String> {
        if self.header.distrusted.1 == 0 {
            return None;
        }
        let names: BTreeMap<String, String> = self.section(self.header.distrusted).ok()?;
        names.get(called).cloned()
    }

    /// The last good text of each project source.
    pub fn texts(&self) -> Vec<(Vec<u8>, Vec<u8>)> {
        self.section(self.header.texts).unwrap_or_default()
    }

    /// How many rules are in force.
    pub fn rule_count(&self) -> u32 {
        self.header.rules
    }

    /// What is known of a program by its basename: by the user's descriptions, else by ours.
    pub fn program(&self, called: &[u8]) -> Option<Program> {
        let direct =
            self.records::<Program>(Key::Named(called)).find(|p| p.name.as_bytes() == called);
        let versioned = || {
            let mut found = self.records::<Program>(Key::Versioned(stem(called)?));
            found.find(|program| program.fits(called))
        };
        direct.or_else(versioned).or_else(|| BUILT_IN.program(called))
    }

    /// The grammar of a command path. A program that the user describes is the user's alone.
    pub fn grammar(&self, path: &str) -> Option<Rc<Grammar>> {
        if let Some(grammar) = self.grammars.borrow().get(path) {
            return Some(Rc::clone(grammar));
        }
        let program = path.split(' ').next().unwrap_or(path);
        let grammar = match self.bucket(Key::Grammar(program)) {
            Some(_) => self.records(Key::Grammar(path)).next(),
            None => BUILT_IN.grammar(path),
        };
        let grammar = Rc::new(grammar?);
        self.grammars.borrow_mut().insert(path.to_owned(), Rc::clone(&grammar));
        Some(grammar)
    }

    /// Does any rule speak of what calls do?
    pub fn speaks_of_effects(&self) -> bool {
        self.header.acts != 0
    }

    /// What feeds the commands that rules speak of.
    pub(super) fn feeding(&self) -> Vec<Form> {
        self.records(Key::Feeders).collect()
    }

    /// What the arguments of a path of command and subcommands undergo.
    pub(super) fn clauses(&self, path: &str) -> Vec<Clause> {
        let program = path.split(' ').next().unwrap_or(path);
        if self.bucket(Key::Grammar(program)).is_none() {
            return BUILT_IN.effects(program, path);
        }
        let mut all =
            self.records::<BTreeMap<String, Vec<Clause>>>(Key::Effects(program.as_bytes()));
        all.find_map(|mut all| all.remove(path)).unwrap_or_default()
    }

    /// The reserved name, if it is one.
    pub fn reserved(&self, words: &Words) -> Vec<Reserved> {
        let called = words.called();
        let mut found: Vec<Reserved> = self.records(Key::Reserved(called)).collect();
        if words.program() != called {
            found.extend(self.records(Key::Reserved(words.program())));
        }
        found
    }

    /// The check that a call is, if it is one.
    pub fn accepted(&self, call: &Invocation) -> Option<Accepted> {
        let names = [call.words.called(), call.words.program()];
        let all = names.into_iter().flat_map(|name| self.records(Key::Accepted(name)));
        all.into_iter().find(|accepted: &Accepted| accepted.is_met_by(call))
    }

    /// What is protected without any check.
    pub fn protects(&self) -> Vec<Protect> {
        self.records(Key::Protects).collect()
    }

    /// Is there any?
    pub fn protects_anything(&self) -> bool {
        self.bucket(Key::Protects).is_some()
    }

    /// Could any rule or reserved name speak of a call of this program, as far as its name tells?
    /// `program` is what [`View::program`] knows of that name.
    pub fn may_speak_of(&self, called: &[u8], program: Option<&Program>) -> bool {
        if program.is_some_and(|program| program.acts & self.header.acts != 0) {
            return true;
        }
        let names = [Some(called), program.map(|program| program.canonical.as_bytes())];
        names.into_iter().flatten().any(|name| {
            self.bucket(Key::Program(name)).is_some()
                || self.bucket(Key::HasTrigrams(name)).is_some()
                || self.bucket(Key::Reserved(name)).is_some()
                || self.bucket(Key::Word(name, b"")).is_some()
        })
    }

    /// Programs that rules speak of, by their names or by what they do.
    pub(super) fn spoken_of(&self) -> Vec<String> {
        let named = self.records::<String>(Key::Spoken);
        let acts = BUILT_IN.names().into_iter().filter(|name| {
            self.may_speak_of(name.as_bytes(), self.program(name.as_bytes()).as_ref())
        });
        let mut names: Vec<String> = named.chain(acts).collect();
        names.sort();
        names.dedup();
        names
    }

    /// Could a rule over any command's text hit this one?
    pub fn may_speak_of_text(&self, text: &str) -> bool {
        let has = |gram| self.bucket(Key::Trigram(b"", gram)).is_some();
        self.bucket(Key::Everything).is_some()
            || self.bucket(Key::HasTrigrams(b"")).is_some() && trigrams(text.as_bytes()).any(has)
            || self.shorts_in(text).next().is_some()
    }

    fn shorts_in(&self, text: &str) -> impl Iterator<Item = String> {
        self.records(Key::Shorts).filter(move |literal: &String| text.contains(literal.as_str()))
    }

    /// Rules that may hit one of these calls: a superset of those that do.
    pub fn candidates(&self, calls: &[Invocation]) -> Vec<Rule> {
        let mut found: Vec<Rule> = self.records(Key::Everything).collect();
        let mut seen = BTreeSet::new();
        let mut whole = "";
        if calls.iter().any(|call| !call.effects.is_empty()) {
            self.collect(Key::Acts, &mut seen, &mut found);
        }
        for call in calls {
            let called: &[u8] = call.words.called();
            let program: &[u8] = call.words.program();
            let names = [called, program];
            let names = if called == program { &names[..1] } else { &names[..] };
            for name in names.iter().copied() {
                self.collect(Key::Program(name), &mut seen, &mut found);
                for word in call.words.words() {
                    self.collect(Key::Word(name, &word.text), &mut seen, &mut found);
                    if !word.doubtful {
                        break;
                    }
                }
                self.collect_text(name, &call.text, &mut seen, &mut found);
            }
            // The calls of a line have their whole text in common.
            if std::ptr::eq(whole, call.whole()) {
                continue;
            }
            whole = call.whole();
            self.collect_text(b"", whole, &mut seen, &mut found);
            for short in self.shorts_in(whole) {
                self.collect(Key::Short(&short), &mut seen, &mut found);
            }
        }
        found
    }

    fn collect_text(
        &self,
        name: &[u8],
        text: &str,
        seen: &mut BTreeSet<u64>,
        found: &mut Vec<Rule>,
    ) {
        if self.bucket(Key::HasTrigrams(name)).is_none() {
            return;
        }
        for gram in trigrams(text.as_bytes()) {
            self.collect(Key::Trigram(name, gram), seen, found);
        }
    }

    fn collect(&self, key: Key<'_>, seen: &mut BTreeSet<u64>, found: &mut Vec<Rule>) {
        let Some(bucket) = self.bucket(key) else { return };
        if seen.insert(key.hash()) {
            found.extend(self.unpack_all(bucket));
        }
    }

    fn records<T: DeserializeOwned>(&self, key: Key<'_>) -> impl Iterator<Item = T> {
        self.unpack_all(self.bucket(key).unwrap_or_default())
    }

    fn unpack_all<T: DeserializeOwned>(&self, rest: &'a [u8]) -> impl Iterator<Item = T> {
        Records { rest }.filter_map(|record| self.sound(unpack(record)))
    }

    /// Nothing where something must be is damage.
    fn sound<T>(&self, found: Option<T>) -> Option<T> {
        if found.is_none() {
            self.is_damaged.set(true);
        }
        found
    }

    fn bucket(&self, key: Key<'_>) -> Option<&'a [u8]> {
        let (start, length) = (self.header.slots.0 as usize, self.header.slots.1 as usize);
        let slots = self.sound(self.bytes.get(start..start.checked_add(length)?))?;
        let count = length / SLOT;
        let hash = key.hash();
        // At most one turn around: a damaged table without a free slot ends too.
        for step in 0..count {
            let at = ((hash as usize).wrapping_add(step) & (count - 1)) * SLOT;
            let slot = slots.get(at..at + SLOT)?;
            if slot == [0; SLOT] {
                return None;
            }
            let (content, sum) = slot.split_at(SLOT - 4);
            self.sound((sum == check([content]).to_le_bytes()).then_some(()))?;
            if content.starts_with(&hash.to_le_bytes()) {
                return self.sound(self.checked(u32_at(content, 8)?));
            }
        }
        self.sound(None)
    }

    /// The bucket at this distance from the first: its length, its check, its records.
    fn checked(&self, offset: u32) -> Option<&'a [u8]> {
        let at = (self.header.records as usize).checked_add(offset as usize)?;
        let length = self.bytes.get(at..at.checked_add(4)?)?;
        let start = at + 8;
        let end = start.checked_add(u32_at(length, 0)? as usize)?;
        let records = self.bytes.get(start..end)?;
        (u32_at(self.bytes, at + 4)? == check([length, records])).then_some(records)
    }

    fn section<T: DeserializeOwned>(&self, (offset, length): (u32, u32)) -> Result<T, Damaged> {
        let (offset, length) = (offset as usize, length as usize);
        let bytes = offset.checked_add(length).and_then(|end| self.bytes.get(offset..end));
        let content = bytes.and_then(|bytes| {
            let content = bytes.get(4..)?;
            (u32_at(bytes, 0)? == check([content])).then_some(content)
        });
        self.sound(content.and_then(unpack)).ok_or(Damaged)
    }
}

/// FNV-1a, 32 bits: no change of a single byte leaves it as it was.
pub(super) fn check<const N: usize>(parts: [&[u8]; N]) -> u32 {
    let mix = |sum: u32, byte: &u8| (sum ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
    parts.into_iter().flatten().fold(0x811c_9dc5, mix)
}

/// Length-prefixed records of a bucket.
struct Records<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Records<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let length = u32_at(self.rest, 0)? as usize;
        let record = self.rest.get(4..4usize.checked_add(length)?)?;
        self.rest = &self.rest[4 + length..];
        Some(record)
    }
}

fn unpack<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    postcard::from_bytes(bytes).ok()
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes)
}
