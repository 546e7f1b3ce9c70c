//! File servers over stdio: the same operations on the same files, in turns, beside what the
//! machine itself can do.

mod corpus; // the files
mod plan; // who is measured, on what
mod rows; // the operations, and which tool of which server does them
mod load; // calls of one operation
mod turns; // every server in turn
mod floor; // the system calls alone
mod pages; // pages of one large folder
mod programs; // programs that search by themselves

pub(crate) use corpus::make as make_corpus;
pub(crate) use pages::run as page_through;
pub(crate) use turns::run;
