//! Calls whose result is fetched later (SEP-2663).
mod kit; // a client without a transport, and tools to call
mod lifecycle; // from the call to the result
mod expiry; // what happens to tasks with time
mod bounds; // how many there may be
mod extension; // who gets tasks at all
mod input; // questions inside a task, and before it
mod listen; // hearing of a task without polling
