//! Globs of paths, component by component: `*`, `?` and `[…]` within one, `**` for any number
//! of them. Both sides may be a glob: of `rm d*` it is not known what the shell will find.

/// One component, as signs.
pub(super) type Name = Vec<Sign>;

/// What a component is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Sign {
    Byte(u8),
    One,
    Any,
    /// Ranges of bytes, and whether what is in them fits.
    Set(Vec<(u8, u8)>, bool),
}

/// A component of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// `**`
    Deep,
    Name(Name),
}

/// The components of a glob without `.`, `..` and `//`.
pub(super) fn steps(components: &[&[u8]]) -> Vec<Step> {
    let step = |c: &&[u8]| if *c == b"**" { Step::Deep } else { Step::Name(name(c)) };
    components.iter().map(step).collect()
}

/// A component that is taken as it stands.
pub(super) fn literal(component: &[u8]) -> Name {
    component.iter().map(|b| Sign::Byte(*b)).collect()
}

/// A component in which signs of a glob have their meaning.
pub(super) fn name(component: &[u8]) -> Name {
    let mut signs = Vec::new();
    let mut rest = component;
    while let Some((first, more)) = rest.split_first() {
        rest = more;
        signs.push(match first {
            b'*' => Sign::Any,
            b'?' => Sign::One,
            b'[' => match set(more) {
                Some((set, after)) => {
                    rest = after;
                    set
                }
                None => Sign::Byte(b'['),
            },
            byte => Sign::Byte(*byte),
        });
    }
    signs
}

/// `a-z]`, `!a]`; the first byte may be `]`. `None` without an end.
fn set(rest: &[u8]) -> Option<(Sign, &[u8])> {
    let negated = rest.first().is_some_and(|b| matches!(b, b'!' | b'^'));
    let rest = if negated { &rest[1..] } else { rest };
    let end = 1 + rest.iter().skip(1).position(|b| *b == b']')?;
    let (mut bytes, after) = (&rest[..end], &rest[end + 1..]);
    let mut ranges = Vec::new();
    while let Some(low) = bytes.first() {
        let range = bytes.get(1) == Some(&b'-') && bytes.len() > 2;
        ranges.push((*low, if range { bytes[2] } else { *low }));
        bytes = &bytes[if range { 3 } else { 1 }..];
    }
    Some((Sign::Set(ranges, !negated), after))
}

/// Does a component of a glob fit this name?
pub fn matches_name(pattern: &[u8], own: &[u8]) -> bool {
    meet(&name(pattern), &literal(own))
}

/// Is there a name that fits both?
fn meet(a: &[Sign], b: &[Sign]) -> bool {
    let width = b.len() + 1;
    let mut reached = vec![false; (a.len() + 1) * width];
    reached[0] = true;
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            if !reached[i * width + j] {
                continue;
            }
            let (x, y) = (a.get(i), b.get(j));
            let (any_x, any_y) = (x == Some(&Sign::Any), y == Some(&Sign::Any));
            if any_x || any_y && x.is_some() {
                reached[(i + 1) * width + j] = true;
            }
            if any_y || any_x && y.is_some() {
                reached[i * width + j + 1] = true;
            }
            if let (Some(x), Some(y)) = (x, y)
                && same(x, y)
            {
                reached[(i + 1) * width + j + 1] = true;
            }
        }
    }
    reached.last() == Some(&true)
}

/// May one byte fit both?
fn same(a: &Sign, b: &Sign) -> bool {
    match (a, b) {
        (Sign::Byte(a), Sign::Byte(b)) => a == b,
        (Sign::Byte(byte), Sign::Set(ranges, fits))
        | (Sign::Set(ranges, fits), Sign::Byte(byte)) => {
            ranges.iter().any(|(low, high)| (low..=high).contains(&byte)) == *fits
        }
        _ => true,
    }
}

/// Is the path one that the pattern names, or inside of one?
pub(super) fn holds(pattern: &[Step], path: &[Name]) -> bool {
    reached(pattern, path).contains(&true)
}

/// Does the pattern name this very path?
pub(super) fn names(pattern: &[Step], path: &[Name]) -> bool {
    reached(pattern, path).last() == Some(&true)
}

/// Which lengths of the path the pattern names.
fn reached(pattern: &[Step], path: &[Name]) -> Vec<bool> {
    let mut at = vec![false; path.len() + 1];
    at[0] = true;
    for step in pattern {
        let mut next = vec![false; path.len() + 1];
        for i in (0..=path.len()).filter(|i| at[*i]) {
            match step {
                Step::Deep => next[i..].fill(true),
                Step::Name(name) => {
                    if path.get(i).is_some_and(|own| finds(own, name)) {
                        next[i + 1] = true;
                    }
                }
            }
        }
        at = next;
    }
    at
}

/// Is the path what the pattern names, or all that is in it (`dir/*`)?
pub(super) fn takes_all(pattern: &[Step], path: &[Name]) -> bool {
    let is_all = |name: &Name| {
        name.contains(&Sign::Any)
            && name.iter().all(|sign| !matches!(sign, Sign::Byte(byte) if *byte != b'.'))
    };
    let inside = path.split_last().filter(|(last, _)| is_all(last)).map(|(_, above)| above);
    names(pattern, path) || inside.is_some_and(|path| names(pattern, path))
}

/// Is the path a directory that what the pattern names must be in? Behind `**` nothing must.
pub(super) fn is_in(pattern: &[Step], path: &[Name]) -> bool {
    path.len() <= pattern.len()
        && pattern.iter().zip(path).all(|(step, own)| match step {
            Step::Deep => false,
            Step::Name(name) => finds(own, name),
        })
}

/// May a component of a path, as a shell finds files by it, be one that the pattern names? Signs
/// at its beginning find no leading dot: bash(1), Pathname Expansion.
fn finds(own: &[Sign], pattern: &[Sign]) -> bool {
    let is_literal = |sign: &Sign| matches!(sign, Sign::Byte(_));
    let hidden = pattern.first() == Some(&Sign::Byte(b'.'));
    !(hidden && own.first().is_some_and(|sign| !is_literal(sign))) && meet(pattern, own)
}
