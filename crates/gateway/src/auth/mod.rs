//! Who we are to an upstream: tokens that a user gives, and tokens that an authorization server issues.
//!
//! Start with [`OAuth`] and [`login`]. Everything here is for the requests that *we* send: what a client sent us
//! is not known here, so it can't be passed on.
mod bearer; // a token from a variable or a file
mod plan; // what the user wants: flow, client, scopes
mod oauth; // `Credentials` with tokens that are stored, renewed and widened
mod login; // logging in before there is a conversation
mod flows; // the flows themselves, by the official SDK's OAuth client
mod browser; // whether and how a person is asked to agree
mod redirect; // the listener to which the browser comes back
mod grant; // the tokens that were issued
mod store; // where they are kept
mod file; // in a file that only we can read
mod guard; // where the requests of an authorization may go
mod error; // what can go wrong

pub use bearer::Bearer;
pub use browser::{Browser, Consent};
pub use error::AuthError;
pub use file::FileStore;
pub use grant::Grant;
pub use guard::{AddressError, PrivateAddresses, Problem};
pub use login::login;
pub use oauth::OAuth;
pub use plan::{Flow, Plan, PlanError, RegisteredClient};
pub use store::{StoreError, TokenStore};
