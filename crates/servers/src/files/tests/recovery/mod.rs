//! A model test without a model: for each error code a case in `tests/transcripts/fs_errors.txt`
//! shows the failing call, the text that a model reads, and the call that the text leads to, which
//! succeeds.
mod case; // a case, read from its text
mod play; // plays the cases, and finds codes without one
mod stage; // the server of a case, and what happens around it
