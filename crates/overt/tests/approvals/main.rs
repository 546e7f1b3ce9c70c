//! Approvals through the whole program: `overt run` and `overt fs` as users start them, with
//! authorization, the audit log and pins on, in both eras, over stdio and HTTP.
#![expect(clippy::unwrap_used, reason = "a test that can't go on stops")]

mod kit; // an upstream that counts, `overt run` before it, clients of both eras, people who answer
mod parallel; // many calls at once, few questions
mod understood; // nobody is asked about a call that can't run
mod changed; // a plan, a policy or a tool that changes while somebody decides
mod trusted; // what a server says about itself
mod waiting; // a call waits only while somebody can answer
mod wider; // answers that go further than one call, and answers that nobody gave
