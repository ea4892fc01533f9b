//! A simple command: its words are expanded, the commands in them found, and what it changes
//! for later ones is kept.

use std::sync::Arc;

use bstr::{BString, ByteSlice};

use super::command::{Assignment, Command, Directory, Nest, RedirectOperator, Redirection};
use super::expand::{expand, expand_one, expand_text};
use super::raw::{self, Raw, RawRedirection};
use super::walk::{Place, Walker};
use super::word::Word;

/// `eval` and `trap` may stand eight times in each other.
const COST_OF_TEXT: usize = 2;

impl Walker {
    pub(super) fn simple(&mut self, raw: Raw, place: &Place) {
        let mut inside = Vec::new();
        let assignments = self.assignments(&raw.assignments, &mut inside);
        let mut words = Vec::new();
        for word in &raw.words {
            let is_first = words.is_empty();
            let mut expanded = self.word(word, is_first, &words);
            words.append(&mut expanded.words);
            inside.append(&mut expanded.inside);
        }
        let own = self.reads(&raw.redirections, &mut inside);
        let redirections = self.redirections(raw.redirections, &mut inside);
        let (input, writers) = match own {
            None => (place.input.clone(), place.writers.clone()),
            Some(text) => (text.map(Arc::from), Vec::new()),
        };
        let command = Command {
            source: raw.source,
            assignments,
            words,
            redirections,
            stage: place.stage,
            nesting: place.nesting.clone(),
            input,
            writers,
            directory: self.scope.directory.clone(),
        };
        let argv = command.argv();
        let is_literal = !command.is_dynamic();
        let assignments = command.assignments.clone();
        self.commands.push(command);
        self.substitutions(&inside, place);
        if argv.is_empty() {
            self.assign(&assignments);
        } else if is_literal {
            self.runs(&argv, &assignments, place);
        } else {
            self.scope.forget();
        }
    }

    fn word(&mut self, word: &str, is_first: bool, before: &[Word]) -> super::expand::Expanded {
        // `export X={a,b}` is an assignment, and so no brace expansion.
        let declares = !is_first
            && raw::assignment(word).is_some()
            && before.first().and_then(Word::literal).is_some_and(|name| declares(&name));
        if declares {
            let (word, inside) = expand_one(word, &self.scope, &mut self.expanded);
            return super::expand::Expanded { words: vec![word], inside };
        }
        expand(word, &self.scope, &mut self.expanded)
    }

    fn assignments(&mut self, texts: &[String], inside: &mut Vec<String>) -> Vec<Assignment> {
        let mut assignments = Vec::new();
        for text in texts {
            let Some(found) = raw::assignment(text) else { continue };
            let (value, mut commands) = expand_one(found.value, &self.scope, &mut self.expanded);
            inside.extend(expand_one(found.subscript, &self.scope, &mut self.expanded).1);
            inside.append(&mut commands);
            let name = format!("{}{}", found.name, found.subscript);
            assignments.push(Assignment { name, appends: found.appends, value });
        }
        assignments
    }

    fn redirections(
        &mut self,
        raw: Vec<RawRedirection>,
        inside: &mut Vec<String>,
    ) -> Vec<Redirection> {
        let mut redirections = Vec::new();
        for RawRedirection { descriptor, operator, target, .. } in raw {
            let target = if operator == RedirectOperator::HereDocument {
                Word::of(&target, target.as_str())
            } else {
                let (word, mut commands) = expand_one(&target, &self.scope, &mut self.expanded);
                inside.append(&mut commands);
                word
            };
            redirections.push(Redirection { operator, descriptor, target });
        }
        redirections
    }

    /// What these redirections make of standard input: nothing, a text, or what is not known.
    /// The commands in here-documents run, whichever of these is read.
    pub(super) fn reads(
        &mut self,
        redirections: &[RawRedirection],
        inside: &mut Vec<String>,
    ) -> Option<Option<String>> {
        let mut reads = None;
        for RawRedirection { descriptor, operator, target, document } in redirections {
            let (scope, budget) = (&self.scope, &mut self.expanded);
            let text = match (operator, document) {
                (RedirectOperator::HereDocument, Some(document)) if document.is_literal => {
                    Some(document.text.clone())
                }
                (RedirectOperator::HereDocument, Some(document)) => {
                    let (word, mut commands) = expand_text(&document.text, scope, budget);
                    inside.append(&mut commands);
                    Some(word.typed().to_str_lossy().into_owned())
                }
                (RedirectOperator::HereString, _) => {
                    let (word, _) = expand_one(target, scope, budget);
                    Some(word.typed().to_str_lossy().into_owned())
                }
                (
                    RedirectOperator::Read
                    | RedirectOperator::ReadWrite
                    | RedirectOperator::DuplicateInput
                    | RedirectOperator::HereDocument,
                    _,
                ) => None,
                _ => continue,
            };
            if descriptor.as_deref().is_none_or(|descriptor| descriptor == "0") {
                reads = Some(text);
            }
        }
        reads
    }

    fn assign(&mut self, assignments: &[Assignment]) {
        for Assignment { name, appends, value } in assignments {
            let literal = value.literal().filter(|value| !value.starts_with(b"("));
            let value = match (appends, name.split_once('[')) {
                (_, Some((array, _))) => {
                    self.scope.set(array, None);
                    continue;
                }
                (false, None) => literal,
                (true, None) => self
                    .scope
                    .get(name)
                    .zip(literal.as_ref())
                    .map(|(old, new)| BString::from([old.as_slice(), new].concat())),
            };
            self.scope.set(name, value);
        }
    }

    /// What running this changes, and the text that it runs.
    fn runs(&mut self, argv: &[BString], assignments: &[Assignment], place: &Place) {
        let Some((name, arguments)) = argv.split_first() else { return };
        let operands: Vec<&BString> =
            arguments.iter().skip_while(|a| a.len() > 1 && a.starts_with(b"-")).collect();
        match name.as_slice() {
            b"cd" | b"pushd" | b"popd" | b"chdir" => match operands[..] {
                // Where HOME is, is known to whoever asks where the line starts.
                [] if name != "popd" && name != "pushd" => self.scope.enter(b"~"),
                [to] if is_at_home(to) => self.scope.enter(to),
                [to] if !to.is_empty() && *to != "-" && is_literal(to) => self.scope.enter(to),
                _ => self.scope.directory = Directory::Unknown,
            },
            b"eval" => {
                self.assign(assignments);
                let text = bstr::join(" ", arguments);
                let place = place.inside(Nest::Text);
                self.nested(&text.to_str_lossy(), &place, COST_OF_TEXT);
            }
            b"trap" => {
                if let Some(text) =
                    operands.first().filter(|text| operands.len() > 1 && **text != "-")
                {
                    let place = place.inside(Nest::Text);
                    let text = text.to_str_lossy().into_owned();
                    self.apart(|walker| {
                        // Most are met where they are set.
                        let directory = walker.scope.directory.clone();
                        walker.scope.forget();
                        walker.scope.directory = directory;
                        walker.nested(&text, &place, COST_OF_TEXT);
                    });
                }
            }
            b"." | b"source" => self.scope.forget(),
            b"set" | b"shift" => self.scope.forget_positional(),
            name if declares(name) => self.declares(&operands),
            b"read" | b"unset" | b"printf" | b"mapfile" | b"readarray" | b"getopts" | b"let"
            | b"wait" => {
                arguments.iter().for_each(|text| self.scope.forget_named_in(&text.to_str_lossy()));
            }
            name => self.scope.call(&name.to_str_lossy()),
        }
    }

    /// `export X=git`
    fn declares(&mut self, operands: &[&BString]) {
        for operand in operands {
            let text = operand.to_str_lossy();
            match raw::assignment(&text) {
                Some(found) => {
                    let is_plain = found.subscript.is_empty() && !found.appends;
                    let literal = is_plain && is_literal(operand) && !found.value.starts_with('(');
                    let value = literal.then(|| BString::from(found.value));
                    self.scope.set(found.name, value);
                }
                None => self.scope.forget_named_in(&text),
            }
        }
    }
}

fn declares(name: &[u8]) -> bool {
    matches!(name, b"export" | b"declare" | b"typeset" | b"local" | b"readonly")
}

/// `~`, `~/x`, `$HOME/x`
fn is_at_home(path: &[u8]) -> bool {
    let behind = [&b"~"[..], b"$HOME", b"${HOME}"].iter().find_map(|home| path.strip_prefix(*home));
    behind
        .is_some_and(|rest| (rest.is_empty() || rest.starts_with(b"/")) && is_literal(&rest.into()))
}

/// Is nothing in it as it was typed? A quoted `$` is taken for an expansion: then less is known.
fn is_literal(argument: &BString) -> bool {
    !argument.contains_str("$") && !argument.contains_str("`") && !argument.starts_with(b"~")
}
