//! File servers over stdio: the same operations on the same files, in turns, compared with what the
//! machine itself can do.

mod corpus; // the files
mod plan; // which servers are measured, and how
mod rows; // the operations, and the tools of each server for them
mod load; // calls of one operation
mod turns; // the measurements, with all servers taking turns
mod floor; // the system calls without a server
mod pages; // paging through one large folder
mod programs; // search programs without a server

pub(crate) use corpus::make as make_corpus;
pub(crate) use pages::run as page_through;
pub(crate) use turns::run;
