//! What the suite needs beyond Rust, installed below `.tools/` once per change of its manifest.

mod cargo; // programs that cargo builds
mod install; // all tool sets, side by side
mod programs; // other people's programs that are compared with ours
mod page; // what builds and tests the page
mod npm; // node, the conformance suites, the TypeScript peers and servers
mod python; // the Python peers
mod stamp; // what is installed already

pub use cargo::install_agnix;
pub(crate) use install::Background;
pub use install::install;
pub use page::{install_chromium, install_packages as install_page_packages};
pub use programs::{CargoProgram, FD, RIPGREP, RUST_MCP_FILESYSTEM};
