//! Hostile HTTP (HTTP-01 to HTTP-15), as raw bytes. `docs/security-cases.md` has the table, and the
//! cases left for later: tokens, scopes, rates, pages.
mod guard; // HTTP-01 to HTTP-05: which requests are accepted at all
mod mirror; // HTTP-08: headers that must agree with the body
mod redefined; // HTTP-08: headers of a tool that changes
mod session; // HTTP-09, HTTP-10, HTTP-14: sessions, states, and resuming
mod slow; // HTTP-11: slow and oversized peers
mod bytes; // HTTP-12: requests that two readers could read differently
mod hang_up; // HTTP-13: clients that disconnect
