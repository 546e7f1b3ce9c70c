//! The file server and the state that its tools share.
use std::sync::Arc;

use overt_settings::SettingValues;
use overt_toolbox::{Context, ToolError};

use super::access::{AbsolutePath, Roots, View};
use super::compat::Compat;
use super::granted::Places;
use super::journal::Journal;
use super::options::OperatorLimits;
use super::sandbox::Sandbox;
use super::tools::RecentReads;
use super::walk::Snapshots;
use super::watching::WatchService;
use super::work::Workers;
use super::write::{Claims, Disk, Sweeper};

/// The file server.
#[derive(Debug)]
pub struct FileServer {
    pub(crate) roots: Arc<Roots>,
    /// Places outside of the roots; `None` if nothing there can be granted.
    pub(crate) places: Option<Arc<Places>>,
    pub(crate) workers: Workers,
    pub(crate) watching: WatchService,
    pub(crate) sandbox: Sandbox,
    pub(crate) claims: Claims,
    pub(crate) disk: Disk,
    pub(crate) sweeper: Sweeper,
    /// Files that were read recently.
    pub(crate) recent: RecentReads,
    /// Listings that have further pages.
    pub(crate) snapshots: Snapshots,
    /// `None` if the journal is off.
    pub(crate) journal: Option<Arc<Journal>>,
    /// Real paths of folders that stand for the usual folders of clients.
    pub(crate) client_folders: Vec<(AbsolutePath, String)>,
    pub(super) settings: SettingValues,
    pub(super) compat: Option<Compat>,
    pub(super) project: Option<String>,
    pub(super) enforced: OperatorLimits,
    pub(super) is_literal: bool,
}

impl FileServer {
    /// The project that the server was started in, if any.
    pub(crate) fn project(&self) -> Option<&str> {
        self.project.as_deref()
    }

    /// Returns what a call can see and change.
    pub(crate) fn view(&self, context: &Context) -> Result<View, ToolError> {
        View::of(context, &self.roots)
    }
}
