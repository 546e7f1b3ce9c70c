//! Lines over a pair of byte streams: the standard input and output of a child process, or any
//! other pair.
mod link; // the connection as the conversation sees it
mod reader; // lines in: answers, questions, noise
mod queue; // the lines that wait to be written, bounded
mod writer; // writes them

pub(super) use link::Pipe;
