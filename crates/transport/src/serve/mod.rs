//! Code that stdio and HTTP share for serving: running a handler, and asking the client.
mod run; // running one request: deadline, panics, exactly one answer
mod in_flight; // requests that are being answered, by id
mod deferred; // messages that wait until `initialize` is answered
mod stage; // the stages of shutting down
mod queue; // messages that wait to be written
mod byte_budget; // a limit on the bytes held for all clients together
mod progress; // extending a request's deadline when it reports progress
mod questions; // our requests that wait for the client's answer
mod budget; // a limit on answers to invalid input
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
