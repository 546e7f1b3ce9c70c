//! What a page says about its call: its status, its time, the server and the client.
use std::time::SystemTime;

/// The server whose calls are shown, and its project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in super::super) struct Origin {
    /// The server's title, or its name if it has no title.
    pub(in super::super) server: String,
    pub(in super::super) project: Option<String>,
}

/// Whether the changes were made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Status {
    /// The client asked for a preview.
    Preview,
    /// The call waits for a person's decision.
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
    /// The name and version of the client, as the client reports them.
    pub(super) client: Option<String>,
}

impl Status {
    /// Returns the CSS class of the sentence.
    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Preview => "preview",
            Self::Waiting => "waiting",
            Self::Done => "done",
        }
    }

    /// Returns the words before the name of the tool.
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
