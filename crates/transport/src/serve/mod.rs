//! The serving side that stdio and HTTP share: running a handler, and asking the client.
mod run; // one request through the handler: deadline, panics, exactly one answer
mod in_flight; // requests being answered, by id
mod questions; // requests of ours that wait for the client's answer
mod budget; // how often garbage is answered
mod random; // names that nobody can guess

pub(crate) use budget::AnswerBudget;
pub(crate) use in_flight::{InFlight, NotAdmitted, Ticket};
pub(crate) use questions::Questions;
pub(crate) use random::random_name;
pub(crate) use run::{answer, caught, first_poll};
