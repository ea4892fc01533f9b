//! Exit statuses of our own: an interface, documented in `docs/reference/exit-codes.md`.

/// What embargo itself exits with. Everything else is the real program's status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Nothing to report.
    Success,
    /// Findings: a lint, a failed example, nothing to show.
    Findings,
    /// The command line of `embargo` itself was wrong. Of `embargo hook` it is what harnesses read:
    /// the command is denied.
    Usage,
    /// A rule refuses the command; it was not run.
    Refused,
    /// The command needs a person's approval; it was not run.
    NeedsApproval,
    /// Policy or state cannot be trusted; nothing shimmed is run until a person mends it.
    Broken,
    /// The real program was found but could not be executed, as in shells.
    NotExecutable,
    /// No real program was found, as in shells.
    NotFound,
    /// What the command that was run and waited for has exited with.
    Own(u8),
}

impl Exit {
    /// Every status of our own, in numeric order, with its line of documentation.
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
        match self {
            Exit::Success => 0,
            Exit::Findings => 1,
            Exit::Usage => 2,
            Exit::Refused => 86,
            Exit::NeedsApproval => 87,
            Exit::Broken => 88,
            Exit::NotExecutable => 126,
            Exit::NotFound => 127,
            Exit::Own(status) => i32::from(status),
        }
    }
}
