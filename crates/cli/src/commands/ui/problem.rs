//! The error of a request of the page.
use overt_layers::grants::StoreError;
use overt_transport::http::{SiteContent, SiteReply};
use serde_json::{Value, json};

use crate::error::CommandError;
use overt_operator::{NotAnswerer, OperatorError};

/// An error, as the page gets it.
#[derive(Debug)]
pub(super) struct Problem {
    pub(super) status: u16,
    pub(super) message: String,
    pub(super) hint: Option<String>,
}

impl Problem {
    pub(super) fn new(status: u16, message: impl Into<String>) -> Self {
        Self { status, message: message.into(), hint: None }
    }

    #[must_use]
    pub(super) fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    pub(super) fn not_found() -> Self {
        Self::new(404, "not found")
    }

    /// Returns an error for a request that does not fit the present state.
    pub(super) fn conflict(message: impl Into<String>) -> Self {
        Self::new(409, message)
    }

    pub(super) fn reply(self) -> SiteReply {
        let mut error = json!({ "message": self.message });
        if let Some(hint) = self.hint {
            error["hint"] = hint.into();
        }
        json_reply(self.status, &json!({ "error": error }))
    }
}

pub(super) fn json_reply(status: u16, value: &Value) -> SiteReply {
    let content = SiteContent::Whole(value.to_string().into());
    SiteReply { status, content_type: "application/json", content }
}

impl From<CommandError> for Problem {
    fn from(failure: CommandError) -> Self {
        let status = if failure.error.is::<NotAnswerer>() { 403 } else { 409 };
        Self { status, message: failure.error.to_string(), hint: failure.hint }
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        Self::new(503, error.to_string())
    }
}

impl From<OperatorError> for Problem {
    fn from(failure: OperatorError) -> Self {
        CommandError::from(failure).into()
    }
}
