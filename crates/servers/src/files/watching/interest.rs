//! One subscription: what is watched, who is notified, and what they may see.
use overt_layers::ScopeCheck;
use overt_policy::scope::{Action, Scope};
use overt_toolbox::Changes;

use super::super::access::{AbsolutePath, Folder, View};
use super::events::Event;

/// The subject of a subscription.
#[derive(Debug)]
pub(crate) struct Subject {
    pub(crate) uri: String,
    /// The path as the client wrote it.
    pub(crate) shown: String,
    /// The watched folder: the subject itself, or the folder that contains the file.
    pub(crate) folder: Folder,
    /// The name of the file. `None` to watch the folder and its direct entries.
    pub(crate) name: Option<String>,
    pub(crate) view: View,
    pub(crate) scopes: Option<ScopeCheck>,
    pub(crate) changes: Changes,
}

/// A subscription without the folder's handle, which the owner needs only at the start.
#[derive(Debug)]
pub(super) struct Interest {
    uri: String,
    path: AbsolutePath,
    name: Option<String>,
    view: View,
    scopes: Option<ScopeCheck>,
    changes: Changes,
}

impl Subject {
    pub(super) fn split(self) -> (Interest, Folder) {
        let Self { uri, folder, name, view, scopes, changes, .. } = self;
        let view = view.without_caller();
        (Interest { uri, path: folder.path.clone(), name, view, scopes, changes }, folder)
    }
}

impl Interest {
    pub(super) fn uri(&self) -> &str {
        &self.uri
    }

    /// Whether this subscriber is notified of the event.
    pub(super) fn concerns(&self, event: &Event) -> bool {
        match (&self.name, event) {
            (_, Event::Everything) => true,
            (Some(name), Event::Entry(changed)) => name == changed,
            (None, Event::Entry(changed)) => self.sees(changed),
        }
    }

    fn sees(&self, name: &str) -> bool {
        let path = self.path.child(name);
        let scope = Scope::of_path(Action::Read, "file", path.as_str());
        self.view.sees(&path) && self.scopes.as_ref().is_none_or(|scopes| scopes.allows(&scope))
    }

    pub(super) async fn tell(&self) {
        self.changes.resource(&self.uri).await;
    }
}
