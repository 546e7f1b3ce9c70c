//! Random work on a tree beside a model of it: calls, undoings, people and programs that change the
//! same files, calls that fail or are killed at any system call. What went well is exactly what the
//! model says; what was refused, failed or was killed changed nothing, or everything; nothing that
//! somebody else wrote is lost.
mod plan; // what happens, made at random
mod tree; // everything in a folder
mod resolve; // what a path stands for, by the model
mod expect; // what a call comes to, by the model
mod others; // what somebody else does
mod killed; // a call in a process of its own, which is killed
mod overlay; // the same on overlayfs
mod place; // the folder, the journal and the server
mod play; // plays a plan and compares
mod run; // makes plans, and the shortest one that fails
