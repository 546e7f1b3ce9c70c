//! Tests of control from a client's point of view, in both eras: policies, scopes, questions, rates
//! and records.
mod kit; // a server with tools of every effect, a client, a person, a ledger
mod policies; // POL: a policy only narrows
mod asking; // SCP: who is asked, how, and what an answer allows
mod bypass; // attempts to bypass the decision
mod places; // SCP-09, SCP-10: which calls wait, which ask, and which call an answer belongs to
mod stores; // which calls use the store
mod located; // scopes of where a path leads
mod guarded; // calls that change what can start programs
mod irreversible; // irreversible calls are asked about each time
mod effects; // V-04: a call is decided by what its plan does
mod previews; // H-01, H-02: previews
mod rates; // D-28, D-32: rate limits
mod records; // AUD: no call with an effect runs before it is recorded
mod resources; // resources, templates and prompts are decided by their meaning
mod upstream; // a scripted upstream
mod tasks; // calls that became tasks
mod claims; // when a server's claims count, and which wider answers are offered
mod server_scopes; // H-22, H-23: an upstream requests scopes
