//! Templates of what to do instead, filled with the words of a call.

use bstr::BString;

use super::{Form, Invocation, Rule};

impl Rule {
    /// The words behind the program's name that this rule speaks of.
    pub fn words_of(&self, call: Option<&Invocation>) -> &[String] {
        let covers = |form: &&Form| call.is_some_and(|c| form.covers(&c.words, c.stage));
        match self.subject.forms.iter().find(covers) {
            Some(Form::Command { words, .. }) => words,
            _ => &[],
        }
    }
}

/// `{program}`, `{args}`, and `{rest}`: the arguments without the words that the rule names.
/// What only the shell will know stands as it was typed; `quote` spells the other words, or says
/// that one is none to give.
pub fn expand(
    template: &str,
    call: Option<&Invocation>,
    words: &[String],
    quote: impl Fn(&BString) -> Option<String>,
) -> String {
    if !template.contains('{') {
        return template.to_owned();
    }
    let argv = call.map(|c| c.words.argv()).unwrap_or_default();
    let arguments = argv.get(1..).unwrap_or_default();
    let typed = |word: &BString| {
        let typed = call.and_then(|call| call.typed.as_ref()?.get(word));
        typed.cloned().or_else(|| quote(word))
    };
    let join = |words: &[BString]| {
        let spelled: Option<Vec<String>> = words.iter().map(typed).collect();
        spelled.map_or_else(|| "…".to_owned(), |words| words.join(" "))
    };
    let mut named = words.iter().peekable();
    let is_rest =
        |word: &&BString| named.next_if(|name| name.as_bytes() == word.as_slice()).is_none();
    let rest: Vec<BString> = arguments.iter().filter(is_rest).cloned().collect();
    let template = fill(template, "{args}", &join(arguments));
    let program = call.map(Invocation::called).unwrap_or_default();
    fill(&template, "{rest}", &join(&rest)).replace("{program}", &program)
}

fn fill(template: &str, place: &str, text: &str) -> String {
    match text.is_empty() {
        true => template.replace(&format!(" {place}"), "").replace(place, ""),
        false => template.replace(place, text),
    }
}
