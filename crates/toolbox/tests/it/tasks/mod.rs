//! Calls whose result is fetched later (SEP-2663).
mod kit; // a client without a transport
mod lifecycle; // from the call to the result
mod expiry; // expiry of tasks and results
mod bounds; // limits on the number of tasks
mod extension; // which clients get tasks
mod input; // questions within a task, and before it
mod listen; // notifications about tasks
