//! Measurements over Streamable HTTP: one thread, keep-alive connections, one call in flight on
//! each.

mod answer; // parsing one response
mod connection; // one connection and its session
mod load; // all connections together
mod request; // the bytes of a request

pub(crate) use load::measure;
