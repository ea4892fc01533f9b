//! Where text that is about to be run comes from: from a download or a decoder, unread. The
//! descriptions say what prints such text (`prints = "download"`); what stands between passes
//! it on.

use bstr::{BStr, BString, ByteSlice};

use crate::command::{Act, Effect, Object, Thing, Words, Wraps, effects};
use crate::line::{self, Command, Dynamic, Piece, RedirectOperator, Word};
use crate::policy::Ancestry;

use super::View;

/// So many commands are asked what they print, for one that runs it.
const ASKED: usize = 64;
/// Longer texts are not asked.
const LONGEST: usize = 2 << 10;
/// So many bytes of text are read for that in a line, each text as often as it is asked.
pub(super) const ASKED_BYTES: usize = 1 << 14;
/// Substitutions inside substitutions.
const DEPTH: usize = 4;

impl View<'_> {
    /// What a command of a line runs besides what its words name: text that nobody has read, and
    /// what only the shell will know.
    pub(super) fn runs_unread(
        &self,
        words: &Words,
        commands: &[Command],
        at: usize,
        bytes: &mut usize,
    ) -> Vec<Effect> {
        let mut asked = Asked { commands: ASKED, bytes };
        let mut things = Vec::new();
        let operand = words.words().first().map(|word| word.text.as_bstr());
        if self.reads_program(words) {
            things.extend(self.fed_by(commands, at, &mut asked));
        }
        if self.runs_operand(words)
            && let Some(inner) = operand.and_then(process_substitution)
        {
            things.extend(self.printed_by(&inner.to_str_lossy(), DEPTH, &mut asked));
        }
        things.into_iter().map(runs).collect()
    }

    /// The same for a command as it was typed: `$(curl …)` runs what it prints.
    pub(super) fn runs_what_it_prints(&self, command: &Command, bytes: &mut usize) -> Vec<Effect> {
        let Some(word) = command.name().filter(|_| command.is_dynamic()) else { return Vec::new() };
        let mut asked = Asked { commands: ASKED, bytes };
        let inside = substitutions(word);
        let unread = inside.iter().find_map(|text| self.printed_by(text, DEPTH, &mut asked));
        unread.into_iter().chain([Thing::Unknown]).map(runs).collect()
    }

    /// A shell or an interpreter without a script and without text: its standard input is what
    /// it runs.
    pub(super) fn reads_program(&self, words: &Words) -> bool {
        let is_input = |word: &BStr| matches!(word.as_bytes(), b"-" | b"/dev/stdin" | b"/dev/fd/0");
        let operand = words.words().first().map(|word| word.text.as_bstr());
        match self.runs_as(words) {
            Runs::Shell => {
                !words.has_flag("-c") && (operand.is_none_or(is_input) || words.has_flag("-s"))
            }
            Runs::Script => {
                operand.is_none_or(is_input)
                    && words.wrapped().is_empty()
                    && super::code::given(words).next().is_none()
                    && !words.flags().iter().any(|flag| is_question(&flag.name))
            }
            Runs::Sourced => operand.is_some_and(is_input),
            Runs::Nothing => false,
        }
    }

    pub(super) fn runs_operand(&self, words: &Words) -> bool {
        match self.runs_as(words) {
            Runs::Shell => !words.has_flag("-c"),
            Runs::Script => super::code::given(words).next().is_none(),
            Runs::Sourced => true,
            Runs::Nothing => false,
        }
    }

    /// May it run a text or a file as commands or code?
    pub(super) fn runs_text(&self, words: &Words) -> bool {
        !matches!(self.runs_as(words), Runs::Nothing)
    }

    fn runs_as(&self, words: &Words) -> Runs {
        let program = words.program().to_str_lossy();
        if matches!(&*program, "source" | ".") {
            return Runs::Sourced;
        }
        match self.grammar(&program) {
            Some(grammar) if grammar.wraps == Wraps::Shell => Runs::Shell,
            Some(_) if super::code::is_known(&program) => Runs::Script,
            _ => Runs::Nothing,
        }
    }

    /// The same for what is put into the words of a shell: `curl … | xargs sh -c`.
    pub(super) fn fed_unread(
        &self,
        commands: &[Command],
        at: usize,
        bytes: &mut usize,
    ) -> Vec<Effect> {
        let mut asked = Asked { commands: ASKED, bytes };
        self.fed_by(commands, at, &mut asked).map(runs).into_iter().collect()
    }

    /// What the text that a command reads has come from.
    fn fed_by(&self, commands: &[Command], at: usize, asked: &mut Asked<'_>) -> Option<Thing> {
        let command = commands.get(at)?;
        for redirection in &command.redirections {
            if redirection.operator == RedirectOperator::Read {
                for text in substitutions(&redirection.target) {
                    if let Some(thing) = self.printed_by(&text, DEPTH, asked) {
                        return Some(thing);
                    }
                }
            }
        }
        let before = command.writers.iter().filter(|writer| **writer < at);
        before.rev().find_map(|writer| self.passed_on(commands, *writer, DEPTH, asked))
    }

    /// What a text prints when it is run.
    fn printed_by(&self, text: &str, depth: usize, asked: &mut Asked<'_>) -> Option<Thing> {
        let depth = depth.checked_sub(1)?;
        if text.len() > LONGEST {
            return None;
        }
        *asked.bytes = asked.bytes.checked_sub(text.len())?;
        let line = line::parse_briefly(text);
        let outer = |at: &usize| {
            let nesting = line.commands.get(*at).map(|command| &command.nesting[..]);
            !nesting.unwrap_or_default().contains(&line::Nest::Substitution)
        };
        (0..line.commands.len())
            .filter(outer)
            .find_map(|at| self.passed_on(&line.commands, at, depth, asked))
    }

    /// What a command prints itself, or passes on of what it reads and names.
    fn passed_on(
        &self,
        commands: &[Command],
        at: usize,
        depth: usize,
        asked: &mut Asked<'_>,
    ) -> Option<Thing> {
        asked.commands = asked.commands.checked_sub(1)?;
        let command = commands.get(at)?;
        let argv: Vec<BString> = command.argv();
        for call in self.calls(&argv, &Ancestry::default()) {
            let does = effects(&call.words, &self.clauses(call.words.path()), &[]);
            let printed = does.into_iter().find(|effect| effect.act == Act::Prints);
            if let Some(Effect { on: Object::Thing(thing), .. }) = printed {
                return Some(thing);
            }
        }
        for text in command.words.iter().flat_map(substitutions) {
            if let Some(thing) = self.printed_by(&text, depth, asked) {
                return Some(thing);
            }
        }
        self.fed_by(commands, at, asked)
    }
}

/// What may still be asked.
struct Asked<'b> {
    commands: usize,
    bytes: &'b mut usize,
}

/// How a program runs text.
enum Runs {
    /// Its standard input, or a script.
    Shell,
    /// The same, in another language.
    Script,
    /// A file, in the shell that the line is for.
    Sourced,
    Nothing,
}

fn runs(thing: Thing) -> Effect {
    Effect { act: Act::Runs, on: Object::Thing(thing) }
}

fn is_question(flag: &BString) -> bool {
    matches!(flag.as_slice(), b"--version" | b"--help" | b"-V" | b"-h" | b"-v")
}

/// The text in `<(…)`.
fn process_substitution(word: &BStr) -> Option<&[u8]> {
    word.strip_prefix(b"<(")?.strip_suffix(b")")
}

/// The texts in a word that a shell will run to know it.
fn substitutions(word: &Word) -> Vec<String> {
    let source = |piece: &Piece| match piece {
        Piece::Dynamic { source, kind: Dynamic::Substitution } => Some(source.clone()),
        _ => None,
    };
    let text = |source: String| {
        let inside = source.strip_prefix("$(").or(source.strip_prefix("<("));
        match inside.and_then(|text| text.strip_suffix(')')) {
            Some(text) => text.to_owned(),
            None => source.trim_matches('`').to_owned(),
        }
    };
    word.pieces.iter().filter_map(source).map(text).collect()
}
