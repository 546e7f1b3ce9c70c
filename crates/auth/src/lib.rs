//! Authorization to a server: tokens that the user provides, and tokens that an authorization
//! server issues.
//!
//! Start with [`OAuth`] and [`login`]. This crate is only about requests that *we* send. It does
//! not know the tokens of clients, so it can't pass them on.
mod bearer; // a token from a variable or a file
mod oauth_settings; // the user's choices: flow, client, scopes
mod oauth; // `Credentials` with tokens that are stored, renewed and extended in scope
mod login; // logging in before there is a conversation
mod flows; // the flows, run by the official SDK's OAuth client
mod browser; // whether and how a person is asked to agree
mod redirect; // the listener that receives the browser's redirect
mod issued_tokens; // the tokens that were issued
mod store; // the interface of token stores
mod file; // a token store in a private file
mod guard; // which addresses the requests of an authorization may use
mod error; // errors and their hints

pub use bearer::Bearer;
pub use browser::{Browser, Consent};
pub use error::AuthError;
pub use file::FileStore;
pub use guard::{AddressError, PrivateAddresses, Problem};
pub use issued_tokens::IssuedTokens;
pub use login::login;
pub use oauth::OAuth;
pub use oauth_settings::{Flow, OAuthSettings, OAuthSettingsError, RegisteredClient};
pub use store::{StoreError, TokenStore};
