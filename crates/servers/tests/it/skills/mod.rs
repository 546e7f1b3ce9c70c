//! The skills server: what it serves to whom, and what it does not serve.
mod kit; // skills for tests
mod surfaces; // the same bytes under every address
mod transcripts; // requests and answers in both eras, over lines and HTTP
mod contract; // problems that prevent the start, and others
mod attacks; // names, links and replacements that must not leak anything
mod bounds; // many and large skills
mod authority; // what may not be read
mod changes; // changes on disk while the server runs
