//! The file server and the skills server as clients see them, with a tree of canaries outside of
//! every root.
#![expect(clippy::unwrap_used, reason = "tests")]
mod stage; // a server over a temporary tree, and canaries
mod paths; // FS-01 to FS-12, FS-17, FS-18: where a path may lead
mod sandbox; // confinement by the kernel
mod special; // FS-13 to FS-16: files that are not plain files
mod reading; // results of the reading tools
mod watching; // files and folders as resources, and notifications of changes
mod walking; // FS-25, FS-26, FS-38 to FS-40: tools that look at many files
mod changing; // secrecy of changing tools
mod patterns; // FS-19 to FS-24: what patterns hide
mod mounts; // FS-20, FS-27: other file systems
mod races; // FS-05 to FS-07: names that change while they are used
mod links; // I-01: links to files that are saved meanwhile
mod compat; // the tools of the official server, built from ours
mod apps; // pages that clients show
mod skills; // the skills server
