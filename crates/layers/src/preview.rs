//! Whether a call asks for a preview. The decision and the endpoint use this one parser, so a call
//! that one of them takes for a preview is never run by the other.
use overt_policy::mark::request;
use overt_wire::Message;
use overt_wire::json::Member;

/// Whether the client wants only the plan of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Preview {
    #[default]
    No,
    Yes,
    /// Neither yes nor no. The call must not run, because the client may have meant yes (B-01).
    Unclear,
}

impl Preview {
    /// Reads the preview mark of a call. `true` and `"true"` ask for a preview; an absent mark,
    /// `false` and `"false"` don't. Null could mean either, so it is unclear (FS-35).
    pub fn of(call: &Message) -> Self {
        let value = match call.meta().get(request::PREVIEW) {
            Member::Absent => return Self::No,
            Member::Null => return Self::Unclear,
            Member::Value(value) => value,
        };
        match (value.bool(), value.string()) {
            (Some(true), _) => Self::Yes,
            (Some(false), _) => Self::No,
            (None, Some(text)) if text.eq_ignore_ascii_case("true") => Self::Yes,
            (None, Some(text)) if text.eq_ignore_ascii_case("false") => Self::No,
            _ => Self::Unclear,
        }
    }
}
