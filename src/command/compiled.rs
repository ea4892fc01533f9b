//! Descriptions as bytes, in which one is looked up without the others being unpacked: what
//! is compiled in costs nothing until it is asked for.

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{Catalogue, Clause, Description, Grammar, Wraps};

/// What is known of a described program before its grammar is read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// The name it was filed under.
    pub name: String,
    pub canonical: String,
    pub argv0_is_path: bool,
    /// Another command may stand in its arguments.
    pub wraps: bool,
    /// An option may change the directory it works in.
    pub changes_directory: bool,
    /// What it may do, as a set of acts.
    pub acts: u32,
}

impl Program {
    /// Under each of a description's names.
    pub fn all(description: &Description) -> impl Iterator<Item = Program> {
        let any = |of: fn(&Grammar) -> bool| description.grammars.values().any(of);
        let wraps = any(|grammar| grammar.wraps != Wraps::Nothing);
        let changes_directory = any(|grammar| !grammar.directory.is_empty());
        let acts = description.effects.values().flatten();
        let acts = acts.fold(0, |acts, clause| acts | clause.bit());
        let canonical = description.names.first().cloned().unwrap_or_default();
        description.names.iter().map(move |name| Program {
            name: name.clone(),
            canonical: canonical.clone(),
            argv0_is_path: description.argv0_is_path,
            wraps,
            changes_directory,
            acts,
        })
    }

    /// `python3.` of `python3.*`, without the digits and dots at its end.
    pub fn stem(&self) -> Option<&str> {
        self.name.strip_suffix('*').map(without_version)
    }

    /// Is this a name with a version behind, for one that ends in `*`?
    pub fn fits(&self, called: &[u8]) -> bool {
        let name = self.name.strip_suffix('*').unwrap_or(&self.name).as_bytes();
        called.len() > name.len() && called.starts_with(name)
    }
}

/// What stands before the digits and dots at the end of a name, if there are any.
pub fn stem(called: &[u8]) -> Option<&[u8]> {
    let version = |b: &&u8| b.is_ascii_digit() || **b == b'.';
    let version = called.iter().rev().take_while(version).count();
    called.get(..called.len() - version).filter(|_| version > 0)
}

/// A name without the digits and dots at its end.
pub fn without_version(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')
}

/// Catalogue in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Compiled<'a> {
    /// For each record its hash, its offset and its length, by hash.
    places: &'a [u8],
    records: &'a [u8],
}

/// Bytes of a place.
const PLACE: usize = 16;

#[derive(Clone, Copy)]
enum Key<'k> {
    Named(&'k [u8]),
    Versioned(&'k [u8]),
    Grammar(&'k str),
    /// A description without its grammars.
    Facts(&'k str),
    /// What each path of a program does.
    Effects(&'k str),
    /// Names of programs that `NAME=VALUE` words may stand before.
    Assigning,
    /// Names of programs that run commands in a container or on another host.
    Elsewhere,
    /// Every name there is.
    Names,
}

impl<'a> Compiled<'a> {
    /// Over what [`compile`] gave.
    pub const fn new(places: &'a [u8], records: &'a [u8]) -> Self {
        Compiled { places, records }
    }

    /// By its basename.
    pub fn program(self, called: &[u8]) -> Option<Program> {
        self.get(Key::Named(called)).or_else(|| {
            let stem = stem(called)?;
            let programs: Vec<Program> = self.get(Key::Versioned(stem))?;
            programs.into_iter().find(|program| program.fits(called))
        })
    }

    /// By the path of command and subcommands.
    pub fn grammar(self, path: &str) -> Option<Grammar> {
        self.get(Key::Grammar(path))
    }

    /// What a path of a program does to its arguments.
    pub fn effects(self, canonical: &str, path: &str) -> Vec<Clause> {
        let all: Vec<(String, Vec<Clause>)> = self.get(Key::Effects(canonical)).unwrap_or_default();
        all.into_iter().find(|(p, _)| p == path).map(|(_, clauses)| clauses).unwrap_or_default()
    }

    /// Everything but grammars, by canonical name.
    pub fn facts(self, canonical: &str) -> Option<Description> {
        self.get(Key::Facts(canonical))
    }

    /// Canonical names of `sudo`, `env` and their like.
    pub fn assigning(self) -> Vec<String> {
        self.get(Key::Assigning).unwrap_or_default()
    }

    /// Canonical names of `ssh`, `docker` and their like.
    pub fn elsewhere(self) -> Vec<String> {
        self.get(Key::Elsewhere).unwrap_or_default()
    }

    /// Every name of every description, for "did you mean".
    pub fn names(self) -> Vec<String> {
        self.get(Key::Names).unwrap_or_default()
    }

    fn get<T: DeserializeOwned>(self, key: Key<'_>) -> Option<T> {
        let Compiled { places, records } = self;
        let wanted = key.hash();
        let hash = |at: usize| u64_at(places, at * PLACE).unwrap_or_default();
        let count = places.len() / PLACE;
        let (mut low, mut high) = (0, count);
        while low < high {
            let middle = low.midpoint(high);
            if hash(middle) < wanted { low = middle + 1 } else { high = middle }
        }
        if low == count || hash(low) != wanted {
            return None;
        }
        let offset = u32_at(places, low * PLACE + 8)? as usize;
        let length = u32_at(places, low * PLACE + 12)? as usize;
        postcard::from_bytes(records.get(offset..offset.checked_add(length)?)?).ok()
    }
}

impl std::fmt::Debug for Compiled<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Compiled({} records)", self.places.len() / PLACE)
    }
}

impl Key<'_> {
    /// FNV-1a, 64 bits. That no two descriptions share one is checked when they are compiled;
    /// a name made to collide is read like the other.
    fn hash(self) -> u64 {
        let (tag, name): (u8, &[u8]) = match &self {
            Key::Named(name) => (1, name),
            Key::Versioned(stem) => (2, stem),
            Key::Grammar(path) => (3, path.as_bytes()),
            Key::Facts(canonical) => (4, canonical.as_bytes()),
            Key::Assigning => (5, b""),
            Key::Names => (6, b""),
            Key::Effects(canonical) => (7, canonical.as_bytes()),
            Key::Elsewhere => (8, b""),
        };
        let mix = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        name.iter().fold(mix(0xcbf2_9ce4_8422_2325, &tag), mix)
    }
}

/// Lays a catalogue out, as places and records; the error names what cannot be told apart.
pub fn compile(catalogue: &Catalogue) -> Result<(Vec<u8>, Vec<u8>), String> {
    let mut records: Vec<(u64, Vec<u8>)> = Vec::new();
    let mut add = |key: Key<'_>, record: Vec<u8>| records.push((key.hash(), record));
    let mut versioned: Vec<Program> = Vec::new();
    let (mut assigning, mut elsewhere) = (Vec::new(), Vec::new());
    for description in catalogue.iter() {
        for program in Program::all(description) {
            match program.stem() {
                Some(_) => versioned.push(program),
                None => add(Key::Named(program.name.as_bytes()), pack(&program)),
            }
        }
        for (path, grammar) in &description.grammars {
            add(Key::Grammar(path), pack(grammar));
        }
        let canonical = description.names.first().cloned().unwrap_or_default();
        if !description.effects.is_empty() {
            let effects: Vec<_> = description.effects.iter().collect();
            add(Key::Effects(&canonical), pack(&effects));
        }
        let facts = Description {
            grammars: Default::default(),
            effects: Default::default(),
            ..description.clone()
        };
        add(Key::Facts(&canonical), pack(&facts));
        elsewhere.extend(description.leads_elsewhere().then(|| canonical.clone()));
        assigning.extend(description.assigns().then_some(canonical));
    }
    add(Key::Assigning, pack(&assigning));
    add(Key::Elsewhere, pack(&elsewhere));
    let names = catalogue.iter().flat_map(|description| &description.names);
    add(Key::Names, pack(&names.collect::<Vec<_>>()));
    let mut stems: Vec<&str> = versioned.iter().filter_map(Program::stem).collect();
    stems.sort_unstable();
    stems.dedup();
    for stem in stems {
        let of_stem: Vec<&Program> = versioned.iter().filter(|p| p.stem() == Some(stem)).collect();
        add(Key::Versioned(stem.as_bytes()), pack(&of_stem));
    }
    records.sort_by_key(|(hash, _)| *hash);
    if records.windows(2).any(|pair| pair[0].0 == pair[1].0) {
        return Err("two descriptions have one name, or one hash".to_owned());
    }
    let (mut places, mut bytes) = (Vec::new(), Vec::new());
    for (hash, record) in records {
        places.extend(hash.to_le_bytes());
        places.extend((bytes.len() as u32).to_le_bytes());
        places.extend((record.len() as u32).to_le_bytes());
        bytes.extend(record);
    }
    Ok((places, bytes))
}

fn pack(record: &impl Serialize) -> Vec<u8> {
    // Plain data of our own types: postcard has no error to give for them.
    postcard::to_stdvec(record).unwrap_or_default()
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes)
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..at + 8)?.try_into().ok().map(u64::from_le_bytes)
}
