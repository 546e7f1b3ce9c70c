//! Sessions with an upstream in memory, in virtual time, with the layers on.
mod client; // clients of both eras
mod server; // an upstream that can fail at any step
mod starting; // one start for many calls, and failures of the start
mod keeping; // the state of a server is kept
mod reopened; // subscriptions and settings outlive a conversation
mod sharing; // several clients in one session
