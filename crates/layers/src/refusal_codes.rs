//! The codes of Overt's own errors: why a call did not happen. Each names one thing that happened
//! (D-20).
use overt_policy::record::KnownError;

/// Declares the codes, with their descriptions and what to do.
macro_rules! codes {
    ($($name:ident = $code:literal: $description:literal, $resolution:literal;)*) => {
        $(pub(crate) const $name: &str = $code;)*

        const TABLE: &[(&str, &str, &str)] = &[$(($code, $description, $resolution)),*];
    };
}

codes! {
    DENIED = "PERMISSION_DENIED":
        "The policy or the user does not allow the call",
        "Do without it, or ask the user to change what is allowed";
    NOT_GRANTED = "PERMISSION_NOT_GRANTED":
        "The user must allow the call first",
        "Ask the user, then call again";
    NO_STORE = "APPROVALS_UNAVAILABLE":
        "What the user allowed could not be read or kept, so the call was not made",
        "Ask the user to check the state folder, then call again";
    NO_AUDIT = "AUDIT_UNAVAILABLE":
        "The call could not be recorded in the audit log, so it was not made",
        "Ask the user to check the audit log, then call again";
    INVALID_ARGUMENTS = "INVALID_ARGUMENTS":
        "The arguments do not fit the schema of the tool, or one is missing",
        "Correct them as the error says";
    NO_PREVIEW = "PREVIEW_UNSUPPORTED":
        "The tool has no preview, or `_meta.preview` is neither true nor false",
        "Call it without `_meta.preview`";
    RATE_LIMITED = "RATE_LIMITED":
        "There were too many calls",
        "Wait as long as `retryAfter` says";
    TOO_SLOW = "TIME_LIMIT":
        "The call took longer than the policy allows",
        "Ask for less at a time";
    TOO_LARGE = "RESULT_TOO_LARGE":
        "The result is larger than the policy allows",
        "Ask for less at a time";
}

/// Returns the errors that a layer can answer with in place of the server.
pub fn known_errors() -> Vec<KnownError> {
    let error = |(code, description, resolution): &(&str, &str, &str)| KnownError {
        code: (*code).to_owned(),
        description: (*description).to_owned(),
        resolution: (*resolution).to_owned(),
    };
    TABLE.iter().map(error).collect()
}
