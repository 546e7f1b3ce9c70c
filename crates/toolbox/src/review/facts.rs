//! What a page says about its call: whether it happened, when, and whose it is.
use std::time::SystemTime;

/// The server whose calls are shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in super::super) struct Origin {
    /// Its title, or its name.
    pub(in super::super) server: String,
    pub(in super::super) project: Option<String>,
}

/// Whether the changes were made, or wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Status {
    /// The client asked for a preview.
    Preview,
    /// The call waits until a person decides.
    Waiting,
    /// The call made the changes.
    Done,
}

/// What a page says about its call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct Facts {
    pub(super) status: Status,
    pub(super) time: SystemTime,
    pub(super) origin: Origin,
    /// The name and version of the client, as it gives them.
    pub(super) client: Option<String>,
}

impl Status {
    /// The class of the sentence.
    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Preview => "preview",
            Self::Waiting => "waiting",
            Self::Done => "done",
        }
    }

    /// What stands before the name of the tool.
    pub(super) fn heading(self) -> &'static str {
        match self {
            Self::Preview => "Preview of",
            Self::Waiting => "Planned changes by",
            Self::Done => "Changes by",
        }
    }

    pub(super) fn sentence(self) -> &'static str {
        match self {
            Self::Preview => "Preview: nothing was changed.",
            Self::Waiting => "Not done yet: the call waits for approval.",
            Self::Done => "Done: the call made these changes.",
        }
    }
}
