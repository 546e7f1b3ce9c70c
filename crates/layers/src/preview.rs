//! Whether a call asks for a preview. Whoever decides about a call and whoever makes it read the same from the same member: a
//! call that one takes for a preview and the other for the real thing must not be.
use overt_policy::mark::request;
use overt_wire::Message;
use overt_wire::json::Member;

/// Whether only the plan is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Preview {
    #[default]
    No,
    Yes,
    /// Something that is neither yes nor no. Nothing may run: whoever wrote it may have meant yes (B-01).
    Unclear,
}

impl Preview {
    /// `true` and `"true"` ask for one; absent, `false` and `"false"` don't. Whoever wrote null may have meant either (FS-35).
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
