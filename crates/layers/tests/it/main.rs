//! What the layers do, seen from a client.
#![expect(clippy::unwrap_used, reason = "a test that can't go on stops")]
mod authorize; // what is refused is hidden, and the reverse
mod configure; // settings as clients meet them
mod control; // policies, scopes, questions, rates and records
mod deadline; // tools that ask a person
mod disclose; // what a server tells about itself
mod previews; // what a call would do, and what people get to see of it
mod observe; // what logs, traces and metrics are told
mod tasks; // calls whose result is fetched later
