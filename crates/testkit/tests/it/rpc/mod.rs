//! Malformed and hostile JSON-RPC (RPC-01 to RPC-20), over lines and over HTTP.
//! `docs/security-cases.md` has the table; what is held by a transcript is not repeated here.
mod kit; // sends something bad, then something good
mod text; // RPC-01 to RPC-04: what is not JSON, or too much of it
mod envelope; // RPC-05 to RPC-10: JSON that is not a message, or a message in disguise
mod calls; // RPC-11, RPC-14, RPC-15: answers, cancellation and floods
mod reading; // RPC-16: clients that don't read
mod ending; // RPC-17: how a server ends
mod pace; // RPC-18, RPC-19: slow writers, and what gets into the log
