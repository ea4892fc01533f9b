//! The parser's tree → the commands in it, with what they stand in and what earlier ones left.
//! Nodes are taken, not borrowed: lists are as deep as they are long, and so never dropped or
//! walked by recursion.

use std::ops::Range;
use std::sync::Arc;

use bstr::BString;
use rable::{ListItem, ListOperator, Node, NodeKind};

use crate::policy::{Operator, Stage};

use super::admit::ALL_WORK;
use super::command::{Command, Directory, Line, Nest, Way};
use super::cut::cut_with_bodies;
use super::expand::Budget;
use super::parse::{Documents, Source, tree};
use super::places::{Outcome, Places};
use super::raw;
use super::scope::{Local, Scope};

/// Texts inside texts: further down nothing is looked at.
const DEPTH: usize = 16;
/// Bytes of texts inside texts, in all: so many times the line's own, at least and at most so many.
const NESTED_TIMES: usize = 4;
const NESTED: usize = 1 << 17;
const NESTED_MOST: usize = 1 << 20;
/// What parsing a text briefly may cost, for each byte: it and three texts in each other.
const BRIEF_WORK: usize = 32;
/// Bodies of loops and functions that are walked once more.
const ROUNDS: usize = 64;

/// What is found so far.
pub struct Walker {
    pub(super) commands: Vec<Command>,
    pub(super) scope: Scope,
    pub(super) budget: Budget,
    pub(super) rounds: usize,
    /// What the function that is called has made its own.
    pub(super) locals: Option<Vec<Local>>,
    /// The bodies of here-documents that the text stands without.
    pub(super) documents: Documents,
    /// The tree has here-documents with the bodies of others: rable 0.2.2 hands these out in
    /// order, but passes over `for ((…))`, `((…))` and `[[ … ]]`. Or a word
    /// has no end, or a redirection no word.
    pub(super) misled: bool,
    way: Way,
    pub(super) nested: usize,
    /// What parsing may still cost.
    work: usize,
    /// Something has run that may have made or removed a directory.
    pub(super) makes: bool,
    /// The next command stands behind the reserved word `time`.
    is_timed: bool,
}

/// Where in the line a command stands.
#[derive(Clone)]
pub struct Place {
    pub stage: Stage,
    pub nesting: Vec<Nest>,
    /// What it reads, unless it redirects that.
    pub input: Option<Arc<str>>,
    pub writers: Vec<usize>,
    /// How many texts may still be inside.
    pub depth: usize,
}

impl Place {
    pub fn staged(&self, stage: Stage) -> Self {
        Place { stage, ..self.clone() }
    }

    pub fn inside(&self, nest: Nest) -> Self {
        let mut place = self.clone();
        place.nesting.push(nest);
        place
    }
}

impl Default for Walker {
    fn default() -> Self {
        Walker {
            commands: Vec::new(),
            scope: Scope::at(Places::only(Directory::Start)),
            budget: Budget::default(),
            rounds: ROUNDS,
            locals: None,
            documents: Documents::default(),
            misled: false,
            way: Way::Parsed,
            nested: NESTED,
            work: ALL_WORK,
            makes: false,
            is_timed: false,
        }
    }
}

impl Walker {
    /// Finds the commands of a whole line; `parameters` are `$0`, `$1` and so on, as far as known.
    pub fn line(&mut self, text: &str, parameters: &[BString]) {
        self.scope.give(parameters);
        self.nested = text.len().saturating_mul(NESTED_TIMES).clamp(NESTED, NESTED_MOST);
        self.whole(text);
    }

    /// The same, where much that is nested is not worth its time.
    pub fn briefly(&mut self, text: &str) {
        self.nested = text.len().saturating_mul(NESTED_TIMES);
        self.work = text.len().saturating_mul(BRIEF_WORK);
        self.whole(text);
    }

    fn whole(&mut self, text: &str) {
        let (nesting, writers) = (Vec::new(), Vec::new());
        let place = Place { stage: Stage::First, nesting, input: None, writers, depth: DEPTH };
        self.text(text, &place);
    }

    /// What was found.
    pub fn finish(self) -> Line {
        Line { commands: self.commands, way: self.way }
    }

    /// The commands of a text that another holds.
    pub fn nested(&mut self, text: &str, place: &Place, costs: usize) {
        let (Some(depth), Some(left)) =
            (place.depth.checked_sub(costs), self.nested.checked_sub(text.len()))
        else {
            return;
        };
        self.nested = left;
        self.text(text, &Place { depth, stage: Stage::First, ..place.clone() });
    }

    /// The same in a shell of its own: `$(…)`.
    pub fn substitutions(&mut self, texts: &[String], place: &Place) {
        self.fed_substitutions(texts, place, None);
    }

    /// The same, with the command that writes to `>(…)` among them.
    pub fn fed_substitutions(&mut self, texts: &[String], place: &Place, writer: Option<usize>) {
        if texts.is_empty() {
            return;
        }
        let fed = writer.and_then(|at| self.commands.get(at)).map(Command::writes_to);
        let fed = fed.unwrap_or_default();
        for text in texts {
            let (input, writers) =
                (None, writer.filter(|_| fed.contains(text)).into_iter().collect());
            let place = Place { input, writers, ..place.inside(Nest::Substitution) };
            self.apart(|walker| walker.nested(text, &place, 1));
        }
    }

    /// The commands of a text that stands here.
    pub(super) fn text(&mut self, text: &str, place: &Place) {
        let Some(tree) = tree(text, &mut self.work) else { return self.cut(text, place) };
        let (count, scope) = (self.commands.len(), self.scope.clone());
        let above = std::mem::take(&mut self.misled);
        let (nodes, documents) =
            (tree.nodes, std::mem::replace(&mut self.documents, tree.documents));
        let source = Source::new(tree.text.as_deref().unwrap_or(text));
        let mut stage = place.stage;
        for node in nodes {
            let is_list = matches!(node.kind, NodeKind::List { .. });
            self.scope.places.settle();
            self.node(node, &source, &place.staged(stage));
            if !is_list {
                self.has_run();
            }
            stage = Stage::After(Operator::Sequence);
        }
        let documents = std::mem::replace(&mut self.documents, documents);
        if std::mem::replace(&mut self.misled, above) || !documents.are_found() {
            self.commands.truncate(count);
            self.scope = scope;
            self.cut(text, place);
        }
    }

    /// What is no shell text, or too much of it: each part stands for itself.
    fn cut(&mut self, text: &str, place: &Place) {
        self.way = Way::Cut;
        self.scope.forget();
        let (parts, bodies) = cut_with_bodies(text);
        let mut bodies = bodies.into_iter();
        self.commands.reserve(parts.len());
        let mut stage = place.stage;
        for (nth, part) in parts.into_iter().enumerate() {
            stage = if nth == 0 { stage } else { part.stage };
            let before = self.commands.len().checked_sub(1);
            let writers = before.filter(|_| nth > 0 && stage == Stage::Piped);
            let place = Place { writers: writers.into_iter().collect(), ..place.staged(stage) };
            self.simple(raw::from_part(part.text, &mut bodies), &place);
            self.scope.forget();
        }
    }

    /// Walks what a shell of its own runs: nothing of it is left behind.
    pub fn apart(&mut self, walk: impl FnOnce(&mut Self)) {
        let scope = self.scope.clone();
        walk(self);
        self.scope = scope;
    }

    /// Walks what may or may not run.
    pub fn perhaps(&mut self, walk: impl FnOnce(&mut Self)) {
        let scope = self.scope.clone();
        walk(self);
        self.scope = self.scope.clone().or(&scope);
    }

    pub(super) fn node(&mut self, node: Node, source: &Source<'_>, place: &Place) {
        let text = source.of(&node.span);
        match node.kind {
            NodeKind::Command { assignments, words, redirects } => {
                let mut raw = raw::Raw {
                    source: self.documents.put_back(text),
                    assignments: raw::texts(assignments),
                    words: raw::texts(words),
                    redirections: raw::redirections(redirects),
                };
                self.misled |= raw.is_misread();
                if std::mem::take(&mut self.is_timed) {
                    raw::behind_time(&mut raw.words);
                }
                self.simple(raw, place);
            }
            NodeKind::Pipeline { commands, .. } => self.pipeline(commands, source, place),
            NodeKind::List { items } => self.list(items, source, place),
            NodeKind::Negation { pipeline } => {
                self.node(*pipeline, source, place);
                self.scope.places.negate();
            }
            NodeKind::Time { pipeline, .. } => {
                self.is_timed = true;
                self.node(*pipeline, source, place);
                self.is_timed = false;
            }
            compound => self.compound(compound, text, source, place),
        }
    }

    fn pipeline(&mut self, stages: Vec<Node>, source: &Source<'_>, place: &Place) {
        let mut writers: Option<Range<usize>> = None;
        // Behind a compound command `|&` leaves its redirection as a node of its own.
        let is_stage = |node: &Node| !matches!(node.kind, NodeKind::Redirect { .. });
        for stage in stages.into_iter().filter(is_stage) {
            let mut here = place.clone();
            if let Some(writers) = writers {
                here.stage = Stage::Piped;
                here.input = None;
                here.writers = self.writing(writers, place.nesting.len());
            }
            let start = self.commands.len();
            self.apart(|walker| walker.node(stage, source, &here));
            writers = Some(start..self.commands.len());
        }
    }

    /// Those of a stage whose output is the stage's own.
    fn writing(&self, stage: Range<usize>, depth: usize) -> Vec<usize> {
        let writes = |at: &usize| {
            self.commands.get(*at).is_some_and(|command| {
                let nesting = command.nesting.get(depth..).unwrap_or_default();
                !command.words.is_empty() && !nesting.contains(&Nest::Substitution)
            })
        };
        // More than these say nothing more about what a shell is fed.
        stage.filter(writes).take(64).collect()
    }

    fn list(&mut self, items: Vec<ListItem>, source: &Source<'_>, place: &Place) {
        let mut stage = place.stage;
        for run in runs(items) {
            let is_background =
                run.last().is_some_and(|item| item.operator == Some(ListOperator::Background));
            if is_background {
                let place = place.inside(Nest::Background).staged(stage);
                self.apart(|walker| walker.run(run, source, &place));
            } else {
                self.run(run, source, &place.staged(stage));
            }
            stage = Stage::After(Operator::Sequence);
        }
    }

    /// A command that no other depends on has ended.
    fn has_run(&mut self) {
        if self.scope.stops_at_failure {
            self.scope.places.stop_at_failure();
        }
    }

    /// `a && b || c`: only the first certainly runs.
    fn run(&mut self, run: Vec<ListItem>, source: &Source<'_>, place: &Place) {
        let is_alone = run.len() == 1;
        self.scope.places.settle();
        let mut skipped: Option<Scope> = None;
        let mut stage = place.stage;
        for ListItem { command, operator } in run {
            self.node(command, source, &place.staged(stage));
            let (wanted, next) = match operator {
                Some(ListOperator::And) => (Some(Outcome::Success), Operator::And),
                Some(ListOperator::Or) => (Some(Outcome::Failure), Operator::Or),
                _ => (None, Operator::Sequence),
            };
            if let Some(wanted) = wanted {
                skipped = self.part(wanted, skipped);
            }
            stage = Stage::After(next);
        }
        if let Some(skipped) = skipped {
            self.scope = self.scope.clone().or(&skipped);
        }
        if is_alone {
            self.has_run();
        }
    }

    /// What is known where the next of a run begins; gives back what is where it does not run.
    fn part(&mut self, wanted: Outcome, skipped: Option<Scope>) -> Option<Scope> {
        let either = |one: Option<Scope>, other: Option<Scope>| match (one, other) {
            (Some(one), Some(other)) => Some(one.or(&other)),
            (one, other) => one.or(other),
        };
        let (mut on, mut off) = self.scope.parted(wanted);
        if let Some(skipped) = skipped {
            let (also_on, also_off) = skipped.parted(wanted);
            (on, off) = (either(on, also_on), either(off, also_off));
        }
        match on {
            Some(on) => self.scope = on,
            None => self.scope.places.settle(),
        }
        off
    }
}

/// The runs of `&&` and `||` in a list; each item with the operator behind it.
fn runs(items: Vec<ListItem>) -> Vec<Vec<ListItem>> {
    let mut flat = Vec::new();
    let mut rest = items;
    // Lists lean to the left: the first item is the list before.
    while let Some(ListItem { command, operator }) = rest.pop() {
        match command.kind {
            NodeKind::List { items } if rest.is_empty() => {
                rest = items;
                if let Some(last) = rest.last_mut() {
                    last.operator = operator.or(last.operator);
                }
            }
            kind => flat.push(ListItem { command: Node::new(kind, command.span), operator }),
        }
    }
    flat.reverse();
    let mut runs: Vec<Vec<ListItem>> = vec![Vec::new()];
    for item in flat {
        let ends = !matches!(item.operator, Some(ListOperator::And | ListOperator::Or));
        if let Some(run) = runs.last_mut() {
            run.push(item);
        }
        if ends {
            runs.push(Vec::new());
        }
    }
    runs.retain(|run| !run.is_empty());
    runs
}
