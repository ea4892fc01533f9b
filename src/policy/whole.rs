//! The policy in force: all layers together.

use serde::{Deserialize, Serialize};

use super::{Form, Origin, Reserved, Rule};
use crate::seal::Tier;

/// Rules, reserved names and settings of every layer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Policy {
    pub rules: Vec<Rule>,
    pub reserved: Vec<Reserved>,
    pub protects: Vec<Protect>,
    pub acceptances: Vec<Accepted>,
    pub settings: Settings,
}

/// `[[protect]]`: paths that stay as they are, without any check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Protect {
    pub origin: Origin,
    /// Globs, as they are written.
    pub paths: Vec<String>,
    pub reason: Option<String>,
    pub alternative: Option<String>,
    pub tier: Tier,
}

/// `[[acceptance]]`: a command that is a check, and what it proves besides what it names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accepted {
    pub origin: Origin,
    pub forms: Vec<Form>,
    pub name: Option<String>,
    pub outputs: Vec<String>,
    pub roots: Vec<String>,
    pub entries: Vec<String>,
    pub generators: Vec<String>,
}

/// `[default]`: what a refusal does besides refusing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// Say a refusal on stdout too when stderr is not seen.
    pub notice_on_stdout: bool,
    /// From which offence on a person is told.
    pub surface_after: u32,
    /// Fixed argv that tells a person; empty means the desktop's own notifier.
    pub notify: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { notice_on_stdout: false, surface_after: 2, notify: Vec::new() }
    }
}
