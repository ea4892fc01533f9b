//! What earlier commands of a line leave for later ones: literal variables, functions and the
//! working directory. What may or may not have happened is not known.

use std::collections::BTreeMap;
use std::rc::Rc;

use bstr::BString;

use super::command::Directory;

/// So many variables, of so many bytes each, are remembered.
const VARIABLES: usize = 64;
const BYTES: usize = 4096;

/// The state of the shell at one place of the line.
#[derive(Clone, PartialEq, Eq)]
pub struct Scope {
    /// Those that are known; any other is not.
    variables: Rc<BTreeMap<String, BString>>,
    /// Their bodies, as text.
    functions: Rc<BTreeMap<String, String>>,
    pub directory: Directory,
    /// `IFS` was assigned: what is not quoted is split who knows where.
    pub splits_oddly: bool,
}

impl Scope {
    /// Nothing is known.
    pub fn new(directory: Directory) -> Self {
        let (variables, functions) = Default::default();
        Scope { variables, functions, directory, splits_oddly: false }
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

    /// `set`, `shift`: `$0` stays.
    pub fn forget_positional(&mut self) {
        let is_positional = |name: &String| name == "#" || name.parse().is_ok_and(|n: usize| n > 0);
        let named: Vec<String> =
            self.variables.keys().filter(|name| is_positional(name)).cloned().collect();
        named.iter().for_each(|name| self.set(name, None));
    }

    /// The value of a variable.
    pub fn get(&self, name: &str) -> Option<&BString> {
        self.variables.get(name)
    }

    /// A variable gets this value, or one that is not known.
    pub fn set(&mut self, name: &str, value: Option<BString>) {
        self.splits_oddly |= name == "IFS";
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
        *self = Scope { functions: Rc::clone(&self.functions), ..Scope::new(Directory::Unknown) };
    }

    /// A text runs, perhaps more than once, that may change each variable it names.
    pub fn forget_named_in(&mut self, text: &str) {
        let is_named = |name: &str| {
            let expanded = |at: usize| text[..at].ends_with('$') || text[..at].ends_with("${");
            text.match_indices(name).any(|(at, _)| !expanded(at))
        };
        let named: Vec<String> =
            self.variables.keys().filter(|name| is_named(name)).cloned().collect();
        for name in named {
            self.set(&name, None);
        }
        let moves = |word: &str| text.contains(word);
        if moves("cd ") || moves("pushd") || moves("popd") || moves("eval") {
            self.directory = Directory::Unknown;
        }
    }

    /// The same for a loop: where its first round works is known.
    pub fn go_round(&mut self, text: &str) {
        let directory = self.directory.clone();
        self.forget_named_in(text);
        self.directory = directory;
    }

    /// A function is defined.
    pub fn define(&mut self, name: &str, body: &str) {
        if self.functions.len() < VARIABLES {
            Rc::make_mut(&mut self.functions).insert(name.to_owned(), body.to_owned());
        }
    }

    /// A command runs, which may be a function.
    pub fn call(&mut self, name: &str) {
        if let Some(body) = self.functions.get(name).cloned() {
            self.forget_named_in(&body);
        }
    }

    /// After one or the other.
    pub fn or(mut self, other: &Scope) -> Self {
        if !Rc::ptr_eq(&self.variables, &other.variables) {
            let same = |name: &String, value: &mut BString| other.get(name) == Some(value);
            Rc::make_mut(&mut self.variables).retain(same);
        }
        if self.directory != other.directory {
            self.directory = Directory::Unknown;
        }
        if self.functions.len() < other.functions.len() {
            self.functions = Rc::clone(&other.functions);
        }
        self.splits_oddly |= other.splits_oddly;
        self
    }

    /// `cd` to a literal directory.
    pub fn enter(&mut self, to: &[u8]) {
        self.directory = match &self.directory {
            _ if to.starts_with(b"/") || to.starts_with(b"~") || to.starts_with(b"$") => {
                Directory::At(to.into())
            }
            Directory::Start => Directory::At(to.into()),
            Directory::At(at) => Directory::At([at, b"/".as_slice(), to].concat().into()),
            Directory::Unknown => Directory::Unknown,
        };
    }
}
