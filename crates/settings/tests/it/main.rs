//! Tests of proposals from past calls.
#![expect(clippy::unwrap_used, reason = "a test that can't go on stops")]

#[path = "../../../policy/tests/it/cases.rs"]
mod cases; // the number of random cases
mod suggest; // proposals from past calls
