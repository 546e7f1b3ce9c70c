//! The skills server: what it serves, to whom, and what it does not.
mod kit; // skills to try things on
mod surfaces; // the same bytes under every address
mod transcripts; // what is sent and what comes back, in both eras, over lines and HTTP
mod contract; // what ends the start, and what does not
mod attacks; // names, links and replacements that must not get anything out
mod bounds; // many and large skills
mod authority; // what may not be read
mod changes; // what happens on the disk while it runs
