//! The gateway from outside.
#![expect(clippy::unwrap_used, reason = "a test that can't go on stops")]
mod auth; // upstreams that want a token
mod deadline; // people who take longer to answer than a call may take
mod limits_table; // the table in the docs
mod pins; // which definitions of tools a person has accepted
mod session; // sessions with an upstream in memory, in virtual time
