//! A server that wants a token, and the authorization server that issues it, in one process.
mod world; // both servers behind one address, and what a test may change and see
mod issuer; // clients, codes and tokens
mod resource; // the MCP endpoint behind the tokens
mod web; // HTTP, as much as it takes
mod person; // a person who agrees

pub use person::agree;
pub use web::Request;
pub use world::{Habits, World};
