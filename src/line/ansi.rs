//! Backslash escapes: those of `$'…'`, `echo -e` and `printf`.

use bstr::BString;

/// Bytes with their escapes replaced.
pub fn unescaped(text: &[u8]) -> BString {
    let mut bytes = BString::default();
    let mut rest = text;
    while let Some((&byte, more)) = rest.split_first() {
        rest = match byte {
            b'\\' => escape(more, &mut bytes),
            _ => {
                bytes.push(byte);
                more
            }
        };
    }
    bytes
}

/// The same for `echo -e` and `%b`: an octal number begins with a zero of its own.
pub fn unescaped_by_echo(text: &[u8]) -> BString {
    let mut bytes = BString::default();
    let mut rest = text;
    while let Some((&byte, more)) = rest.split_first() {
        rest = match (byte, more.first()) {
            (b'\\', Some(b'0')) => number(&more[1..], 8, 3, &mut bytes, false),
            (b'\\', Some(b'1'..=b'7' | b'"' | b'\'' | b'?')) => {
                bytes.push(b'\\');
                more
            }
            // Nothing more is written.
            (b'\\', Some(b'c')) => return bytes,
            (b'\\', _) => escape(more, &mut bytes),
            _ => {
                bytes.push(byte);
                more
            }
        };
    }
    bytes
}

/// Replaces the escape behind a backslash; the rest is what follows it.
fn escape<'a>(rest: &'a [u8], bytes: &mut BString) -> &'a [u8] {
    let Some((&letter, more)) = rest.split_first() else {
        bytes.push(b'\\');
        return rest;
    };
    let simple = match letter {
        b'a' => 7,
        b'b' => 8,
        b'e' | b'E' => 27,
        b'f' => 12,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 11,
        b'\\' | b'\'' | b'"' | b'?' => letter,
        b'0'..=b'7' => return number(rest, 8, 3, bytes, false),
        b'x' => return number(more, 16, 2, bytes, false),
        b'u' => return number(more, 16, 4, bytes, true),
        b'U' => return number(more, 16, 8, bytes, true),
        b'c' => {
            let Some((control, more)) = more.split_first() else { return more };
            bytes.push(control & 0x1f);
            return more;
        }
        _ => {
            bytes.extend_from_slice(&[b'\\', letter]);
            return more;
        }
    };
    bytes.push(simple);
    more
}

/// Up to so many digits: a byte, or a character by its number.
fn number<'a>(
    rest: &'a [u8],
    radix: u32,
    most: usize,
    bytes: &mut BString,
    is_character: bool,
) -> &'a [u8] {
    let is_digit = |b: &&u8| char::from(**b).is_digit(radix);
    let width = rest.iter().take(most).take_while(is_digit).count();
    let (digits, more) = rest.split_at(width);
    let digit = |b: &u8| char::from(*b).to_digit(radix).unwrap_or_default();
    let value = digits.iter().fold(0_u32, |value, b| value.wrapping_mul(radix) + digit(b));
    match char::from_u32(value) {
        Some(character) if is_character => {
            bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
        _ => bytes.push(value.to_le_bytes()[0]),
    }
    more
}
