//! What a server that was declared with the Toolbox does, seen from a client.
#![expect(clippy::unwrap_used, reason = "a test that can't go on stops")]
mod deadline; // a tool that asks a person does not use up its time
mod previews; // what a call would do, and what people get to see of it
mod tasks; // calls whose result is fetched later
