//! Translation between the eras, and between us and an upstream, as functions on messages. No
//! state, no IO.
pub(crate) mod answer; // results and errors in the form of the other era
pub(crate) mod handshake; // the first answer of the upstream in the form of the client's era
pub(crate) mod input; // results that ask for more input
pub(crate) mod reply; // answers of the gateway itself
pub(crate) mod request; // requests to the upstream
pub(crate) mod subscription; // filters of subscriptions, and marks of their notifications
pub(crate) mod upstream_marks; // moves the upstream's marks that look like Overt's
pub(crate) mod upstream_question; // shows the upstream's questions as its own
