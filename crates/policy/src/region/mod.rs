//! Regions of a tree of files: where a server may look and write. Pure strings: the code that opens files
//! decides again on what it has opened.
mod path; // a path as its names
mod patterns; // patterns over paths
mod model; // regions in layers, and what they leave
mod read; // from JSON, noting everything that is wrong
mod write; // to JSON
mod folders; // which folders they are, and the same elsewhere
mod widens; // where one list of regions says more than another
#[cfg(test)]
mod tests;

pub use folders::RegionFolder;
pub use model::{Region, Regions};
pub use patterns::{Case, check_pattern};
