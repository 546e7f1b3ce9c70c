//! `overt watch`: the inbox in the terminal. While it runs, calls wait for an answer. Start with
//! `task.rs`.
mod task; // choice between screen and line mode
mod keys; // reading keys from bytes
mod inbox; // the state of the inbox, and what keys do; pure
mod details; // all of a question, wrapped to a width; pure
mod call_row; // a question as one row of the list; pure
mod view; // the inbox as a screen; pure
mod screen; // the terminal: in raw mode, always restored at the end
mod events; // keys, lines and signals as they arrive
mod totals; // the counts of the day
mod full; // the inbox on the full screen
mod plain; // the inbox line by line
mod notify; // notifications of new questions

pub(crate) use task::watch;
