//! Approvals through the whole program: `overt run` and `overt fs` as users start them, with
//! authorization, the audit log and pins on, in both eras, over stdio and HTTP.
#![expect(clippy::unwrap_used, reason = "a test that can't go on stops")]

mod kit; // an upstream that counts its calls, `overt`, clients of both eras, people who answer
mod parallel; // many calls at once cause few questions
mod understood; // no person is asked about a call that can't run
mod changed; // a plan, a policy or a tool changes while a person decides
mod trusted; // a server's claims about itself
mod waiting; // a call waits only while a person can answer
mod wider; // answers that cover more than one call, and answers that no person gave
