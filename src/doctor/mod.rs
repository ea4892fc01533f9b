//! What `embargo doctor` makes of what was seen here: facts in, symptoms out. Pure, so that
//! each is a row of a table; `sys/doctor` and `sys/shells` look, `render/doctor` speaks.

mod canary;
mod check;
mod harness;
mod path;
mod place;
mod rules;
mod shadow;
mod shell;
mod shims;
mod symptom;

pub use canary::{Call, Came, Canary, canary, examples};
pub use check::Check;
pub use harness::{OfPath, of_path};
pub use path::{Entry, Met, OnPath, path};
pub use place::{Access, Place, SeenPlace, Stands, place};
pub use rules::unshimmed;
pub use shadow::{Meant, Resolved, meant, shadow};
pub use shell::{Shell, Start, StartUp, start_up};
pub use shims::{Leads, SeenShim, shim};
pub use symptom::{Guard, Home, NotAsked, Reach, Symptom, Weight};

/// What one check saw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    pub check: Check,
    /// Worst first; at least one.
    pub symptoms: Vec<Symptom>,
}

impl Report {
    /// The worst stands in front.
    pub fn new(check: Check, symptoms: impl IntoIterator<Item: Into<Symptom>>) -> Self {
        let mut symptoms: Vec<Symptom> = symptoms.into_iter().map(Into::into).collect();
        symptoms.sort_by_key(|symptom| std::cmp::Reverse(symptom.weight()));
        Report { check, symptoms }
    }

    /// As bad as the worst symptom.
    pub fn weight(&self) -> Weight {
        self.symptoms.first().map_or(Weight::Ok, Symptom::weight)
    }
}
