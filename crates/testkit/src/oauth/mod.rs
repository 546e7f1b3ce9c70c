//! A server that requires a token, and the authorization server that issues it, in one process.
mod world; // both servers, and what a test can change and observe
mod issuer; // clients, codes and tokens
mod resource; // the MCP endpoint behind the tokens
mod web; // minimal HTTP
mod person; // a person who agrees

pub use person::agree;
pub use web::Request;
pub use world::{Habits, World};
