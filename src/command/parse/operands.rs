//! Words that are none, and the command or text that some of them are.

use std::rc::Rc;

use bstr::{BString, ByteSlice};

use super::super::words::{Word, Wrapped};
use super::super::{Grammar, Wraps};
use super::Reader;

impl<L: Fn(&str) -> Option<Rc<Grammar>>> Reader<L> {
    /// One operand among options.
    pub(super) fn operand(&mut self, word: BString, doubtful: bool, skip: &mut Option<u32>) {
        let left = skip.get_or_insert(self.level().skip_operands);
        match self.wraps() {
            Wraps::Operands | Wraps::Assignments if *left == 0 => self.inner.push(word),
            Wraps::Each => self.words.wrapped.push(Wrapped::Text(word)),
            _ => {
                *left = left.saturating_sub(1);
                self.words.words.push(Word { text: word, doubtful });
            }
        }
    }

    /// All that is left, none of it an option.
    pub(super) fn operands(&mut self, skip: Option<u32>) {
        let mut rest = std::mem::take(&mut self.rest);
        if self.wraps() == Wraps::Assignments {
            let kept = rest.iter().rposition(|w| !is_assignment(w)).map_or(0, |i| i + 1);
            rest.truncate(kept);
        }
        let skip = skip.unwrap_or(self.level().skip_operands) as usize;
        match self.wraps() {
            Wraps::Operands | Wraps::Assignments => {
                for _ in 0..skip.min(rest.len()) {
                    self.words.words.extend(rest.pop().map(|text| Word { text, doubtful: false }));
                }
                // `flock file -c text`
                while skip > 0
                    && let Some(word) = rest.pop_if(|word| self.is_text_option(word))
                {
                    self.rest = rest;
                    self.option(&word);
                    rest = std::mem::take(&mut self.rest);
                }
                self.inner.extend(rest.into_iter().rev());
            }
            Wraps::Each => {
                self.words.wrapped.extend(rest.into_iter().rev().map(Wrapped::Text));
            }
            Wraps::Shell if self.words.has_flag("-c") && self.words.wrapped.is_empty() => {
                self.words.wrapped.extend(rest.pop().map(Wrapped::Text));
                self.words.parameters.extend(rest.into_iter().rev());
            }
            Wraps::Line => {
                for _ in 0..skip.min(rest.len()) {
                    self.words.words.extend(rest.pop().map(|text| Word { text, doubtful: false }));
                }
                self.rest = rest;
                // Options may stand behind the first operand as well: ssh(1).
                while skip > 0
                    && let Some(word) =
                        self.rest.pop_if(|word| word.len() > 1 && word.starts_with(b"-"))
                    && word != "--"
                {
                    self.option(&word);
                }
                let mut rest = std::mem::take(&mut self.rest);
                // What follows `:::` is put into the text, and without a text is one itself; what
                // follows `::::` is read from files: parallel(1).
                let is_source = |word: &BString| {
                    [":::", ":::+", "::::", "::::+"].iter().any(|sign| word == sign)
                };
                let sources = rest.iter().rposition(is_source).filter(|_| self.level().fed);
                let given: Vec<BString> = rest.drain(..sources.map_or(0, |at| at + 1)).collect();
                let text = BString::from(bstr::join(" ", rest.iter().rev()));
                if text.is_empty() {
                    let mut are_files = false;
                    for text in given.into_iter().rev() {
                        match is_source(&text) {
                            true => are_files = text.starts_with(b"::::"),
                            false if are_files => {
                                self.words.words.push(Word { text, doubtful: false });
                            }
                            false => self.words.wrapped.push(Wrapped::Text(text)),
                        }
                    }
                }
                self.words.wrapped.extend((!text.is_empty()).then_some(Wrapped::Text(text)));
            }
            _ => {
                let words = rest.into_iter().rev().map(|text| Word { text, doubtful: false });
                self.words.words.extend(words);
            }
        }
    }
}

pub(super) fn is_assignment(word: &BString) -> bool {
    let Some(at) = word.find_byte(b'=') else { return false };
    let name = &word[..at];
    !name.is_empty()
        && !name[0].is_ascii_digit()
        && name.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_')
}
