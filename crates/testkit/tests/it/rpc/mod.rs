//! Malformed and hostile JSON-RPC (RPC-01 to RPC-20), over lines and over HTTP.
//! `docs/security-cases.md` has the table; cases that a transcript covers are not repeated here.
mod kit; // sends bad input, then a good request
mod text; // RPC-01 to RPC-04: invalid JSON, and input that is too large
mod envelope; // RPC-05 to RPC-10: JSON that is not a message, or only looks like one
mod calls; // RPC-11, RPC-14, RPC-15: answers, cancellation and floods
mod reading; // RPC-16: clients that don't read
mod ending; // RPC-17: how a server ends
mod pace; // RPC-18, RPC-19: slow writers, and client text in the log
