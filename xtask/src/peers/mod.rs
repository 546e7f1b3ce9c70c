//! Other people's clients against the example server, `overt` against other people's servers, and
//! `overt run` between the two; and `overt fs` with the clients.

mod case; // one meeting of two programs, and what must come of it
mod clients; // the official clients, one after another
mod inspector; // the Inspector's command line
mod servers; // `overt list` and `overt call` against other servers
mod upstreams; // other people's servers behind `overt run`
mod state; // the state of a server is kept together
mod through; // other people's clients, `overt run`, other people's servers
mod apps; // MCP Apps servers behind `overt run`
mod documents; // what is said about other people's servers, and who reads it
mod control; // what a person decides, between other people's clients and servers
mod files; // `overt fs` with other people's clients
mod compat; // `overt fs` beside the official filesystem server
mod approver; // a person at another terminal
mod uris; // spellings of URIs against servers that read them in different ways
mod skills; // `overt skill check` beside the reference validator, and clients that know skills
mod skill_surfaces; // skills under every address, read with the SDKs
mod day; // a day in the life of a person
mod agent; // the day of a coding agent
mod whole; // all of them

pub(crate) use whole::run;
