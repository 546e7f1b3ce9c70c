//! What the layers do, seen from a client.
#![expect(clippy::unwrap_used, reason = "a test that can't go on stops")]
mod authorize; // what is refused is hidden, and the reverse
mod configure; // settings as clients meet them
mod upstream_settings; // settings of a server behind us
mod control; // policies, scopes, questions, rates and records
mod observe; // what logs, traces and metrics are told
