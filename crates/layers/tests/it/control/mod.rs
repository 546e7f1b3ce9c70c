//! What may be done, seen from a client: policies, scopes, questions, rates and records, in both
//! eras.
mod kit; // a server with tools of every effect, a client, a person, a ledger
mod policies; // POL: a policy only narrows
mod asking; // SCP: who is asked, how, and what an answer is good for
mod bypass; // ways around the decision that must not be there
mod places; // SCP-09, SCP-10: who waits, who asks, and whose answer it is
mod located; // scopes of what a path stands for, and of where it leads
mod irreversible; // what can't be undone is asked about each time
mod previews; // H-01, H-02: what is only shown, to whom
mod rates; // D-28, D-32: so many calls per unit of time
mod records; // AUD: nothing with an effect runs before it is written down
mod resources; // resources, templates and prompts, judged as what they mean
mod upstream; // a scripted upstream
mod tasks; // calls that became tasks
mod claims; // whom a server's claims convince, and which wider answers are offered
mod server_scopes; // H-22, H-23: an upstream asks for scopes
