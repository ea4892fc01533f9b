//! How this binary was linked: read off its own file (elf(5)).

use std::path::Path;

/// What decides what starting it costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Linked {
    Static,
    /// Static, and relocated at every start.
    StaticButMovable,
    /// By a dynamic linker, at every start.
    Dynamic,
    /// No 64-bit ELF file.
    Unknown,
}

/// Looks at the file.
pub fn linked(file: &Path) -> Linked {
    use std::io::Read as _;
    let mut head = Vec::new();
    let read = std::fs::File::open(file).and_then(|file| file.take(4096).read_to_end(&mut head));
    if read.is_err() {
        return Linked::Unknown;
    }
    of_head(&head).unwrap_or(Linked::Unknown)
}

fn of_head(head: &[u8]) -> Option<Linked> {
    const PT_INTERP: u64 = 3;
    const ET_DYN: u64 = 3;
    if !head.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let number = |at: u64, width: usize| {
        let at = usize::try_from(at).ok()?;
        let bytes = head.get(at..at.checked_add(width)?)?;
        Some(bytes.iter().rev().fold(0u64, |n, byte| n << 8 | u64::from(*byte)))
    };
    let (kind, table) = (number(16, 2)?, number(32, 8)?);
    let (size, count) = (number(54, 2)?, number(56, 2)?);
    let mut segments = (0..count.min(64)).map(|i| number(table.checked_add(i * size)?, 4));
    Some(match (segments.any(|segment| segment == Some(PT_INTERP)), kind) {
        (true, _) => Linked::Dynamic,
        (false, ET_DYN) => Linked::StaticButMovable,
        (false, _) => Linked::Static,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A head with one segment.
    fn head(kind: u8, segment: u8) -> Vec<u8> {
        let mut head = vec![0; 120];
        head[..6].copy_from_slice(b"\x7fELF\x02\x01");
        (head[16], head[32], head[54], head[56], head[64]) = (kind, 64, 56, 1, segment);
        head
    }

    #[test]
    fn by_its_type_and_its_segments() {
        let rows = [
            (head(2, 1), Some(Linked::Static)),
            (head(3, 1), Some(Linked::StaticButMovable)),
            (head(3, 3), Some(Linked::Dynamic)),
            (head(2, 3), Some(Linked::Dynamic)),
            (head(2, 1)[..40].to_vec(), None),
            (b"#!/bin/sh\n".to_vec(), None),
            (Vec::new(), None),
        ];
        for (head, wanted) in rows {
            assert_eq!(of_head(&head), wanted, "{head:?}");
        }
    }
}
