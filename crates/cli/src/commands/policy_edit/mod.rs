//! `overt forbid` and `overt permit`: the user's own policy file, changed with everything else in it kept.
mod subject; // what is meant: a tool, a server or a path
mod plan; // what to write for it, and what that means in words
mod task; // show it, ask, write it

pub(crate) use task::policy_edit;
