//! `overt describe`.
mod task; // runs the task that the settings name
mod measured; // latencies from an audit log
mod joined; // the declaration beside the running server
mod documents; // the documents that can be made of it
mod folder; // a directory of documents: written whole or not at all
mod check; // committed documents beside those of now
mod init; // a first manifest

pub(crate) use folder::write as write_folder;
pub(crate) use task::describe;
