//! Tests of the decision, by example and by property.
#![expect(clippy::unwrap_used, reason = "a test that can't go on stops")]

mod cases; // the number of random cases
mod decision; // decisions about what may be done
