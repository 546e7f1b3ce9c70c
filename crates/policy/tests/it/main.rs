//! The decision, by example and by property.
#![expect(clippy::unwrap_used, reason = "a test that can't go on stops")]

mod cases; // how many random cases
mod decision; // what may be done
mod suggest; // what would have allowed what was done
