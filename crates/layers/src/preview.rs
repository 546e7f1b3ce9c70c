//! Whether a call asks for a preview. The decision and the endpoint read the same member in the
//! same way, so that neither takes for a preview what the other runs.
use overt_policy::mark::request;
use overt_wire::Message;
use overt_wire::json::Member;

/// Whether only the plan is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Preview {
    #[default]
    No,
    Yes,
    /// Neither yes nor no. Nothing may run: the client may have meant yes (B-01).
    Unclear,
}

impl Preview {
    /// `true` and `"true"` ask for one; absent, `false` and `"false"` don't. Null may mean either,
    /// so it is unclear (FS-35).
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
