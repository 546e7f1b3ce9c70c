//! Tests with other people's programs: their clients against the example server, `overt` against
//! their servers, `overt run` between both, and `overt fs` with their clients.

mod case; // a test of two programs, and helpers that check its outcome
mod clients; // the official clients against the example server
mod inspector; // the Inspector's command line
mod servers; // `overt list` and `overt call` against other servers
mod upstreams; // other people's servers behind `overt run`
mod state; // parallel calls that must reach the same process
mod through; // other people's clients, `overt run`, other people's servers
mod apps; // MCP Apps servers behind `overt run`
mod documents; // documents about other people's servers, and their readers
mod control; // a person's decisions, between other people's clients and servers
mod outside; // what is outside the roots of `overt fs`, with the three SDKs
mod files; // `overt fs` with other people's clients
mod compat; // `overt fs` compared with the official filesystem server
mod approver; // a person who answers at another terminal
mod uris; // spellings of URIs with servers that read them in different ways
mod skills; // `overt skill check` and the reference validator, and clients that know skills
mod skill_surfaces; // skills at every address, read with the SDKs
mod day; // a day in the life of a person
mod agent; // the day of a coding agent
mod run; // the task: all of the above

pub(crate) use run::run;
