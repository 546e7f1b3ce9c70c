//! `overt forbid` and `overt permit`: edit the user's own policy file and keep everything else in
//! it.
mod task; // showing the change, asking, writing it
#[cfg(test)]
mod tests;

pub(crate) use task::{forbid, permit};
