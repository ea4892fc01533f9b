//! The core: rules, invocations, and the one function that judges.
//!
//! Pure and total: no files, no clock, no environment, no failure. Everything a
//! rule may depend on is in the [`Invocation`].

mod ancestry;
mod effects;
mod exit;
mod fed;
mod form;
mod glob;
mod interpreter;
mod invocation;
mod judge;
mod layer;
mod pattern;
mod place;
mod rule;
mod shimmed;
mod template;
mod verdict;
mod whole;
mod why;

pub use ancestry::{Ancestry, Caller, Process};
pub use exit::Exit;
pub use form::{FlagChoice, Form, Operator, ParseFormError};
pub use glob::matches_name;
pub use interpreter::{Operand, interpreted};
pub use invocation::{Feeder, Invocation, Machine, Stage};
pub use judge::{judge, judge_all};
pub use layer::Layer;
pub use pattern::Pattern;
pub use place::{Location, Place};
pub use rule::{
    Callers, Effects, Exception, Machines, Origin, Reserved, Rule, RuleId, Ruling, Says, Subject,
};
pub use shimmed::{guarded_names, shimmed_names};
pub use template::expand;
pub use verdict::{Because, Refusal, Severity, Verdict};
pub use whole::{Accepted, Policy, Protect, Settings};
pub use why::{Miss, Standing, considered};
