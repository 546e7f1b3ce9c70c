//! The gateway from outside.
#![expect(clippy::unwrap_used, reason = "a test that can't go on stops")]
mod limits_table;
mod pins; // which definitions of tools a person has accepted
