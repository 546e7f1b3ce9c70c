//! Tests that errors lead to a successful call, without a language model. For each error code, a
//! case in `tests/transcripts/fs_errors.txt` shows the failing call, the text that a model reads,
//! and the call that the text leads to, which succeeds.
mod case; // reading cases from their text
mod play; // playing the cases, and finding codes without one
mod stage; // the server of a case, and events around it
