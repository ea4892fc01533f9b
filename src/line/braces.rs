//! Brace expansion: `{a,b}` and `{1..5}`, where text alone decides.

use super::atoms::Atom;

/// More words than these are not written out.
const MOST: usize = 256;
/// More braces than these are not looked at.
const BRACES: usize = 32;

/// The words that braces make of one; `None` if they are too many, or longer than what is left.
pub fn braced(atoms: &[Atom], left: &mut usize) -> Option<Vec<Vec<Atom>>> {
    let braces = atoms.iter().filter(|atom| is(atom, b'{')).count();
    match braces {
        0 => return Some(vec![atoms.to_vec()]),
        1..=BRACES if *left > 0 => {}
        _ => return None,
    }
    let words = expand(atoms)?;
    let made: usize = words.iter().map(Vec::len).sum();
    *left = left.saturating_sub(made);
    Some(words)
}

fn expand(atoms: &[Atom]) -> Option<Vec<Vec<Atom>>> {
    for (open, _) in atoms.iter().enumerate().filter(|(_, atom)| is(atom, b'{')) {
        let Some((close, commas)) = closing(atoms, open) else { continue };
        let inside = atoms.get(open + 1..close).unwrap_or_default();
        let alternatives = if commas.is_empty() {
            let Some(sequence) = sequence(inside) else { continue };
            sequence?
        } else {
            listed(inside, &commas)?
        };
        let before = atoms.get(..open).unwrap_or_default();
        let behind = expand(atoms.get(close + 1..).unwrap_or_default())?;
        if alternatives.len().saturating_mul(behind.len()) > MOST {
            return None;
        }
        let mut words = Vec::new();
        for alternative in &alternatives {
            words.extend(behind.iter().map(|behind| [before, alternative, behind].concat()));
        }
        return Some(words);
    }
    Some(vec![atoms.to_vec()])
}

/// Each alternative between commas, themselves expanded.
fn listed(inside: &[Atom], commas: &[usize]) -> Option<Vec<Vec<Atom>>> {
    let mut words = Vec::new();
    let mut from = 0;
    for to in commas.iter().copied().chain([inside.len()]) {
        words.extend(expand(inside.get(from..to).unwrap_or_default())?);
        if words.len() > MOST {
            return None;
        }
        from = to + 1;
    }
    Some(words)
}

/// Where the brace is closed, and the commas between, counted from behind it.
fn closing(atoms: &[Atom], open: usize) -> Option<(usize, Vec<usize>)> {
    let mut depth = 0_usize;
    let mut commas = Vec::new();
    for (at, atom) in atoms.iter().enumerate().skip(open + 1) {
        if is(atom, b'{') {
            depth += 1;
        } else if is(atom, b',') && depth == 0 {
            commas.push(at - open - 1);
        } else if is(atom, b'}') {
            if depth == 0 {
                return Some((at, commas));
            }
            depth -= 1;
        }
    }
    None
}

/// `1..5`, `a..e`, `1..9..2`: not one of these, or too many of them.
fn sequence(inside: &[Atom]) -> Option<Option<Vec<Vec<Atom>>>> {
    let plain = inside.iter().map(|atom| match atom {
        Atom::Byte { byte, quoted: false } if byte.is_ascii() => Some(char::from(*byte)),
        _ => None,
    });
    let text: String = plain.collect::<Option<_>>()?;
    let mut parts = text.splitn(3, "..");
    let (first, last) = (parts.next()?, parts.next()?);
    let step = parts.next().map_or(Some(1), |step| step.parse::<i64>().ok())?.saturating_abs();
    let step = step.max(1);
    let letter = |part: &str| match part.as_bytes() {
        [byte] if byte.is_ascii_alphabetic() => Some(i64::from(*byte)),
        _ => None,
    };
    let number = |part: &str| part.parse::<i64>().ok();
    let ((from, to), is_letter) = match (letter(first), letter(last)) {
        (Some(from), Some(to)) => ((from, to), true),
        _ => ((number(first)?, number(last)?), false),
    };
    let padded = |part: &str| part.trim_start_matches('-').starts_with('0') && part.len() > 1;
    let is_padded = padded(first) || padded(last);
    let width = if is_padded { first.len().max(last.len()) } else { 0 };
    if from.abs_diff(to) / step.unsigned_abs() >= MOST as u64 {
        return Some(None);
    }
    let words = (0..=from.abs_diff(to) / step.unsigned_abs()).map(|nth| {
        let far = i64::try_from(nth).unwrap_or_default().saturating_mul(step);
        let value = if from <= to { from.saturating_add(far) } else { from.saturating_sub(far) };
        let text = match u8::try_from(value) {
            Ok(byte) if is_letter => char::from(byte).to_string(),
            _ => format!("{value:0width$}"),
        };
        text.bytes().map(|byte| Atom::Byte { byte, quoted: false }).collect()
    });
    Some(Some(words.collect()))
}

fn is(atom: &Atom, wanted: u8) -> bool {
    matches!(atom, Atom::Byte { byte, quoted: false } if *byte == wanted)
}
