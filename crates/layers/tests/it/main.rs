//! Tests of the layers from a client's point of view.
#![expect(clippy::unwrap_used, reason = "a test that can't go on stops")]
mod authorize; // refused entries are hidden, and the reverse
mod configure; // settings as clients see them
mod upstream_settings; // settings of the upstream
mod control; // policies, scopes, questions, rates and records
mod redefined; // a tool whose definition changes while its call is recorded
mod observe; // what logs, traces and metrics receive
