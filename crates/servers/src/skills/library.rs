//! Holds the snapshot that is served now.
use std::sync::{Arc, PoisonError, RwLock};

use overt_toolbox::{SkillLibrary, SkillListing};
use tokio::sync::Notify;

use super::build::{Sources, StartError};
use super::finding::Finding;
use super::snapshot::Snapshot;
use crate::files::access::Folder;
use crate::files::work::Workers;

/// The skills of a server.
#[derive(Debug)]
pub(super) struct Library {
    pub(super) sources: Sources,
    current: RwLock<Arc<Snapshot>>,
    /// Notified when a read finds that a file differs from the snapshot.
    pub(super) stale: Arc<Notify>,
    pub(super) workers: Workers,
}

/// A summary of what is served, for the operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overview {
    /// Number of skills that are served.
    pub skills: usize,
    /// Problems of skills that are not served, or are served in an older state.
    pub findings: Vec<Finding>,
}

impl Library {
    /// Reads all skills. `enter` is called with each folder before the folder is read.
    pub(super) fn open(sources: Sources, enter: &mut dyn FnMut(&Folder)) -> Result<Self, StartError> {
        let snapshot = sources.open(enter)?;
        let current = RwLock::new(Arc::new(snapshot));
        Ok(Self { sources, current, stale: Arc::default(), workers: Workers::default() })
    }

    pub(super) fn current(&self) -> Arc<Snapshot> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reads what changed. Returns the previous snapshot and the one that is served now.
    pub(super) fn reload(&self, enter: &mut dyn FnMut(&Folder)) -> (Arc<Snapshot>, Arc<Snapshot>) {
        let before = self.current();
        let now = Arc::new(self.sources.reload(&before, enter));
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&now);
        (before, now)
    }

    pub(super) fn overview(&self) -> Overview {
        let current = self.current();
        Overview { skills: current.skills.len(), findings: current.findings.clone() }
    }
}

impl SkillLibrary for Library {
    fn listing(&self) -> Arc<dyn SkillListing> {
        self.current()
    }
}
