//! `overt watch`: the inbox in the terminal. While it runs, calls wait for an answer. Start with
//! `task.rs`.
mod task; // from settings to a screen or to lines
mod keys; // what was typed, from bytes
mod inbox; // the questions, what is selected and marked, what a key does; pure
mod details; // all of a question, fitted to a width; pure
mod call_row; // a question as one row of the list; pure
mod view; // the inbox as a screen; pure
mod screen; // the terminal: raw, restored however we end
mod events; // keys, lines and signals, as they come
mod totals; // what happened today, in numbers
mod full; // the inbox on a whole screen
mod plain; // the inbox line by line
mod notify; // tells a person who looks elsewhere

pub(crate) use task::watch;
