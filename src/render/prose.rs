//! Small pieces of English: clauses, quoted commands, text that is safe on a terminal.

/// Verbs that an alternative may begin with; anything else is a thing to use.
const VERBS: [&str; 88] = [
    "add", "apply", "ask", "build", "call", "change", "check", "choose", "clean", "commit",
    "compile", "convert", "copy", "create", "delete", "deploy", "describe", "do", "download",
    "drop", "edit", "execute", "export", "fetch", "filter", "find", "fix", "generate", "get",
    "give", "go", "grep", "import", "inspect", "install", "keep", "launch", "leave", "let",
    "limit", "list", "load", "look", "make", "merge", "move", "name", "open", "pass", "pick",
    "pipe", "prefer", "print", "propose", "pull", "push", "put", "query", "quote", "read",
    "redirect", "remove", "rename", "replace", "report", "request", "restore", "review", "run",
    "save", "search", "see", "select", "send", "set", "show", "start", "stop", "submit", "switch",
    "take", "tell", "test", "try", "turn", "update", "use", "write",
];

/// Longest piece of somebody else's text that is shown whole.
const SHOWN: usize = 400;

/// A reason or alternative as part of a sentence: without its full stop.
pub fn clause(text: &str) -> String {
    let text = text.trim();
    let text = match text.split_once(' ') {
        Some((first, rest)) if first.eq_ignore_ascii_case("because") => rest.trim_start(),
        _ => text,
    };
    shown(text.trim_end_matches(['.', '!']).trim_end())
}

/// What follows "Instead, ": the alternative when it begins with a verb, else a thing to use.
pub fn instead(alternative: &str) -> String {
    let text = clause(alternative);
    let first: String = text.chars().take_while(|c| c.is_alphabetic()).collect();
    let followed = text[first.len()..].starts_with([' ', ':', ',']) || text.len() == first.len();
    let lower = first.to_lowercase();
    if followed && text.len() > first.len() && VERBS.contains(&lower.as_str()) {
        return format!("{lower}{}", &text[first.len()..]);
    }
    if text.contains('`') { format!("use {text}") } else { format!("use {}", backquoted(&text)) }
}

/// In back-quotes, on one line.
pub fn backquoted(text: &str) -> String {
    format!("`{}`", shown(text))
}

/// Text of others for a terminal: no control characters, not without end.
pub fn shown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (i, c) in text.chars().enumerate() {
        if i == SHOWN {
            out.push('…');
            break;
        }
        match c {
            '\n' | '\t' | '\r' => out.push(' '),
            c if c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c) => {
                out.extend(c.escape_unicode());
            }
            c => out.push(c),
        }
    }
    out
}
