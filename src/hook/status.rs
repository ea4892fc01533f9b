//! Harnesses that read the exit status, and standard error for the reason: Windsurf, Kiro, Augment
//! (documented), Factory's droid (measured: exit 2; its Claude-like JSON is documented only), and our
//! own plugin for OpenCode, which throws what stands on standard error.
//!
//! None of them can ask; any status but 0 and 2 lets the command run, but for the plugin.

use super::{Answer, Reply};

/// Exit 2 or silence.
pub(super) fn answer(reply: Reply<'_>) -> Answer {
    match reply {
        Reply::Deny(text) | Reply::Ask(text) => Answer::denied(text),
        Reply::Silence | Reply::Note(_) => Answer::default(),
    }
}
