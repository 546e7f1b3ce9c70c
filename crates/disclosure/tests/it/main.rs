//! What a server discloses about itself, seen from a client.
#![expect(clippy::unwrap_used, reason = "a test that can't go on stops")]
mod disclose; // metadata, help, documents
mod reads; // reads are recorded, rate-limited and cached
