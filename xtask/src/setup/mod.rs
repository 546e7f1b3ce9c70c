//! What the suite needs beyond Rust, installed below `.tools/` once per change of its manifest.

mod cargo; // programs that cargo builds
mod install; // all tool sets, side by side
mod page; // what builds and tests the page
mod npm; // node, the conformance suites, the TypeScript peers and servers
mod python; // the Python peers
mod stamp; // what is installed already

pub(crate) use cargo::install_agnix;
pub(crate) use install::{Background, install, install_packages};
pub(crate) use page::{install_chromium, install_packages as install_page_packages};
