//! Codex's answers: a part of Claude's, and the rest is punished.
//!
//! Source (`hooks/src/engine/output_parser.rs`, 0.153 to 0.160) and documented: a bare `allow`, an
//! `ask`, an unknown key, an empty reason or any exit but 0 and 2 is a failed hook, and the command
//! runs. Silence is the only allow. What VS Code gets fits; here no ask ever leaves.

use super::{Answer, Reply, claude};

/// JSON, exit 0.
pub(super) fn answer(name: &str, reply: Reply<'_>) -> Answer {
    match reply {
        // Its own prompt follows on `PermissionRequest`; elsewhere nobody asks for one.
        Reply::Ask(_) => Answer::default(),
        reply => claude::answer(name, reply),
    }
}
