//! One subscription: what is watched, who wants to know, and what they may know.
use overt_layers::ScopeCheck;
use overt_policy::scope::{Action, Scope};
use overt_toolbox::Changes;

use super::super::access::{AbsolutePath, Folder, View};
use super::events::Event;

/// What a subscription is about.
#[derive(Debug)]
pub(crate) struct Subject {
    pub(crate) uri: String,
    /// As the client named it.
    pub(crate) shown: String,
    /// The folder itself, or the one that the file is in.
    pub(crate) folder: Folder,
    /// Of the file. None for the folder and everything that is directly in it.
    pub(crate) name: Option<String>,
    pub(crate) view: View,
    pub(crate) scopes: Option<ScopeCheck>,
    pub(crate) changes: Changes,
}

/// A subscription without the handle, which only the owner needs and only to begin.
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

    /// Whether the event is one that this subscriber is to hear of.
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
