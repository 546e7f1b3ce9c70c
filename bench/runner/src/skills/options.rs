//! The options of `bench skills`.

use std::path::PathBuf;

use crate::values::count;

/// `overt skill check` beside skills-ref and agnix
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Generated skills
    #[arg(long = "skills", default_value = "1000", value_parser = count())]
    pub(super) count: usize,
    #[arg(long, default_value = "5", value_parser = count())]
    pub(super) rounds: usize,
    /// Fail where a goal is missed
    #[arg(long)]
    pub(super) check: bool,
    /// Install agnix first
    #[arg(long)]
    pub(super) peers: bool,
    /// A program that is built already
    #[arg(long)]
    pub(super) binary: Option<PathBuf>,
}
