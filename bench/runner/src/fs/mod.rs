//! `bench fs`: `overt fs` compared with other file servers, with search programs, and with the
//! system calls alone.

mod options; // the options of the command line
mod contenders; // the programs that are compared, and their installation
mod plan; // the plan for the load generator
mod outcome; // the measurements of the load generator
mod table; // the report
mod run; // the benchmark from start to end, and the goals

pub(crate) use options::Options;
pub(crate) use run::run;
