//! What must hold for any bytes: each function takes a fuzzer's input, and panics when
//! a promise is broken. `tests/fuzz.rs` runs the same functions over the seeds.

mod costly;
mod description;
mod line;
mod places;
mod policy;
mod words;

pub use costly::Costly;
pub use description::description;
pub use line::{Took, line};
pub use policy::policy;
pub use words::words;

use std::path::Path;

/// Nothing that an input names is there.
fn no_file(_: &Path) -> Result<Vec<u8>, String> {
    Err("no such file".to_owned())
}
