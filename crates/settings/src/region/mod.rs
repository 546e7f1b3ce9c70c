//! Regions of a file tree: where a server may look and write. They are pure strings: the code that
//! opens files checks again what it has opened.
mod path; // a path that can be compared by names
mod patterns; // patterns over paths
mod model; // regions in layers, and what they allow
mod read; // regions from JSON, with all their errors
mod write; // regions as JSON
mod folders; // the folders of regions, moved and restricted
mod widens; // where one list of regions allows more than another
#[cfg(test)]
mod tests;

pub use folders::RegionFolder;
pub use model::{Region, Regions};
pub use patterns::{Case, check_pattern};
