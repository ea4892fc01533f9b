//! "Did you mean": the nearest of the words that would have been right.

/// Words of other tools, and what they are called here.
const SYNONYMS: &[(&str, &str)] = &[
    ("because", "reason"),
    ("why", "reason"),
    ("message", "reason"),
    ("description", "reason"),
    ("regex", "pattern"),
    ("match", "pattern"),
    ("literal", "contains"),
    ("use-instead", "alternative"),
    ("use_instead", "alternative"),
    ("suggestion", "alternative"),
    ("suggest", "alternative"),
    ("name", "id"),
    ("program", "command"),
    ("commands", "command"),
    ("except", "unless"),
    ("exceptions", "unless"),
    ("action", "verdict"),
    ("decision", "verdict"),
    ("rule", "embargo"),
    ("rules", "embargo"),
    ("deny", "refuse"),
    ("block", "refuse"),
    ("forbid", "refuse"),
    ("forbidden", "refuse"),
    ("permit", "allow"),
    ("confirm", "ask"),
    ("prompt", "ask"),
    ("warning", "warn"),
];

/// The candidate that `word` was probably meant to be.
pub(super) fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str> + Clone,
) -> Option<&'a str> {
    let plain = |text: &str| text.to_lowercase().replace('-', "_");
    let word = plain(word);
    let meant = SYNONYMS.iter().find(|(other, _)| plain(other) == word).map(|(_, ours)| *ours);
    if let Some(ours) = candidates.clone().into_iter().find(|c| Some(*c) == meant) {
        return Some(ours);
    }
    // One slip in a short word, two in a longer one: more would be guessing.
    let slips = if word.chars().count() < 5 { 1 } else { 2 };
    candidates
        .into_iter()
        .map(|c| (strsim::damerau_levenshtein(&word, &plain(c)), c))
        .filter(|(distance, _)| *distance <= slips)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, c)| c)
}

/// What to do about an unknown key: "did you mean `x`?", else the keys that there are.
pub(super) fn key(word: &str, keys: &[&str]) -> String {
    match nearest(word, keys.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the keys here are {}", all(keys, "and")),
    }
}

/// What to do about an unknown word: the words that there are, the nearest first.
pub(super) fn word(word: &str, words: &[&str]) -> String {
    match nearest(word, words.iter().copied()) {
        Some(near) => format!("did you mean `{near}`? Write {}", all(words, "or")),
        None => format!("write {}", all(words, "or")),
    }
}

/// "`a`, `b` or `c`".
fn all(words: &[&str], between: &str) -> String {
    let quoted: Vec<String> = words.iter().map(|w| format!("`{w}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} {between} {last}", others.join(", ")),
        None => String::new(),
    }
}

/// The word that `word` is one slip of, where a stranger to us may be right as it is: letters
/// exchanged, or one inside of a longer word; never the first or the last (`cmake`, `dockerd`).
pub(super) fn slip<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let letters = |text: &str| text.trim_start_matches('-').chars().collect::<Vec<char>>();
    let sorted = |letters: &[char]| {
        let mut letters = letters.to_vec();
        letters.sort_unstable();
        letters
    };
    let is_slip = |near: &&str| {
        let (ours, theirs) = (letters(word), letters(near));
        let is_inside = ours.len().min(theirs.len()) > 4 && ours.last() == theirs.last();
        strsim::damerau_levenshtein(word, near) == 1
            && ours.first() == theirs.first()
            && (is_inside || sorted(&ours) == sorted(&theirs))
    };
    known.into_iter().find(is_slip).map(str::to_owned)
}
