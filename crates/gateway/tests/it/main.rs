//! The gateway from outside.
mod limits_table;
