//! Fields that the table of the server and the tables of its tools share.
use overt_policy::finding::Severity;
use overt_policy::members::Members;
use overt_policy::rate::RateLimit;
use overt_policy::record::KnownError;

/// Reads a limit such as `1000/hour`.
pub(super) fn rate_limit(members: &mut Members<'_, '_>) -> Option<RateLimit> {
    let text = members.text("rate_limit")?;
    let limit = RateLimit::parse(&text);
    if limit.is_none() {
        let fix = "write a number and `second`, `minute`, `hour` or `day`, such as `1000/hour`";
        members.error("rate_limit", "is not a rate limit", fix);
    }
    limit
}

/// Reads an entry of `errors`.
pub(super) fn known_error(members: &mut Members<'_, '_>) -> Option<KnownError> {
    let code = members.required_text("code", "write the word that programs see, such as `NOT_FOUND`");
    let description = members.required_text("description", "say what went wrong");
    let resolution = members.required_text("resolution", "say what to do about it");
    members.unknown(Severity::Error);
    Some(KnownError { code: code?, description: description?, resolution: resolution? })
}
