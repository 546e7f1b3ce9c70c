//! What differs between the eras on the way through: who greets how, who asks how, how news are told.
mod hello; // the first answer of the upstream, as the client's era writes it
mod dress; // results of a legacy upstream, as a modern client wants them
mod seat; // a legacy client: its session, whatever the upstream speaks
mod rounds; // questions inside results, asked of a legacy client
mod modern; // a modern client, whatever the upstream speaks
mod watching; // news of a legacy upstream for a modern client
mod reply; // answers that the gateway gives itself
mod suspended; // calls that wait for a modern client to come back with answers

pub(crate) use modern::Modern;
pub(crate) use seat::Seats;
