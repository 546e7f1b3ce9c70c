//! `bench cpu`: the CPU time of one call, with the audit log on and off, compared with nginx and
//! with other builds of `overt`.

mod options; // the options of the command line
mod config; // the configurations that are compared
mod proxy; // `overt run` and nginx, over HTTP and stdio
mod files; // `overt fs`
mod table; // medians and ratios
mod run; // all parts in order, and the goals

pub(crate) use options::Options;
pub(crate) use run::run;
