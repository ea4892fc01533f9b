//! JSON text with halves of surrogate pairs, which `JSON.stringify` writes for a text that was cut
//! in the middle of a character, and which no UTF-8 has.

/// The same with U+FFFD in place of each half that stands alone.
pub(super) fn paired(json: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(json.len());
    let mut rest = json;
    while let Some((first, more)) = rest.split_first() {
        let width = match (first, half(rest)) {
            (b'\\', Some(Half::High)) if half(&rest[6..]) == Some(Half::Low) => 12,
            (b'\\', Some(_)) => {
                text.extend_from_slice(br"\ufffd");
                rest = &rest[6..];
                continue;
            }
            // What is escaped begins no escape itself.
            (b'\\', None) => 1 + usize::from(!more.is_empty()),
            _ => 1,
        };
        text.extend_from_slice(&rest[..width]);
        rest = &rest[width..];
    }
    text
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Half {
    High,
    Low,
}

/// The half that an escape at the start of this text stands for.
fn half(text: &[u8]) -> Option<Half> {
    let digits = text.strip_prefix(br"\u")?.get(..4)?;
    let number = u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    match number {
        0xd800..=0xdbff => Some(Half::High),
        0xdc00..=0xdfff => Some(Half::Low),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::paired;

    #[test]
    fn only_halves_that_stand_alone_are_replaced() {
        let rows = [
            (r#""a\ud800b""#, r#""a\ufffdb""#),
            (r#""\ud83d\ude00""#, r#""\ud83d\ude00""#),
            (r#""\ude00\ud83d""#, r#""\ufffd\ufffd""#),
            (r#""\\ud800""#, r#""\\ud800""#),
            (r#""\\\ud800""#, r#""\\\ufffd""#),
            (r#""\ud800\ud800\udc00""#, r#""\ufffd\ud800\udc00""#),
            (r#""\ud8"#, r#""\ud8"#),
            ("\\", "\\"),
            ("é\\n", "é\\n"),
        ];
        for (json, wanted) in rows {
            assert_eq!(String::from_utf8_lossy(&paired(json.as_bytes())), wanted, "{json}");
        }
    }
}
