//! What is looked into. The names are an interface: `docs/reference/doctor.md` lists them from here.

/// One check. Declared in the order of [`Check::ALL`], which is the one they are told in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Check {
    Path,
    LoginShell,
    InteractiveShell,
    ShC,
    Shadowed,
    Shims,
    Rules,
    Canary,
    Policy,
    State,
    Log,
    HomeRecord,
    Build,
    Harness,
    OtherEmbargoes,
}

impl Check {
    /// Every check, with its name and its line of documentation.
    pub const ALL: [(Check, &'static str, &'static str); 15] = [
        (Check::Path, "path", "the shims are first on PATH here"),
        (Check::LoginShell, "login-shell", "they are first in a login shell (`$SHELL -lc`)"),
        (Check::InteractiveShell, "interactive-shell", "and in an interactive one (`$SHELL -ic`)"),
        (Check::ShC, "sh-c", "and in `sh -c`, as programs start it"),
        (Check::Shadowed, "shadowed", "no alias or function of a shell hides a shim"),
        (Check::Shims, "shims", "every shim leads to this embargo, and has a program behind it"),
        (Check::Rules, "rules", "every rule that can bite in a shim has one"),
        (Check::Canary, "canary", "a command is really refused, and another let through"),
        (
            Check::Policy,
            "policy",
            "the policy files in force, their authority, and that they are sound",
        ),
        (Check::State, "state", "configuration, state and cache are there, and ours to write"),
        (Check::Log, "log", "the evidence log can be read, and its chain is whole"),
        (Check::HomeRecord, "home-record", "the record beside the shims says where the state is"),
        (Check::Build, "build", "how this embargo is linked, and what that costs"),
        (Check::Harness, "harness", "which harness runs this, and what it does to PATH"),
        (Check::OtherEmbargoes, "other-embargoes", "no second embargo is on PATH"),
    ];

    /// The name in messages and JSON.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// One line of documentation.
    pub fn documentation(self) -> &'static str {
        Self::ALL[self as usize].2
    }
}

#[cfg(test)]
mod tests {
    use super::Check;

    #[test]
    fn the_list_has_the_order_of_the_enum() {
        for (place, (check, name, _)) in Check::ALL.iter().enumerate() {
            assert_eq!((*check as usize, check.name()), (place, *name));
        }
    }
}
