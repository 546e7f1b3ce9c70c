//! Installs what the suite needs beyond Rust, below `.tools/`, once for each change of its
//! manifest.

mod cargo; // a tool that cargo builds
mod install; // all tool sets
mod programs; // other people's programs that are compared with ours
mod page; // packages that build and test the page
mod npm; // node, the conformance suites, the TypeScript peers and servers
mod python; // the Python peers
mod stamp; // records of installed tool sets

pub use cargo::install_agnix;
pub(crate) use install::Background;
pub use install::install;
pub use page::{install_chromium, install_packages as install_page_packages};
pub use programs::{CargoProgram, FD, RIPGREP, RUST_MCP_FILESYSTEM};
