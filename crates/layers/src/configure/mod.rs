//! The settings of a server as clients see them: the published schema, and the effect of a client's
//! own configuration.
mod base; // the values in force, and a client's values on top of them
mod client; // the configuration that a client sends
mod upstream; // settings of the upstream
mod publish; // adds settings and policies to a server's first answer

pub use base::{ConfigurationRights, Configured};
pub use client::client_configuration;
pub use publish::{AnswerAuthor, decorate};
pub use upstream::published_schemas;
pub(crate) use upstream::{Foreign, UpstreamSettings};
