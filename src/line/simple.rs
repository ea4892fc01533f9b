//! A simple command: its words are expanded, the commands in them found, and what it changes
//! for later ones is kept.

use std::collections::BTreeSet;
use std::sync::Arc;

use bstr::{BString, ByteSlice};

use super::builtins::seen_through;
use super::command::{Assignment, Command, Directory, Nest, RedirectOperator, Redirection};
use super::expand::{Defaults, expand, expand_one, expand_text};
use super::places::Places;
use super::quoted;
use super::raw::{self, Raw, RawRedirection};
use super::scope::Attribute;
use super::walk::{Place, Walker};
use super::word::{Dynamic, Piece, Word};

/// `eval` and `trap` may stand eight times in each other.
const COST_OF_TEXT: usize = 2;

impl Walker {
    pub(super) fn simple(&mut self, mut raw: Raw, place: &Place) {
        let before = self.scope.clone();
        let mut inside = Vec::new();
        let at = self.commands.len();
        self.budget.defaults = Defaults::Left(false);
        let (mut command, redirects) = self.command(&mut raw, place, &mut inside);
        let has_defaults = std::mem::replace(&mut self.budget.defaults, Defaults::Left(false))
            == Defaults::Left(true);
        let first = command.words.first().and_then(Word::literal);
        command.is_call = first.is_some_and(|name| self.scope.shadows(&name));
        self.makes |= command.name().is_some_and(|name| !name.is_one_of(&MAKES_NOTHING));
        let argv = command.argv();
        let is_literal = !command.is_dynamic();
        let assignments = command.assignments.clone();
        let words = has_defaults.then(|| command.words.clone());
        self.commands.push(command);
        // Most of them stand in expansions too, and have been found there.
        let mut again = quoted::commands_of(&argv, &mut self.nested);
        if !again.is_empty() {
            let found: BTreeSet<&String> = inside.iter().collect();
            again.retain(|text| !found.contains(text));
            inside.append(&mut again);
        }
        inside.extend(self.prompts(&raw.words));
        self.fed_substitutions(&inside, place, Some(at));
        if argv.is_empty() {
            self.assign(&assignments, place);
        } else if is_literal {
            let place = Reading { place, redirects };
            self.runs(at, &argv, &assignments, &place);
        } else {
            self.scope.forget();
        }
        if let Some(words) = words {
            let after = std::mem::replace(&mut self.scope, before);
            raw.source =
                self.commands.get(at).map(|command| command.source.clone()).unwrap_or_default();
            self.by_default(&mut raw, &words, place);
            self.scope = after;
        }
    }

    /// The same command with what stands for variables that nobody knows: `${GIT:-git} push`.
    fn by_default(&mut self, raw: &mut Raw, words: &[Word], place: &Place) {
        let place = &place.inside(Nest::Again);
        self.budget.defaults = Defaults::Taken;
        let (command, _) = self.command(raw, place, &mut Vec::new());
        self.budget.defaults = Defaults::Left(false);
        if command.words != words {
            let (at, argv) = (self.commands.len(), command.argv());
            let (assignments, is_literal) = (command.assignments.clone(), !command.is_dynamic());
            self.commands.push(command);
            if is_literal && !argv.is_empty() {
                let place = Reading { place, redirects: false };
                self.runs(at, &argv, &assignments, &place);
            }
        }
    }

    /// What is known of a simple command, whose source it takes, and whether it has an input of its
    /// own.
    fn command(
        &mut self,
        raw: &mut Raw,
        place: &Place,
        inside: &mut Vec<String>,
    ) -> (Command, bool) {
        let assignments = self.assignments(&raw.assignments, inside);
        let mut words = Vec::new();
        for word in &raw.words {
            let is_first = words.is_empty();
            let mut expanded = self.word(word, is_first, &words);
            words.append(&mut expanded.words);
            inside.append(&mut expanded.inside);
        }
        let own = self.reads(&raw.redirections, inside);
        let redirections = self.redirections(&raw.redirections, inside);
        let redirects = own.is_some();
        let is_fed = place.input.is_some() || !place.writers.is_empty();
        let (input, writers) = match own {
            None if is_fed => (place.input.clone(), place.writers.clone()),
            None => (self.scope.input.clone(), Vec::new()),
            Some(text) => (text.map(Arc::from), Vec::new()),
        };
        let command = Command {
            source: std::mem::take(&mut raw.source),
            assignments,
            words,
            redirections,
            stage: place.stage,
            nesting: place.nesting.clone(),
            input,
            writers,
            directories: self.scope.places.possible(),
            is_call: false,
        };
        (command, redirects)
    }

    /// `${x@P}` expands what `x` holds once more.
    fn prompts(&self, words: &[String]) -> Vec<String> {
        let mut found = Vec::new();
        for word in words.iter().filter(|word| word.contains("@P}")) {
            for part in word.split("${") {
                let name = part.split_once("@P}").map(|(name, _)| name);
                found.extend(name.and_then(|name| self.scope.get(name)).cloned());
            }
        }
        found.iter().flat_map(|text| quoted::inside(text)).collect()
    }

    fn word(&mut self, word: &str, is_first: bool, before: &[Word]) -> super::expand::Expanded {
        // `export X={a,b}` is an assignment, and so no brace expansion.
        let declares = !is_first
            && raw::assignment(word).is_some()
            && before.first().and_then(Word::literal).is_some_and(|name| declares(&name));
        if declares {
            let (word, inside) = expand_one(word, &self.scope, &mut self.budget);
            return super::expand::Expanded { words: vec![word], inside };
        }
        expand(word, &self.scope, &mut self.budget)
    }

    fn assignments(&mut self, texts: &[String], inside: &mut Vec<String>) -> Vec<Assignment> {
        let mut assignments = Vec::new();
        for text in texts {
            let Some(found) = raw::assignment(text) else { continue };
            let (value, mut commands) = expand_one(found.value, &self.scope, &mut self.budget);
            inside.extend(expand_one(found.subscript, &self.scope, &mut self.budget).1);
            inside.append(&mut commands);
            let name = format!("{}{}", found.name, found.subscript);
            assignments.push(Assignment { name, appends: found.appends, value });
        }
        assignments
    }

    fn redirections(
        &mut self,
        raw: &[RawRedirection],
        inside: &mut Vec<String>,
    ) -> Vec<Redirection> {
        let mut redirections = Vec::new();
        for RawRedirection { descriptor, operator, target, .. } in raw {
            let (descriptor, operator) = (descriptor.clone(), *operator);
            let target = if operator == RedirectOperator::HereDocument {
                Word::of(target, target.as_str())
            } else {
                let (word, mut commands) = expand_one(target, &self.scope, &mut self.budget);
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
            let (scope, budget) = (&self.scope, &mut self.budget);
            let text = match (operator, document) {
                (RedirectOperator::HereDocument, Some(document)) if document.is_literal => {
                    let text = self.documents.body(&document.text).unwrap_or(&document.text);
                    Some(text.to_owned())
                }
                (RedirectOperator::HereDocument, Some(document)) => {
                    let text = self.documents.body(&document.text).unwrap_or(&document.text);
                    let (word, mut commands) = expand_text(text, scope, budget);
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

    fn assign(&mut self, assignments: &[Assignment], place: &Place) {
        for Assignment { name, appends, value } in assignments {
            if let Some(list) = listed(&value.source).filter(|_| !name.contains('[')) {
                let list = self.elements(list, appends.then_some(name));
                self.scope.set_list(name, list);
                continue;
            }
            // It is expanded before each command that is traced.
            if name == "PS4"
                && let Some(prompt) = value.literal()
            {
                self.substitutions(&quoted::inside(&prompt), place);
            }
            let literal = value.literal().filter(|value| !value.starts_with(b"("));
            let is_made = value.source.trim_start_matches('"').starts_with("$(mktemp -d");
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
            if !appends && is_made {
                self.scope
                    .make([format!("${name}").into(), format!("${{{name}}}").into()].into_iter());
            }
        }
    }

    /// The elements of `a=(…)`, behind those that it has, if all are known.
    fn elements(&mut self, text: &str, behind: Option<&String>) -> Option<Vec<BString>> {
        let mut list = match behind {
            Some(name) => self.scope.list(name)?.clone(),
            None => Vec::new(),
        };
        for word in raw::elements(text) {
            if word.starts_with('[') {
                return None;
            }
            let words = expand(&word, &self.scope, &mut self.budget).words;
            list.extend(words.iter().map(Word::literal).collect::<Option<Vec<_>>>()?);
        }
        Some(list)
    }

    /// What running this changes, and the text that it runs.
    fn runs(
        &mut self,
        at: usize,
        argv: &[BString],
        assignments: &[Assignment],
        reading: &Reading<'_>,
    ) {
        let place = reading.place;
        let Some((name, arguments)) = argv.split_first() else { return };
        let operands: Vec<&BString> =
            arguments.iter().skip_while(|a| a.len() > 1 && a.starts_with(b"-")).collect();
        match name.as_slice() {
            b"cd" | b"pushd" | b"chdir" => self.changes_directory(at, operands.len()),
            b"popd" => self.scope.places = Places::only(Directory::Unknown),
            b"exit" | b"return" if !self.scope.defines(&name.to_str_lossy()) => {
                self.scope.places.end();
            }
            b"eval" => {
                self.assign(assignments, place);
                let dashes = usize::from(arguments.first().is_some_and(|word| word == "--"));
                let text = bstr::join(" ", arguments.get(dashes..).unwrap_or_default());
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
                        let places = walker.scope.places.clone();
                        walker.scope.forget();
                        walker.scope.places = places;
                        walker.nested(&text, &place, COST_OF_TEXT);
                    });
                }
            }
            b"." | b"source" => self.scope.forget(),
            b"set" => self.sets(at, arguments),
            b"mkdir" if !self.scope.defines("mkdir") => {
                self.scope.make(operands.into_iter().cloned());
            }
            b"rm" | b"rmdir" | b"mv" | b"find" | b"git" => {
                self.scope.unmake();
                self.calls(&name.to_str_lossy(), at, place);
            }
            b"shift" => {
                let count = operands.first().map_or(Some(1), |n| n.to_str().ok()?.parse().ok());
                match count {
                    Some(count) => self.scope.shift(count),
                    None => self.scope.forget_positional(),
                }
            }
            b"exec" if arguments.is_empty() && reading.redirects => {
                self.scope.input = self.commands.get(at).and_then(|command| command.input.clone());
            }
            b"alias" => self.aliases(&operands),
            b"unalias" => operands.iter().for_each(|o| self.scope.rename(&o.to_str_lossy(), None)),
            b"hash" => {
                if let [option, path, names @ ..] = arguments
                    && option == "-p"
                {
                    let path = crate::command::quote(path.as_bstr()).to_string();
                    for name in names {
                        self.scope.rename(&name.to_str_lossy(), Some(path.clone()));
                    }
                }
            }
            b"compgen" | b"complete" | b"mapfile" | b"readarray"
                if let Some(callback) = behind_option(arguments, "-C") =>
            {
                let place = place.inside(Nest::Text);
                let text = callback.to_str_lossy().into_owned();
                self.apart(|walker| walker.nested(&text, &place, COST_OF_TEXT));
                self.scope.forget_named_in(&bstr::join(" ", arguments).to_str_lossy());
            }
            name if declares(name) => {
                let is_own = matches!(name, b"local" | b"declare" | b"typeset");
                self.declares(is_own, arguments, &operands);
            }
            b"read" if self.reads_variable(at, arguments, place) => {}
            b"read" | b"unset" | b"printf" | b"mapfile" | b"readarray" | b"getopts" | b"let"
            | b"wait" => {
                arguments.iter().for_each(|text| self.scope.forget_named_in(&text.to_str_lossy()));
                if name == "unset" {
                    operands.iter().for_each(|o| self.scope.undefine(&o.to_str_lossy()));
                }
            }
            name => self.calls(&name.to_str_lossy(), at, place),
        }
    }

    fn changes_directory(&mut self, at: usize, operands: usize) {
        let surely = !self.makes;
        let words = self.commands.get(at).map_or(&[][..], |command| seen_through(&command.words));
        let is_push = words.first().and_then(Word::literal).is_some_and(|name| name == "pushd");
        let to = words.last().map(target).unwrap_or_default();
        match operands {
            // Where HOME is, is known to whoever asks where the line starts.
            0 if !is_push => self.scope.enter(&"~".into(), surely),
            1 if to == "-" || to == "$OLDPWD" || to == "${OLDPWD}" => self.scope.return_back(),
            1 if to.is_empty() => {}
            1 => self.scope.enter(&to, surely),
            _ => self.scope.places = Places::only(Directory::Unknown),
        }
    }

    fn sets(&mut self, at: usize, arguments: &[BString]) {
        let mut taken = 0;
        let mut rest = arguments.iter();
        let mut gives = false;
        while let Some(argument) = rest.next() {
            taken += 1;
            match argument.first() {
                _ if argument == "--" => {
                    gives = true;
                    break;
                }
                Some(sign @ (b'-' | b'+')) if argument.len() > 1 => {
                    let mut stops = argument.contains(&b'e');
                    if argument.ends_with(b"o") {
                        taken += 1;
                        stops |= rest.next().is_some_and(|name| name == "errexit");
                    }
                    if stops {
                        self.scope.stops_at_failure = *sign == b'-';
                    }
                }
                _ => {
                    (gives, taken) = (true, taken - 1);
                    break;
                }
            }
        }
        if gives {
            let words = self.commands.get(at).map_or(&[][..], |c| seen_through(&c.words));
            let given = words.get(taken..).unwrap_or_default().iter();
            let mut given: Option<Vec<BString>> = given.map(Word::literal).collect();
            // The first is `$0`, which stays.
            if let Some(zero) = given.as_mut().and_then(|given| given.first_mut()) {
                *zero = self.scope.get("0").cloned().unwrap_or_default();
            }
            self.scope.forget_positional();
            self.scope.give(&given.unwrap_or_default());
        }
    }

    fn aliases(&mut self, operands: &[&BString]) {
        for operand in operands {
            let text = operand.to_str_lossy();
            if let Some((name, meant)) = text.split_once('=') {
                self.scope.rename(name, Some(meant.to_owned()));
            }
        }
    }

    /// `read x <<< git`
    fn reads_variable(&mut self, at: usize, arguments: &[BString], place: &Place) -> bool {
        let mut names =
            arguments.iter().skip_while(|a| matches!(a.as_slice(), b"-r" | b"-s" | b"-e"));
        let (Some(name), None) = (names.next(), names.next()) else { return false };
        let is_name = name.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_');
        let Some(command) = self.commands.get(at).filter(|_| is_name) else { return false };
        let (input, writers) = (command.input.clone(), command.writers.clone());
        let inner = Place { input, writers, ..place.clone() };
        let Some(text) = self.fed(&inner) else { return false };
        let line = text.lines().next().unwrap_or_default().trim_ascii();
        self.scope.set(&name.to_str_lossy(), Some(line.into()));
        true
    }

    /// `export X=git`
    fn declares(&mut self, is_own: bool, arguments: &[BString], operands: &[&BString]) {
        let is_options = |argument: &&BString| argument.len() > 1 && argument.starts_with(b"-");
        let options: Vec<&BString> = arguments.iter().take_while(is_options).collect();
        let has = |letter: u8| options.iter().any(|option| option.contains(&letter));
        for operand in operands {
            let text = operand.to_str_lossy();
            let found = raw::assignment(&text);
            let name = found.as_ref().map_or(&*text, |found| found.name).to_owned();
            let attribute = match found.as_ref().filter(|_| has(b'n')) {
                Some(found) => Some(Attribute::Reference(found.value.to_owned())),
                None if has(b'l') => Some(Attribute::Lower),
                None if has(b'u') => Some(Attribute::Upper),
                None if has(b'n') || has(b'i') || has(b'c') => Some(Attribute::Other),
                None => None,
            };
            if let Some(locals) = self.locals.as_mut().filter(|_| is_own && !has(b'g')) {
                locals.push(self.scope.local(&name));
            }
            let is_reference = matches!(attribute, Some(Attribute::Reference(_)));
            if let Some(attribute) = attribute {
                self.scope.twist(&name, attribute);
            }
            match found {
                _ if is_reference => {}
                Some(found) if found.subscript.is_empty() && listed(found.value).is_some() => {
                    let list = listed(found.value).unwrap_or_default().to_owned();
                    let list = self.elements(&list, found.appends.then_some(&name));
                    self.scope.set_list(&name, list);
                }
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

/// A command's place, and whether it has an input of its own there.
struct Reading<'p> {
    place: &'p Place,
    redirects: bool,
}

/// What is between the parentheses of an array.
fn listed(value: &str) -> Option<&str> {
    value.strip_prefix('(')?.strip_suffix(')')
}

/// The word behind an option that takes one.
fn behind_option<'a>(arguments: &'a [BString], option: &str) -> Option<&'a BString> {
    let at = arguments.iter().position(|argument| argument == option)?;
    arguments.get(at + 1)
}

fn declares(name: &[u8]) -> bool {
    matches!(name, b"export" | b"declare" | b"typeset" | b"local" | b"readonly")
}

/// Builtins behind which the same directories are there as before.
const MAKES_NOTHING: [&str; 16] = [
    "cd", "pushd", "popd", "chdir", "echo", "printf", "pwd", ":", "true", "set", "export", "[",
    "test", "shopt", "unset", "umask",
];

/// Where a `cd` leads, as a path: what only the shell will know stays in it.
fn target(word: &Word) -> BString {
    let mut path = BString::default();
    for piece in &word.pieces {
        match piece {
            Piece::Literal(bytes) => path.extend_from_slice(bytes),
            Piece::Dynamic { source, kind: Dynamic::Glob | Dynamic::Brace } => {
                path.extend_from_slice(source.as_bytes());
            }
            Piece::Dynamic { source, .. } => path.extend_from_slice(named(source).as_bytes()),
        }
    }
    let is_quoted = matches!(word.pieces.first(), Some(Piece::Literal(_))) && !word.tilde;
    if is_quoted && (path.starts_with(b"~") || path.starts_with(b"$")) {
        return [b"./", path.as_slice()].concat().into();
    }
    path
}

/// An expansion as one name of a path.
fn named(source: &str) -> &str {
    let inside = source.trim_start_matches(['$', '(', '`', ' ']);
    match source {
        _ if inside.starts_with("mktemp") => "$(mktemp)",
        _ if source.contains('/') => "$(...)",
        _ => source,
    }
}

/// Is nothing in it as it was typed? A quoted `$` is taken for an expansion: then less is known.
fn is_literal(argument: &BString) -> bool {
    !argument.contains_str("$") && !argument.contains_str("`") && !argument.starts_with(b"~")
}
