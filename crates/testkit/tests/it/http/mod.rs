//! Hostile HTTP (HTTP-01 to HTTP-15), by the byte. `docs/security-cases.md` has the table, and what
//! waits for later: tokens, scopes, rates, pages.
mod guard; // HTTP-01 to HTTP-05: who may ask at all
mod mirror; // HTTP-08: headers that must say what the body says
mod session; // HTTP-09, HTTP-10, HTTP-14: sessions, states, and coming back
mod slow; // HTTP-11: slow and oversized peers
mod bytes; // HTTP-12: requests that two readers could read differently
mod hang_up; // HTTP-13: clients that go away
