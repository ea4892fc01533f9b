//! What records are filed under.

/// One place in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key<'a> {
    /// Every call.
    Everything,
    /// Calls of a program.
    Program(&'a [u8]),
    /// Calls of a program whose first word is this.
    Word(&'a [u8], &'a [u8]),
    /// Calls of a program (or, when empty, any) whose text holds this trigram.
    Trigram(&'a [u8], [u8; 3]),
    /// Calls whose text holds this literal of one or two bytes.
    Short(&'a str),
    /// Every such literal.
    Shorts,
    /// There are trigrams for this program.
    HasTrigrams(&'a [u8]),
    /// A grammar by path.
    Grammar(&'a str),
    /// A described program by exact name.
    Named(&'a [u8]),
    /// Described programs with a version suffix, by stem.
    Versioned(&'a [u8]),
    Reserved(&'a [u8]),
    /// What is protected without any check.
    Protects,
    /// Checks by their program.
    Accepted(&'a [u8]),
    /// Rules on what calls do, whatever their commands.
    Acts,
    /// Forms of what feeds a command, of all rules that name it.
    Feeders,
    /// Names of programs that rules speak of.
    Spoken,
    /// What a described program does, by paths of its subcommands.
    Effects(&'a [u8]),
}

impl Key<'_> {
    /// FNV-1a, 64 bits. A collision costs a decoded record that does not hit, no more.
    pub(super) fn hash(self) -> u64 {
        let (tag, a, b): (u8, &[u8], &[u8]) = match &self {
            Key::Everything => (1, b"", b""),
            Key::Program(p) => (2, p, b""),
            Key::Word(p, w) => (3, p, w),
            Key::Trigram(p, t) => (4, p, t),
            Key::HasTrigrams(p) => (5, p, b""),
            Key::Grammar(p) => (6, p.as_bytes(), b""),
            Key::Named(p) => (7, p, b""),
            Key::Versioned(p) => (8, p, b""),
            Key::Reserved(p) => (9, p, b""),
            Key::Short(l) => (10, l.as_bytes(), b""),
            Key::Shorts => (11, b"", b""),
            Key::Acts => (12, b"", b""),
            Key::Effects(p) => (13, p, b""),
            Key::Protects => (16, b"", b""),
            Key::Accepted(p) => (17, p, b""),
            Key::Feeders => (14, b"", b""),
            Key::Spoken => (15, b"", b""),
        };
        let mix = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        let hash = mix(0xcbf2_9ce4_8422_2325, &tag);
        let hash = mix(a.iter().fold(hash, mix), &0);
        // The table takes low bits: fold the high ones in. Zero marks a free slot.
        let hash = b.iter().fold(hash, mix);
        (hash ^ (hash >> 32)).max(1)
    }
}

/// Three bytes at a time, as the index of text rules is made of.
pub(super) fn trigrams(text: &[u8]) -> impl Iterator<Item = [u8; 3]> {
    text.windows(3).map(|w| [w[0], w[1], w[2]])
}
