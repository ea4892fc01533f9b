//! Compound commands: what is in them, and what they leave known.

use std::sync::Arc;

use rable::{CasePattern, Node, NodeKind};

use crate::policy::{Operator, Stage};

use super::atoms::{Quoting, commands_in};
use super::command::Nest;
use super::parse::Source;
use super::places::Outcome;
use super::quoted;
use super::raw::{self, Raw};
use super::rounds::{Body, read_by};
use super::scope::Scope;
use super::walk::{Place, Walker};

/// What comes behind a reserved word inside a compound command.
const NEXT: Stage = Stage::After(Operator::Sequence);

impl Walker {
    pub(super) fn compound(
        &mut self,
        kind: NodeKind,
        text: &str,
        source: &Source<'_>,
        place: &Place,
    ) {
        let entering = match kind {
            NodeKind::Until { .. } => Outcome::Failure,
            _ => Outcome::Success,
        };
        match kind {
            NodeKind::Subshell { body, redirects } => {
                self.redirected(redirects, text, place, |walker, place| {
                    let place = place.inside(Nest::Subshell);
                    walker.apart(|walker| walker.node(*body, source, &place));
                });
            }
            NodeKind::BraceGroup { body, redirects } => {
                self.redirected(redirects, text, place, |walker, place| {
                    walker.node(*body, source, place);
                });
            }
            NodeKind::If { condition, then_body, else_body, redirects } => {
                self.redirected(redirects, text, place, |walker, place| {
                    let place = place.inside(Nest::Condition);
                    walker.node(*condition, source, &place);
                    let (on, off) = walker.parted(Outcome::Success);
                    let bodies = vec![(Some(*then_body), on), (else_body.map(|b| *b), off)];
                    walker.alternatives(bodies, source, &place.staged(NEXT));
                });
            }
            NodeKind::Case { word, patterns, redirects } => {
                self.case(raw::text(*word), patterns, redirects, text, source, place);
            }
            NodeKind::While { condition, body, redirects }
            | NodeKind::Until { condition, body, redirects } => {
                self.redirected(redirects, text, place, |walker, place| {
                    let place = place.inside(Nest::Loop);
                    let variable = read_by(&condition);
                    let lines = variable.as_ref().and_then(|_| walker.lines(&place));
                    walker.scope.go_round(text);
                    walker.node(*condition, source, &place);
                    if let Some(variable) = variable {
                        let (body, place) = (Body::new(source.of(&body.span)), place.staged(NEXT));
                        if walker.goes_through(&variable, lines, &body, &place) {
                            return;
                        }
                    }
                    let (on, off) = walker.parted(entering);
                    walker.scope = on;
                    walker.node(*body, source, &place.staged(NEXT));
                    walker.scope = walker.scope.clone().or(&off);
                });
            }
            NodeKind::For { var, words, body, redirects }
            | NodeKind::Select { var, words, body, redirects } => {
                self.redirected(redirects, text, place, |walker, place| {
                    let words = raw::texts(words.unwrap_or_default());
                    walker.inside(&words, Quoting::Word, place);
                    let values = walker.values(&words);
                    let rounds = Body::new(source.of(&body.span));
                    let inner = place.inside(Nest::Loop).staged(NEXT);
                    if !walker.goes_through(&var, values, &rounds, &inner) {
                        walker.looped(*body, text, source, place);
                    }
                });
            }
            NodeKind::ForArith { init, cond, incr, body, redirects } => {
                let in_body = source.of(&body.span).replace("<<<", "").contains("<<");
                self.misled |= in_body || redirects.iter().any(is_document);
                self.redirected(redirects, text, place, |walker, place| {
                    walker.inside(&[init, cond, incr], Quoting::None, place);
                    walker.looped(*body, text, source, place);
                });
            }
            NodeKind::Function { name, body } => {
                self.scope.define(&name, Body::new(source.of(&body.span)));
                let (stage, input, writers) = (Stage::First, None, Vec::new());
                let place = Place { stage, input, writers, ..place.inside(Nest::Function) };
                self.apart(|walker| {
                    // Where it is called from is not known; most are called where they are defined.
                    walker.scope = Scope::at(walker.scope.places.clone());
                    walker.node(*body, source, &place);
                });
            }
            NodeKind::Coproc { command, .. } => {
                let place = place.inside(Nest::Background);
                self.apart(|walker| walker.node(*command, source, &place));
            }
            NodeKind::ArithmeticCommand { redirects, raw_content, .. } => {
                self.misled |= redirects.iter().any(is_document);
                self.redirected(redirects, text, place, |walker, place| {
                    walker.inside(&[raw_content], Quoting::None, place);
                    walker.scope.forget_named_in(text);
                });
            }
            NodeKind::ConditionalExpr { body, redirects } => {
                self.misled |= redirects.iter().any(is_document);
                self.redirected(redirects, text, place, |walker, place| {
                    let mut terms = Vec::new();
                    terms_of(*body, &mut terms);
                    walker.inside(&terms, Quoting::Word, place);
                    walker.subscripts(&terms, text, place);
                });
            }
            // Words and expansions are read as text, never as nodes.
            _ => {}
        }
    }

    fn looped(&mut self, body: Node, text: &str, source: &Source<'_>, place: &Place) {
        let place = place.inside(Nest::Loop).staged(NEXT);
        self.scope.go_round(text);
        self.perhaps(|walker| walker.node(body, source, &place));
    }

    fn case(
        &mut self,
        word: Option<String>,
        patterns: Vec<CasePattern>,
        redirects: Vec<Node>,
        text: &str,
        source: &Source<'_>,
        place: &Place,
    ) {
        self.redirected(redirects, text, place, |walker, place| {
            let place = place.inside(Nest::Condition);
            let mut texts: Vec<String> = word.into_iter().collect();
            let mut bodies = vec![None];
            for CasePattern { patterns, body, .. } in patterns {
                texts.extend(raw::texts(patterns));
                bodies.extend(body.map(Some));
            }
            walker.inside(&texts, Quoting::Word, &place);
            // `;&` goes on into the next.
            walker.scope.forget_named_in(if text.contains(";&") { text } else { "" });
            let before = walker.scope.clone();
            let bodies = bodies.into_iter().map(|body| (body, before.clone())).collect();
            walker.alternatives(bodies, source, &place.staged(NEXT));
        });
    }

    /// Bodies of which one runs; `None` is that none does.
    fn alternatives(
        &mut self,
        bodies: Vec<(Option<Node>, Scope)>,
        source: &Source<'_>,
        place: &Place,
    ) {
        let mut after: Option<Scope> = None;
        for (body, scope) in bodies {
            self.scope = scope;
            if let Some(body) = body {
                self.node(body, source, place);
            }
            let scope = self.scope.clone();
            after = Some(match after {
                Some(after) => after.or(&scope),
                None => scope,
            });
        }
        self.scope = after.unwrap_or_else(|| self.scope.clone());
    }

    /// What is known after this outcome of a condition, and after the other.
    fn parted(&self, outcome: Outcome) -> (Scope, Scope) {
        let settled = || {
            let mut scope = self.scope.clone();
            scope.places.settle();
            scope
        };
        let (on, off) = self.scope.parted(outcome);
        let mut off = off.unwrap_or_else(settled);
        off.places.settle();
        (on.unwrap_or_else(settled), off)
    }

    /// The commands in texts that are no commands themselves.
    fn inside(&mut self, texts: &[String], quoting: Quoting, place: &Place) {
        let inside: Vec<String> =
            texts.iter().flat_map(|text| commands_in(text, quoting)).collect();
        self.substitutions(&inside, place);
    }

    /// `[[ -v 'a[$(x)]' ]]`
    fn subscripts(&mut self, terms: &[String], text: &str, place: &Place) {
        if text.contains("-v") {
            let words = terms.iter().flat_map(|term| super::split(term));
            let found: Vec<String> = words
                .filter_map(|word| Some(quoted::inside(quoted::subscript(&word)?)))
                .flatten()
                .collect();
            self.substitutions(&found, place);
        }
    }

    /// Walks a compound command with what it reads; its redirections are a command without
    /// words behind those in it.
    fn redirected(
        &mut self,
        redirects: Vec<Node>,
        text: &str,
        place: &Place,
        walk: impl FnOnce(&mut Self, &Place),
    ) {
        let redirections = raw::redirections(redirects);
        self.misled |= redirections.iter().any(raw::lacks_target);
        if redirections.is_empty() {
            return walk(self, place);
        }
        let mut place = place.clone();
        if let Some(own) = self.reads(&redirections, &mut Vec::new()) {
            place.input = own.map(Arc::from);
            place.writers = Vec::new();
        }
        walk(self, &place);
        let raw = Raw { source: text.to_owned(), redirections, ..Raw::default() };
        self.simple(raw, &place.staged(NEXT));
    }
}

fn is_document(node: &Node) -> bool {
    matches!(node.kind, NodeKind::HereDoc { .. })
}

/// The words of a test, in order. Tests lean to the left, and are few: see [`super::admit`].
fn terms_of(node: Node, terms: &mut Vec<String>) {
    match node.kind {
        NodeKind::CondAnd { left, right }
        | NodeKind::CondOr { left, right }
        | NodeKind::BinaryTest { left, right, .. } => {
            terms_of(*left, terms);
            terms_of(*right, terms);
        }
        NodeKind::CondNot { operand } | NodeKind::UnaryTest { operand, .. } => {
            terms_of(*operand, terms);
        }
        NodeKind::CondParen { inner } => terms_of(*inner, terms),
        _ => terms.extend(raw::text(node)),
    }
}
