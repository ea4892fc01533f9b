//! Exit statuses of our own: an interface, documented in `docs/reference/exit-codes.md`.

/// What embargo itself exits with. Everything else is the real program's status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Nothing to report.
    Success = 0,
    /// Findings: a lint, a failed example, nothing to show.
    Findings = 1,
    /// The command line of `embargo` itself was wrong. Of `embargo hook` it is what harnesses read:
    /// the command is denied.
    Usage = 2,
    /// A rule refuses the command; it was not run.
    Refused = 86,
    /// The command needs a person's approval; it was not run.
    NeedsApproval = 87,
    /// Policy or state cannot be trusted; nothing shimmed is run until a person mends it.
    Broken = 88,
    /// The real program was found but could not be executed, as in shells.
    NotExecutable = 126,
    /// No real program was found, as in shells.
    NotFound = 127,
}

impl Exit {
    /// Every status, in numeric order, with its line of documentation.
    pub const ALL: [(Exit, &'static str); 8] = [
        (Exit::Success, "done, nothing to report"),
        (Exit::Findings, "findings: lint, a failed example, nothing to show"),
        (Exit::Usage, "wrong usage of `embargo` itself; of a hook: the command is denied"),
        (Exit::Refused, "refused by a rule; the command was not run"),
        (Exit::NeedsApproval, "needs a person's approval; the command was not run"),
        (Exit::Broken, "policy or state cannot be trusted; a person must mend it"),
        (Exit::NotExecutable, "the real program cannot be executed"),
        (Exit::NotFound, "no real program of that name"),
    ];

    /// The number handed to the caller.
    pub fn code(self) -> i32 {
        self as i32
    }
}
