//! Tests of the gateway through its public interface.
#![expect(clippy::unwrap_used, reason = "a test that can't go on stops")]
mod deadline; // people who take longer to answer than a call may take
mod limits_table; // the table of limits in the docs
mod pins; // which tool definitions a person has accepted
mod session; // sessions with an upstream in memory, in virtual time
