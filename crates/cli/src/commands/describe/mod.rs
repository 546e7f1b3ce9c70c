//! `overt describe`.
mod task; // dispatch to the task that the settings name
mod measured; // latencies from an audit log
mod joined; // the declaration, joined with the running server
mod documents; // the documents that can be made
mod folder; // a directory of documents: checked completely before anything is written
mod check; // comparison of committed documents with current ones
mod init; // a first manifest

pub(crate) use folder::write as write_folder;
pub(crate) use task::describe;
