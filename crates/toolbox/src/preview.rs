//! Whether a call asks for a preview or for the real thing. An unclear value is rejected before
//! anything runs: a call that was meant as a preview must never execute.
use overt_policy::mark::request;
use overt_policy::record::KnownError;
use overt_policy::record::{Effect, ToolRecord};
use overt_wire::Message;
use overt_wire::json::Member;

use super::error::ToolError;
use overt_layers::preview::Preview;

/// What the call asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Mode {
    /// Only the plan: nothing changes.
    Preview,
    /// The real call. With `plan`, it runs only if the plan is still that of the preview.
    Real { plan: Option<String> },
}

/// Code for a preview of a tool that has none, and for a request whose `preview` value is unclear.
const UNSUPPORTED: &str = "PREVIEW_UNSUPPORTED";
/// Code for a call that would now do something else than its preview showed.
const CHANGED: &str = "PLAN_CHANGED";
/// Code for an invalid member of `_meta`.
const INVALID: &str = "INVALID_META";
/// Code for an irreversible change that nobody approved.
pub(super) const IRREVERSIBLE: &str = "IRREVERSIBLE";
/// Code for a call that a person must approve by itself, where nobody was asked. Overt's layers
/// answer with it too.
pub(super) const NEEDS_APPROVAL: &str = "PERMISSION_NOT_GRANTED";
/// Code for a change that can start programs and that nobody approved.
pub(super) const GUARDED: &str = "GUARDED";
/// The codes that any tool can answer with, in addition to those that its author declares.
pub(super) const CODES: [&str; 5] = [UNSUPPORTED, CHANGED, INVALID, IRREVERSIBLE, GUARDED];

/// Returns the errors that any tool with a preview or a plan can answer with.
pub fn known_errors() -> Vec<KnownError> {
    let error = |(code, description, resolution): (&str, &str, &str)| KnownError {
        code: code.to_owned(),
        description: description.to_owned(),
        resolution: resolution.to_owned(),
    };
    let errors = [
        (INVALID, "A member of `_meta` is not valid", "Leave it out, or correct it as the error says"),
        (
            IRREVERSIBLE,
            "The change could not be undone, and the user was not asked about it",
            "Change smaller parts",
        ),
        (
            GUARDED,
            "The change can start programs or permit tools, and the user was not asked about it",
            "Ask the user to make the change",
        ),
        (
            CHANGED,
            "What would change is no longer what the preview showed",
            "Preview the call again, and use the new plan",
        ),
        (
            super::outcome::INVALID_RESULT,
            "The server made a result that does not fit its own schema, and did not send it",
            "Use another tool, or report it",
        ),
    ];
    errors.into_iter().map(error).collect()
}

impl Mode {
    /// Reads the mode from the `_meta` of a call.
    pub(super) fn read(message: &Message) -> Result<Self, ToolError> {
        let meta = message.meta();
        let plan = match meta.get(request::PLAN) {
            Member::Absent | Member::Null => None,
            Member::Value(plan) => Some(plan.string().ok_or_else(|| {
                ToolError::new(format!("`_meta[\"{}\"]` must be a string; nothing was run", request::PLAN))
                    .valid("It is what the result of a preview has in the same place.")
                    .next("Call again with the plan of a preview, or without one.")
                    .code(INVALID)
            })?),
        };
        match Preview::of(message) {
            Preview::Yes => Ok(Self::Preview),
            Preview::No => Ok(Self::Real { plan: plan.map(Into::into) }),
            Preview::Unclear => {
                Err(ToolError::new("`_meta.preview` is neither true nor false; nothing was run")
                    .valid("Valid are `true` and `false`.")
                    .next("Call again with `true` for a preview, or without it.")
                    .code(UNSUPPORTED))
            }
        }
    }

    /// Checks that the tool supports this mode. A read-only tool has nothing to preview, so a
    /// preview runs it.
    pub(super) fn suits(&self, name: &str, record: &ToolRecord) -> Result<(), ToolError> {
        match self {
            _ if record.preview => Ok(()),
            Self::Real { plan: None } => Ok(()),
            Self::Real { plan: Some(_) } => Err(ToolError::new(format!(
                "`{name}` has no previews, so there is no plan to hold it against; nothing was run"
            ))
            .next("Call it without a plan.")
            .code(UNSUPPORTED)),
            Self::Preview if record.effect == Some(Effect::Read) => Ok(()),
            Self::Preview => Err(ToolError::new(format!("`{name}` has no previews; nothing was run"))
                .valid("Tools with `annotations.preview` in `tools/list` have them.")
                .next("Call it without `_meta.preview` if it is to run.")
                .code(UNSUPPORTED)),
        }
    }

    /// Whether the call is a preview or carries a plan, and so needs a digest.
    pub(super) fn is_bound(&self) -> bool {
        *self != Self::Real { plan: None }
    }

    /// Rejects a call that carries a plan if it would do something else than the preview showed.
    pub(super) fn check(&self, tool: &str, digest: Option<&str>) -> Result<(), ToolError> {
        match self {
            Self::Real { plan: Some(plan) } if Some(&**plan) != digest => Err(ToolError::new(format!(
                "The plan for `{tool}` no longer holds: the arguments, or what is there, are not those of the preview; \
                 nothing was changed"
            ))
            .next("Call again with `_meta.preview`, look at the changes, and use the new plan.")
            .code(CHANGED)),
            Self::Preview | Self::Real { .. } => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(meta: &str) -> Option<Mode> {
        let text = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"t","_meta":{meta}}}}}"#
        );
        Mode::read(&Message::parse(text.into_bytes(), &overt_wire::json::Limits::default()).unwrap()).ok()
    }

    #[test]
    fn x_07_only_true_and_false_are_understood() {
        let real = || Some(Mode::Real { plan: None });
        for meta in ["{}", r#"{"preview":false}"#, r#"{"preview":"False"}"#] {
            assert_eq!(read(meta), real(), "{meta}");
        }
        for meta in [r#"{"preview":true}"#, r#"{"preview":"true"}"#, r#"{"preview":"TRUE"}"#] {
            assert_eq!(read(meta), Some(Mode::Preview), "{meta}");
        }
        for meta in [
            r#"{"preview":null}"#,
            r#"{"preview":1}"#,
            r#"{"preview":0}"#,
            r#"{"preview":"1"}"#,
            r#"{"preview":"yes"}"#,
            r#"{"preview":""}"#,
            r#"{"preview":" true"}"#,
            r#"{"preview":{}}"#,
            r#"{"preview":[true]}"#,
            r#"{"dev.overt/plan":1}"#,
        ] {
            assert_eq!(read(meta), None, "{meta}");
        }
        assert_eq!(read(r#"{"dev.overt/plan":"p"}"#), Some(Mode::Real { plan: Some("p".into()) }));
    }
}
