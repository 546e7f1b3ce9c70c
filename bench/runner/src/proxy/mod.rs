//! `bench proxy`: `overt run` compared with other proxies, in front of the same upstream, in one
//! run.

mod options; // the options of the command line
mod contenders; // the programs that are compared, and how each is started
mod install; // installation of the proxies
mod running_proxy; // a running proxy and its upstream
mod http; // latency and throughput over HTTP
mod stdio; // latency over stdio, and the time of a start
mod memory; // resident memory after many calls
mod soak; // resident memory after a million calls and thousands of sessions
mod run; // all parts in order, and the goals

pub(crate) use contenders::{ONE_ALLOW_RULE, nginx};
pub(crate) use install::nginx as install_nginx;
pub(crate) use options::Options;
pub(crate) use run::run;
pub(crate) use running_proxy::{Programs, RunningProxy};
