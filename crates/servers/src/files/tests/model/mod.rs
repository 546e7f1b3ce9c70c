//! Random changes of a tree, compared with a model: calls, undoings, other people and programs that
//! change the same files, and calls that fail or are killed at any system call. The result of a
//! successful call is exactly that of the model. A call that was refused, failed or was killed
//! changed nothing, or everything. Nothing that another program wrote is lost.
mod plan; // random plans of what happens
mod tree; // everything in a folder
mod resolve; // what a path leads to in the model
mod expect; // the outcome of a call in the model
mod others; // changes by other programs
mod killed; // a call in a child process that is killed
mod overlay; // the same tests on overlayfs
mod place; // the folder, the journal and the server
mod play; // playing a plan, and comparing
mod run; // generating plans, and shrinking one that fails
