//! Other people's clients against the example server, and `overt` against other people's servers.

mod case; // one meeting of two programs, and what must come of it
mod clients; // the official clients, one after another
mod inspector; // the Inspector's command line
mod servers; // `overt list` and `overt call` against other servers
mod whole; // all of them

pub(crate) use whole::run;
