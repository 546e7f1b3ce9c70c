//! How fast we are beside others, measured in one run on one machine.

mod compare; // medians and ratios
mod proxy; // `overt run` and other proxies under load
mod fs; // `overt fs` and other file servers, operation by operation
mod pages; // pages of a folder with a million entries
mod cpu; // the CPU time of a call, with the audit log on and off
mod serve; // the echo servers under load
mod describe; // `overt describe` of a server with a hundred tools
mod control; // deciding and writing down
mod log; // `overt log` on a million records
mod skills; // skills: `overt skill check` and `overt skills`, and others
mod ui; // the page of `overt ui` and the Inspector, in a browser
mod wire; // the scanner and the editor
mod which; // `bench serve`, `bench proxy`, `bench fs`, `bench pages`, `bench cpu`, `bench describe`, `bench control`, `bench log`, `bench skills`, `bench ui` or `bench wire`

pub(crate) use fs::{install_rust_mcp_filesystem, installed_rust_mcp_filesystem};
pub(crate) use which::run;
