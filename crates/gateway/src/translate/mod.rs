//! What differs between the eras, and between us and an upstream, as functions on messages. No state, no IO.
pub(crate) mod answer; // results and errors, as the other era writes them
pub(crate) mod handshake; // the first answer of the upstream, as the client's era writes it
pub(crate) mod input; // results that ask for more
pub(crate) mod reply; // answers that the gateway gives itself
pub(crate) mod request; // the request that reaches the upstream
pub(crate) mod subscription; // what a client subscribes to, and how its notifications are marked
pub(crate) mod upstream_marks; // the upstream's marks in our places, which move
pub(crate) mod upstream_question; // its questions, which are shown as its own
