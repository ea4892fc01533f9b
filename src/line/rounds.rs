//! Bodies that run with values that the line itself gives: those of a loop, each round, and those
//! of functions, where they are called. A body that asks for none of them is walked once.

use bstr::{BString, ByteSlice};
use rable::{Node, NodeKind};

use super::builtins::seen_through;
use super::command::Nest;
use super::expand::expand;
use super::fed;
use super::walk::{Place, Walker};
use super::word::Word;

/// More values than these are not gone through.
const VALUES: usize = 16;
/// What a body that runs once more takes of the texts that may be inside each other.
const COST: usize = 2;

/// What is known of a body, as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Body {
    pub text: String,
    /// May it be walked again? Not where the parser's tree does not tell all of it.
    pub is_whole: bool,
}

impl Body {
    pub fn new(text: &str) -> Self {
        Body { text: text.to_owned(), is_whole: !text.contains("\\\n") && !text.contains("<<") }
    }

    fn names(&self, variable: &str) -> bool {
        let is_it = |at: usize| {
            let before = self.text.get(..at).unwrap_or_default();
            before.ends_with('$') || before.ends_with("${")
        };
        self.text.match_indices(variable).any(|(at, _)| is_it(at))
    }

    /// Does what it is given, what it reads or where it stands change what it runs?
    fn depends(&self) -> bool {
        ["$", "cd", "pushd", "exit", "return", "set ", "eval", "read"]
            .iter()
            .any(|word| self.text.contains(word))
    }
}

impl Walker {
    /// Takes a walk of a body, if the line may still grow by it.
    fn takes(&mut self, body: &Body, times: usize, place: &Place) -> Option<Place> {
        let depth = place.depth.checked_sub(COST)?;
        let left = self.rounds.checked_sub(times)?;
        let nested = self.nested.checked_sub(body.text.len().saturating_mul(times))?;
        if !body.is_whole {
            return None;
        }
        (self.rounds, self.nested) = (left, nested);
        Some(Place { depth, ..place.clone() })
    }

    /// Walks the body of a loop for each value of its variable; `false` if that is not to be had.
    pub(super) fn goes_through(
        &mut self,
        variable: &str,
        values: Option<Vec<BString>>,
        body: &Body,
        place: &Place,
    ) -> bool {
        let values = values.filter(|v| (1..=VALUES).contains(&v.len()) && body.names(variable));
        let Some(values) = values else { return false };
        let Some(place) = self.takes(body, values.len(), place) else { return false };
        let before = self.scope.clone();
        self.scope.go_round(&body.text);
        let again = place.inside(Nest::Again);
        for (nth, value) in values.into_iter().enumerate() {
            self.scope.set(variable, Some(value));
            self.scope.places.settle();
            self.text(&body.text, if nth == 0 { &place } else { &again });
        }
        self.scope = self.scope.clone().or(&before);
        true
    }

    /// The words of a `for`, if all are known.
    pub(super) fn values(&mut self, words: &[String]) -> Option<Vec<BString>> {
        let mut values = Vec::new();
        for word in words {
            let expanded = expand(word, &self.scope, &mut self.budget).words;
            values.extend(expanded.iter().map(Word::literal).collect::<Option<Vec<_>>>()?);
            if values.len() > VALUES {
                return None;
            }
        }
        Some(values)
    }

    /// The lines that a `while read` in this place is given.
    pub(super) fn lines(&self, place: &Place) -> Option<Vec<BString>> {
        let text = self.fed(place)?;
        let lines = text.lines().map(|line| BString::from(line.trim_ascii()));
        Some(lines.take(VALUES + 1).collect())
    }

    /// What a command in this place reads, as far as the line tells.
    pub(super) fn fed(&self, place: &Place) -> Option<BString> {
        let input = place.input.as_ref().or(self.scope.input.as_ref());
        fed::read(&self.commands, input, &place.writers)
    }

    /// A function is called, or what an alias stands for.
    pub(super) fn calls(&mut self, name: &str, at: usize, place: &Place) {
        let Some(body) = self.scope.function(name).cloned() else {
            return self.stands_for(name, at, place);
        };
        let Some(command) = self.commands.get(at) else { return };
        let words = seen_through(&command.words).iter();
        let given: Vec<Option<BString>> = words.map(Word::literal).collect();
        let (input, writers) = (command.input.clone(), command.writers.clone());
        let is_fed = input.is_some() || !writers.is_empty();
        let depends = is_fed || body.depends();
        let inner = if depends { self.takes(&body, 1, place) } else { None };
        let Some(inner) = inner else {
            // What it does with this was not seen: the name has to stand for it.
            if let Some(command) = self.commands.get_mut(at).filter(|_| depends) {
                command.is_call = false;
            }
            return self.scope.call(name);
        };
        let inner = inner.inside(Nest::Function).inside(Nest::Again);
        let inner = Place { input, writers, ..inner };
        let before = self.scope.positionals();
        let outer = self.locals.replace(Vec::new());
        self.scope.forget_positional();
        if let Some(given) = given.into_iter().collect::<Option<Vec<BString>>>() {
            self.scope.give(&given);
        }
        self.scope.keep_zero(&before);
        self.scope.places.settle();
        self.text(&body.text, &inner);
        for local in std::mem::replace(&mut self.locals, outer).into_iter().flatten().rev() {
            self.scope.put_back(local);
        }
        self.scope.forget_positional();
        self.scope.restore(before);
    }

    /// `alias g=git`, `hash -p /usr/bin/git g`
    fn stands_for(&mut self, name: &str, at: usize, place: &Place) {
        let Some(meant) = self.scope.renamed(name).map(str::to_owned) else { return };
        let Some(command) = self.commands.get(at) else { return };
        let words = seen_through(&command.words).iter().skip(1).map(Word::typed);
        let words: Vec<BString> = words.collect();
        let text = format!("{meant} {}", crate::command::join(&words));
        let Some(inner) = self.takes(&Body::new(&text), 1, place) else { return };
        let inner = inner.inside(Nest::Text);
        self.apart(|walker| {
            walker.scope.rename(name, None);
            walker.text(&text, &inner);
        });
    }
}

/// The variable of `read NAME`, if it reads whole lines from its input.
pub fn read_by(condition: &Node) -> Option<String> {
    let NodeKind::Command { words, redirects, .. } = &condition.kind else { return None };
    let mut words = words.iter().map(|word| match &word.kind {
        NodeKind::Word { value, .. } => value.as_str(),
        _ => "",
    });
    let is_read = words.next() == Some("read") && redirects.is_empty();
    let mut names = words.skip_while(|word| matches!(*word, "-r" | "-s" | "-e"));
    let name = names.next().filter(|_| is_read)?;
    let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    (is_name && names.next().is_none()).then(|| name.to_owned())
}
