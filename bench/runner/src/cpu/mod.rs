//! `bench cpu`: the CPU time of one call, with the audit log on and off, beside nginx and beside
//! other builds of `overt`.

mod options; // what to measure
mod config; // the configurations that take turns
mod proxy; // `overt run` and nginx, over HTTP and stdio
mod files; // `overt fs`
mod table; // medians and ratios
mod whole; // all of it, and whether the goal is met

pub(crate) use options::Options;
pub(crate) use whole::run;
