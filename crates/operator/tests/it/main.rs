//! Tests of what a person decides, as its users see it.
#![expect(clippy::unwrap_used, reason = "a test that can't go on stops")]
mod explain; // an explanation agrees with a real call
mod explain_server; // tools of every kind, and calls of them
mod explain_situation; // random policies, and what people answered before
