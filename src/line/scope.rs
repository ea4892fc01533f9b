//! What earlier commands of a line leave for later ones: literal variables, functions and the
//! working directory. What may or may not have happened is not known.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use bstr::{BString, ByteSlice};

use super::command::Directory;
use super::places::{Outcome, Places};
use super::rounds::Body;

/// So many variables, of so many bytes each, are remembered.
const VARIABLES: usize = 64;
const BYTES: usize = 4096;

/// What a variable makes of what is assigned to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attribute {
    Lower,
    Upper,
    /// It stands for another.
    Reference(String),
    /// Arithmetic, or what is not looked into.
    Other,
}

/// A variable as it was before a function made one of its own.
#[derive(Debug)]
pub struct Local {
    name: String,
    value: Option<BString>,
    list: Option<Vec<BString>>,
    attribute: Option<Attribute>,
}

/// The state of the shell at one place of the line.
#[derive(Clone, PartialEq, Eq)]
pub struct Scope {
    /// Those that are known; any other is not.
    variables: Rc<BTreeMap<String, BString>>,
    lists: Rc<BTreeMap<String, Vec<BString>>>,
    attributes: Rc<BTreeMap<String, Attribute>>,
    functions: Rc<BTreeMap<String, Body>>,
    /// What other commands' names stand for, as text.
    renamed: Rc<BTreeMap<String, String>>,
    /// What `exec` has made of standard input.
    pub input: Option<Arc<str>>,
    pub places: Places,
    /// Where `cd -` leads.
    before: Option<Places>,
    /// Directories that the line has made, as they were named, and variables that hold one.
    made: Rc<Vec<BString>>,
    /// `set -e`
    pub stops_at_failure: bool,
    /// `IFS` was assigned: what is not quoted is split who knows where.
    pub splits_oddly: bool,
}

impl Scope {
    /// Nothing else is known.
    pub fn at(places: Places) -> Self {
        Scope {
            variables: Rc::default(),
            lists: Rc::default(),
            attributes: Rc::default(),
            functions: Rc::default(),
            renamed: Rc::default(),
            input: None,
            places,
            before: None,
            made: Rc::default(),
            stops_at_failure: false,
            splits_oddly: false,
        }
    }

    /// What a script is given: `$0`, `$1`, …
    pub fn give(&mut self, parameters: &[BString]) {
        for (nth, parameter) in parameters.iter().enumerate().take(VARIABLES) {
            self.set(&nth.to_string(), Some(parameter.clone()));
        }
        let count = parameters.len().saturating_sub(1);
        if !parameters.is_empty() && parameters.len() < VARIABLES {
            self.set("#", Some(count.to_string().into()));
        }
    }

    /// `$1` and all behind it, where they are known.
    pub fn positional(&self) -> Option<Vec<&BString>> {
        let count: usize = self.get("#")?.to_string().parse().ok()?;
        (1..=count).map(|nth| self.get(&nth.to_string())).collect()
    }

    /// `$1` and the others, to be given back.
    pub fn positionals(&self) -> Vec<(String, BString)> {
        let is_positional = |name: &str| name == "#" || name.parse::<usize>().is_ok();
        let named = self.variables.iter().filter(|(name, _)| is_positional(name));
        named.map(|(name, value)| (name.clone(), value.clone())).collect()
    }

    /// Gives these back.
    pub fn restore(&mut self, positionals: Vec<(String, BString)>) {
        for (name, value) in positionals {
            self.set(&name, Some(value));
        }
    }

    /// A function has the `$0` of its caller.
    pub fn keep_zero(&mut self, before: &[(String, BString)]) {
        let zero = before.iter().find(|(name, _)| name == "0").map(|(_, zero)| zero.clone());
        self.set("0", zero);
    }

    /// A variable as it is.
    pub fn local(&self, name: &str) -> Local {
        Local {
            name: name.to_owned(),
            value: self.variables.get(name).cloned(),
            list: self.lists.get(name).cloned(),
            attribute: self.attributes.get(name).cloned(),
        }
    }

    /// A variable is again as it was.
    pub fn put_back(&mut self, local: Local) {
        let Local { name, value, list, attribute } = local;
        match attribute {
            Some(attribute) => {
                drop(Rc::make_mut(&mut self.attributes).insert(name.clone(), attribute))
            }
            None if self.attributes.contains_key(&name) => {
                Rc::make_mut(&mut self.attributes).remove(&name);
            }
            None => {}
        }
        match list {
            Some(list) => self.set_list(&name, Some(list)),
            None => {
                Rc::make_mut(&mut self.lists).remove(&name);
                self.put(&name, value);
            }
        }
    }

    /// `shift`
    pub fn shift(&mut self, count: usize) {
        let given: Option<Vec<BString>> =
            self.positional().map(|given| given.into_iter().cloned().collect());
        let zero = self.get("0").cloned().unwrap_or_default();
        self.forget_positional();
        if let Some(left) = given.as_ref().and_then(|given| given.get(count..)) {
            let given: Vec<BString> = std::iter::once(zero).chain(left.iter().cloned()).collect();
            self.give(&given);
        }
    }

    /// `set`, `shift`: `$0` stays.
    pub fn forget_positional(&mut self) {
        let is_positional = |name: &String| name == "#" || name.parse().is_ok_and(|n: usize| n > 0);
        let named: Vec<String> =
            self.variables.keys().filter(|name| is_positional(name)).cloned().collect();
        named.iter().for_each(|name| self.set(name, None));
    }

    /// The value of a variable.
    pub fn get(&self, name: &str) -> Option<&BString> {
        match self.attributes.get(name) {
            Some(Attribute::Reference(other)) => self.variables.get(other),
            _ => self.variables.get(name).or_else(|| self.lists.get(name)?.first()),
        }
    }

    /// The elements of an array.
    pub fn list(&self, name: &str) -> Option<&Vec<BString>> {
        self.lists.get(name)
    }

    /// An array gets these elements.
    pub fn set_list(&mut self, name: &str, list: Option<Vec<BString>>) {
        self.set(name, None);
        let is_short =
            |list: &Vec<BString>| list.iter().map(|word| word.len()).sum::<usize>() <= BYTES;
        if let Some(list) = list.filter(is_short)
            && self.lists.len() < VARIABLES
            && !self.attributes.contains_key(name)
        {
            Rc::make_mut(&mut self.lists).insert(name.to_owned(), list);
        }
    }

    /// What is assigned to a variable is no longer what it gets.
    pub fn twist(&mut self, name: &str, attribute: Attribute) {
        self.set(name, None);
        if self.attributes.len() < VARIABLES {
            Rc::make_mut(&mut self.attributes).insert(name.to_owned(), attribute);
        }
    }

    /// Another command's name stands for this text, or no longer.
    pub fn rename(&mut self, name: &str, text: Option<String>) {
        match text {
            Some(text) if self.renamed.len() < VARIABLES => {
                Rc::make_mut(&mut self.renamed).insert(name.to_owned(), text);
            }
            _ if self.renamed.contains_key(name) => {
                Rc::make_mut(&mut self.renamed).remove(name);
            }
            _ => {}
        }
    }

    pub fn renamed(&self, name: &str) -> Option<&str> {
        self.renamed.get(name).map(String::as_str)
    }

    /// A variable gets this value, or one that is not known.
    pub fn set(&mut self, name: &str, value: Option<BString>) {
        self.splits_oddly |= name == "IFS";
        if self.lists.contains_key(name) {
            Rc::make_mut(&mut self.lists).remove(name);
        }
        let value = match self.attributes.get(name) {
            None => value,
            Some(Attribute::Lower) => value.map(|value| value.to_ascii_lowercase().into()),
            Some(Attribute::Upper) => value.map(|value| value.to_ascii_uppercase().into()),
            Some(Attribute::Reference(other)) => {
                let other = other.clone();
                self.put(&other, value);
                None
            }
            Some(Attribute::Other) => None,
        };
        self.put(name, value);
    }

    fn put(&mut self, name: &str, value: Option<BString>) {
        if !self.made.is_empty() {
            let is_it = |made: &BString| {
                made.trim_start_with(|c| matches!(c, '$' | '{')).trim_end_with(|c| c == '}')
                    == name.as_bytes()
            };
            Rc::make_mut(&mut self.made).retain(|made| !made.starts_with(b"$") || !is_it(made));
        }
        let is_new = !self.variables.contains_key(name);
        match value.filter(|value| value.len() <= BYTES) {
            Some(value) if !is_new || self.variables.len() < VARIABLES => {
                Rc::make_mut(&mut self.variables).insert(name.to_owned(), value);
            }
            _ if is_new => {}
            _ => drop(Rc::make_mut(&mut self.variables).remove(name)),
        }
    }

    /// Something runs that may change any of it.
    pub fn forget(&mut self) {
        let knows_nothing = self.variables.is_empty()
            && self.lists.is_empty()
            && self.input.is_none()
            && self.before.is_none()
            && self.made.is_empty()
            && !self.splits_oddly;
        if knows_nothing && self.places.are_unknown() {
            return;
        }
        let (functions, attributes) = (Rc::clone(&self.functions), Rc::clone(&self.attributes));
        let (renamed, stops_at_failure) = (Rc::clone(&self.renamed), self.stops_at_failure);
        let nowhere = Scope::at(Places::only(Directory::Unknown));
        *self = Scope { functions, attributes, renamed, stops_at_failure, ..nowhere };
    }

    /// A text runs, perhaps more than once, that may change each variable it names.
    pub fn forget_named_in(&mut self, text: &str) {
        let is_named = |name: &str| {
            let expanded = |at: usize| text[..at].ends_with('$') || text[..at].ends_with("${");
            text.match_indices(name).any(|(at, _)| !expanded(at))
        };
        let known = self.variables.keys().chain(self.lists.keys());
        let named: Vec<String> = known.filter(|name| is_named(name)).cloned().collect();
        for name in named {
            self.set(&name, None);
        }
        let moves = |word: &str| text.contains(word);
        if moves("cd ") || moves("pushd") || moves("popd") || moves("eval") {
            self.places = Places::only(Directory::Unknown);
        }
    }

    /// The same for a loop: where its first round works is known.
    pub fn go_round(&mut self, text: &str) {
        let places = self.places.clone();
        self.forget_named_in(text);
        self.places = places;
    }

    /// A function is defined.
    pub fn define(&mut self, name: &str, body: Body) {
        if self.functions.len() < VARIABLES || self.functions.contains_key(name) {
            Rc::make_mut(&mut self.functions).insert(name.to_owned(), body);
        }
    }

    /// The body of a function.
    pub fn function(&self, name: &str) -> Option<&Body> {
        self.functions.get(name)
    }

    /// A command runs, which may be a function.
    pub fn call(&mut self, name: &str) {
        if let Some(body) = self.functions.get(name).cloned() {
            self.forget_named_in(&body.text);
        }
    }

    /// After one or the other.
    pub fn or(mut self, other: &Scope) -> Self {
        if !Rc::ptr_eq(&self.variables, &other.variables) {
            let same = |name: &String, value: &mut BString| other.get(name) == Some(value);
            Rc::make_mut(&mut self.variables).retain(same);
        }
        if !Rc::ptr_eq(&self.lists, &other.lists) {
            let same = |name: &String, list: &mut Vec<BString>| other.list(name) == Some(list);
            Rc::make_mut(&mut self.lists).retain(same);
        }
        if !Rc::ptr_eq(&self.attributes, &other.attributes) {
            let all = other.attributes.iter().map(|(name, of)| (name.clone(), of.clone()));
            Rc::make_mut(&mut self.attributes).extend(all);
        }
        if !Rc::ptr_eq(&self.renamed, &other.renamed) {
            let all = other.renamed.iter().map(|(name, text)| (name.clone(), text.clone()));
            Rc::make_mut(&mut self.renamed).extend(all);
        }
        if self.input != other.input {
            self.input = None;
        }
        self.places.or(&other.places);
        if self.before != other.before {
            self.before = None;
        }
        if !Rc::ptr_eq(&self.made, &other.made) {
            Rc::make_mut(&mut self.made).retain(|made| other.made.contains(made));
        }
        self.stops_at_failure &= other.stops_at_failure;
        if !Rc::ptr_eq(&self.functions, &other.functions) {
            let functions = Rc::make_mut(&mut self.functions);
            // Which of them it is, or whether it is one, is not known.
            for (name, body) in functions.iter_mut() {
                body.is_whole &= other.functions.get(name) == Some(body);
            }
            for (name, body) in &*other.functions {
                let body = Body { is_whole: false, ..body.clone() };
                functions.entry(name.clone()).or_insert(body);
            }
        }
        self.splits_oddly |= other.splits_oddly;
        self
    }

    /// What is left where the next command runs after this outcome of the last one, and where it
    /// does not.
    pub fn parted(&self, outcome: Outcome) -> (Option<Self>, Option<Self>) {
        let with = |places| Scope { places, ..self.clone() };
        (self.places.on(outcome).map(with), self.places.off(outcome).map(with))
    }

    /// `cd`
    pub fn enter(&mut self, to: &BString, surely: bool) {
        self.places.settle();
        let before = self.places.clone();
        self.places.enter(to, surely, self.has_made(to));
        self.before = Some(before);
        if !self.made.is_empty() {
            Rc::make_mut(&mut self.made).retain(is_rooted);
        }
    }

    /// `mkdir`
    pub fn make(&mut self, directories: impl Iterator<Item = BString>) {
        let room = VARIABLES.saturating_sub(self.made.len());
        Rc::make_mut(&mut self.made).extend(directories.take(room).map(|d| plain(&d).into()));
    }

    /// Something runs that may remove what was made.
    pub fn unmake(&mut self) {
        if !self.made.is_empty() {
            self.made = Rc::default();
        }
    }

    /// Is it, or what it holds, there because the line has made it?
    fn has_made(&self, to: &BString) -> bool {
        let to = plain(to);
        self.made.iter().any(|made| {
            made.strip_prefix(to).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
        })
    }

    /// `cd -`
    pub fn return_back(&mut self) {
        self.places.settle();
        let back = self.before.take().unwrap_or_else(|| Places::only(Directory::Unknown));
        self.before = Some(std::mem::replace(&mut self.places, back));
    }

    /// `unset`
    pub fn undefine(&mut self, name: &str) {
        if self.functions.contains_key(name) {
            Rc::make_mut(&mut self.functions).remove(name);
        }
    }

    /// Is this name surely that of a function, whose body was walked where it was defined?
    pub fn shadows(&self, name: &BString) -> bool {
        !self.functions.is_empty()
            && name.to_str().is_ok_and(|name| self.functions.get(name).is_some_and(|f| f.is_whole))
    }

    /// Is there a function of this name?
    pub fn defines(&self, name: &str) -> bool {
        self.functions.contains_key(name)
    }
}

fn is_rooted(path: &BString) -> bool {
    matches!(path.first(), Some(b'/' | b'~' | b'$'))
}

/// `./a/` is `a`.
fn plain(path: &BString) -> &[u8] {
    let path = path.strip_prefix(b"./").unwrap_or(path);
    path.strip_suffix(b"/").unwrap_or(path)
}
