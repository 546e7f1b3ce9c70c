//! Messages as lines over a pair of byte streams: the standard input and output of a child process,
//! or any other pair.
mod link; // the connection as the conversation sees it
mod reader; // reading lines: answers, questions, noise
mod queue; // a bounded queue of lines to write
mod writer; // the task that writes the queued lines

pub(super) use link::Pipe;
