//! The serving side that stdio and HTTP share: running a handler, and asking the client.
mod run; // one request through the handler: deadline, panics, exactly one answer
mod in_flight; // requests being answered, by id
mod deferred; // what waits for the answer to `initialize`
mod stage; // how near the server is to its end
mod queue; // messages that wait to be written
mod byte_budget; // bytes that are held for all clients together
mod progress; // reports of progress extend a request's deadline
mod questions; // requests of ours that wait for the client's answer
mod budget; // how often garbage is answered
mod random; // unguessable names

pub(crate) use budget::AnswerBudget;
pub(crate) use byte_budget::{ByteBudget, Charge};
pub(crate) use deferred::DeferredMessages;
pub(crate) use in_flight::{InFlight, NotAdmitted, NotificationTicket, Ticket, cancelled_id};
pub(crate) use questions::Questions;
pub(crate) use queue::{MessageQueue, Queued};
pub(crate) use random::random_name;
pub(crate) use run::{answer, caught, first_poll};
pub(crate) use stage::{Stage, StageWatch, Stages};
