//! The client side against scripted servers, well-behaved and not.
mod lines; // a scripted server on the other end of a pair of streams
mod seen; // a listener that records what it receives
mod shell; // a scripted child process
mod web; // a scripted HTTP server

mod calls; // ids, deadlines, limits, cancellation
mod credentials; // tokens on requests, and refusals
mod eras; // agreeing on a version
mod http_hostile; // redirects, sizes, broken answers
mod http_legacy; // sessions, streams, resumption
mod http_modern; // headers, mirrored arguments, subscriptions
mod lists; // pages
mod process; // child processes
mod proxies; // servers behind a proxy
mod questions; // questions of servers
mod streams; // servers over byte streams in memory
