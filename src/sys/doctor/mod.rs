//! What `embargo doctor` looks at: PATH, shims, places, the binary. Nothing here judges,
//! and nothing but the canary leaves anything, which is taken away again.

mod binary;
mod canary;
mod on_path;
mod places;
mod shims;

pub use binary::{Linked, linked};
pub use canary::tried;
pub use on_path::{Other, is_on_path, on_path, others, run_directory, without};
pub use places::place;
pub use shims::{shims, wanted_elsewhere};
