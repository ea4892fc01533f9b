//! What can be wrong with a policy or a description. The names are an interface:
//! machines read them, and `docs/reference/diagnostics.md` lists them from here.

use serde::{Serialize, Serializer};

use Level::{Error, Note, Warning};

/// A kind of fault. Declared in the order of [`Code::ALL`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Code {
    NotUtf8,
    ByteOrderMark,
    NulByte,
    TomlSyntax,
    JsonSyntax,
    NeedsNewer,
    UnknownKey,
    NotHere,
    BadType,
    BadValue,
    Blank,
    ControlCharacter,
    MissingKey,
    MissingReason,
    BlankReason,
    MissingSubject,
    BothCommandAndCmd,
    BadCommandForm,
    BadFlagForm,
    BadName,
    EmptyPattern,
    BadId,
    DuplicateId,
    UnknownVerdict,
    OverWithoutAllow,
    UnknownPack,
    ExtendsCircle,
    ExtendsDepth,
    BrokenExtends,
    ConflictingPacks,
    ExampleFails,
    InsteadRefused,
    BadOption,
    UnknownOption,
    BadGlob,
    UnknownRuleInOver,
    AllowWithoutEffect,
    SameId,
    MatchesEverything,
    NeverMatches,
    VoidAllow,
    LiteralPattern,
    NoShim,
    Shadowed,
    Misspelt,
}

/// How much a fault matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Worth knowing; the linter says it.
    Note,
    /// The file counts, and does not do what it seems to.
    Warning,
    /// Wrong: when `load` says it, nothing of the file counts.
    Error,
}

impl Code {
    /// Every code, with its level, its name and its line of documentation.
    pub const ALL: &[(Code, Level, &str, &str)] = &[
        (Code::NotUtf8, Error, "not-utf8", "the file holds bytes that are no UTF-8"),
        (Code::ByteOrderMark, Error, "byte-order-mark", "the file begins with a byte order mark"),
        (Code::NulByte, Error, "nul-byte", "the file holds a NUL byte"),
        (Code::TomlSyntax, Error, "toml-syntax", "the file is no TOML"),
        (Code::JsonSyntax, Error, "json-syntax", "the file is no JSON"),
        (
            Code::NeedsNewer,
            Error,
            "needs-newer",
            "the file requires another version of embargo; nothing else in it is looked at",
        ),
        (
            Code::UnknownKey,
            Error,
            "unknown-key",
            "a key that embargo does not know, or not at this place",
        ),
        (
            Code::NotHere,
            Error,
            "not-here",
            "a key or a file that counts only in the system's and the user's layer",
        ),
        (Code::BadType, Error, "bad-type", "a value of another type than the key takes"),
        (Code::BadValue, Error, "bad-value", "a value of the right type that means nothing"),
        (Code::Blank, Error, "blank", "a text without content"),
        (
            Code::ControlCharacter,
            Error,
            "control-character",
            "a text that is shown to people holds a control character",
        ),
        (Code::MissingKey, Error, "missing-key", "a table lacks a key that it must have"),
        (Code::MissingReason, Error, "missing-reason", "a rule without `reason`"),
        (Code::BlankReason, Error, "blank-reason", "a `reason` of white space"),
        (
            Code::MissingSubject,
            Error,
            "missing-subject",
            "a rule that says nothing of what it is about",
        ),
        (
            Code::BothCommandAndCmd,
            Error,
            "both-command-and-cmd",
            "`command` and `cmd` are two names of one key",
        ),
        (
            Code::BadCommandForm,
            Error,
            "bad-command-form",
            "a `command` that can never match as meant",
        ),
        (Code::BadFlagForm, Error, "bad-flag-form", "a flag that does not begin with a hyphen"),
        (Code::BadName, Error, "bad-name", "a name that no program can have"),
        (
            Code::EmptyPattern,
            Error,
            "empty-pattern",
            "a `pattern` or `contains` that would hit everything",
        ),
        (
            Code::BadId,
            Error,
            "bad-id",
            "an `id` of other characters than letters, digits, `.`, `_` and `-`",
        ),
        (Code::DuplicateId, Error, "duplicate-id", "two rules of one file have the same `id`"),
        (Code::UnknownVerdict, Error, "unknown-verdict", "a `verdict` that embargo does not know"),
        (
            Code::OverWithoutAllow,
            Error,
            "over-without-allow",
            "`over` in a rule whose verdict is not `allow`",
        ),
        (
            Code::UnknownPack,
            Error,
            "unknown-pack",
            "`extends` names a pack that there is not, or a file that cannot be read",
        ),
        (Code::ExtendsCircle, Error, "extends-circle", "packs or files that extend each other"),
        (
            Code::ExtendsDepth,
            Error,
            "extends-depth",
            "files extend files extend files, too deep or too many to be meant",
        ),
        (
            Code::BrokenExtends,
            Error,
            "broken-extends",
            "what `extends` names has errors, so the file that names it does not count either",
        ),
        (
            Code::ConflictingPacks,
            Error,
            "conflicting-packs",
            "two packs that cannot be combined are in force in one file",
        ),
        (
            Code::ExampleFails,
            Error,
            "example-fails",
            "an example of a rule does not hold; found by `lint` and `test`",
        ),
        (
            Code::InsteadRefused,
            Error,
            "instead-refused",
            "what a rule prescribes is refused; found by `lint` and `test`",
        ),
        (
            Code::BadOption,
            Error,
            "bad-option",
            "a description's option line is not written as manuals write it",
        ),
        (
            Code::UnknownOption,
            Error,
            "unknown-option",
            "a description names an option that it does not list",
        ),
        (
            Code::BadGlob,
            Error,
            "bad-glob",
            "a path of a rule on effects names nothing that there can be",
        ),
        (
            Code::UnknownRuleInOver,
            Warning,
            "unknown-rule-in-over",
            "`over` names a rule that is not in reach",
        ),
        (
            Code::AllowWithoutEffect,
            Warning,
            "allow-without-effect",
            "an `allow` that has nothing to silence where it stands",
        ),
        (
            Code::SameId,
            Warning,
            "same-id",
            "a file and what it extends have rules of the same id, and both count",
        ),
        (
            Code::MatchesEverything,
            Warning,
            "matches-everything",
            "a `pattern` or `contains` without a command that hits every line",
        ),
        (
            Code::NeverMatches,
            Warning,
            "never-matches",
            "a rule, or one of its commands or flags, that no call is hit by; found by `lint`",
        ),
        (
            Code::VoidAllow,
            Warning,
            "void-allow",
            "an `allow` of what a rule refuses that it cannot silence; found by `lint`",
        ),
        (
            Code::LiteralPattern,
            Note,
            "literal-pattern",
            "a pattern that is no regex is taken literally",
        ),
        (
            Code::NoShim,
            Note,
            "no-shim",
            "no shim is made for the rule: it bites where a line is seen",
        ),
        (
            Code::Shadowed,
            Note,
            "shadowed",
            "a rule on what a broader rule refuses already; found by `lint`",
        ),
        (
            Code::Misspelt,
            Note,
            "misspelt",
            "a program, subcommand or flag that is not known, a slip away from one that is; found by `lint`",
        ),
    ];

    /// The name in messages and JSON.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].2
    }

    /// How much it matters.
    pub fn level(self) -> Level {
        Self::ALL[self as usize].1
    }

    /// One line of documentation.
    pub fn documentation(self) -> &'static str {
        Self::ALL[self as usize].3
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl Level {
    /// The word in messages.
    pub fn name(self) -> &'static str {
        match self {
            Note => "note",
            Warning => "warning",
            Error => "error",
        }
    }
}
