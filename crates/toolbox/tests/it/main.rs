//! Tests of servers that are declared with the Toolbox, from a client's point of view.
#![expect(clippy::unwrap_used, reason = "a test that can't go on stops")]
mod deadline; // a question to a person does not use up the call's time
mod previews; // previews of calls, and what people see of them
mod tasks; // calls whose result the client fetches later
