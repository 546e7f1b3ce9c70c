//! `bench fs`: `overt fs` beside other file servers, beside programs that search, and beside the
//! system calls alone.

mod options; // what to measure
mod contenders; // who is measured, and how each comes onto this machine
mod plan; // the order for the load generator
mod outcome; // what it measured
mod table; // the report
mod whole; // all of it, and whether the goals are met

pub(crate) use options::Options;
pub(crate) use whole::run;
