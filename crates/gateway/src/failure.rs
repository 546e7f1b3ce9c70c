//! What a client is told when the upstream fails: one typed error per call, which says whether the call may
//! have had an effect. Nothing that the upstream wrote to its error output is in it.
use std::time::Duration;

use overt_transport::client::ClientError;
use overt_wire::ErrorObject;
use overt_wire::error::code;
use overt_wire::json::Object;

/// Whether the upstream may have acted on a request that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Executed {
    No,
    Unknown,
}

/// What became of a request to the upstream.
pub(crate) fn of(error: &ClientError, label: &str) -> ErrorObject {
    let (code, what, executed) = match error {
        ClientError::Refused(error) => return error.clone(),
        ClientError::Busy { limit } => {
            let what =
                format!("{limit} requests to it are waiting for their answers already; try again later");
            (code::OVERLOADED, what, Executed::No)
        }
        ClientError::TimedOut { after, .. } => {
            let what = format!("it did not answer within {} s", after.as_secs());
            (code::DEADLINE, what, Executed::Unknown)
        }
        ClientError::Status { status: status @ (401 | 403), .. } => {
            let what = format!("it refused our authorization with HTTP status {status}");
            (code::UPSTREAM_REFUSED, what, Executed::No)
        }
        ClientError::Unauthorized { source, .. } => {
            let hint = source.hint().map(|hint| format!("; {hint}")).unwrap_or_default();
            let what = format!("it wants an authorization that Overt does not have: {source}{hint}");
            (code::UPSTREAM_REFUSED, what, Executed::No)
        }
        ClientError::Status { status: status @ (429 | 503), .. } => {
            let what = format!("it is busy (HTTP status {status}); try again later");
            (code::OVERLOADED, what, Executed::No)
        }
        ClientError::Status { status, .. } => {
            (code::UPSTREAM_FAILED, format!("it answered with HTTP status {status}"), Executed::Unknown)
        }
        ClientError::Redirected { .. } => {
            let what = "it redirects to another place, and redirects are not followed".to_owned();
            (code::UPSTREAM_FAILED, what, Executed::No)
        }
        ClientError::SessionLost => (
            code::UPSTREAM_DOWN,
            "it does not know our session and gave us no new one".to_owned(),
            Executed::No,
        ),
        ClientError::Start { .. } => (code::UPSTREAM_DOWN, "it can't be started".to_owned(), Executed::No),
        ClientError::Connect { .. } => (code::UPSTREAM_DOWN, "it can't be reached".to_owned(), Executed::No),
        ClientError::Closed { reason, .. } => {
            (code::UPSTREAM_LOST, format!("the connection was lost: {reason}"), Executed::Unknown)
        }
        ClientError::Broken { .. } => {
            (code::UPSTREAM_LOST, "the connection broke before the answer".to_owned(), Executed::Unknown)
        }
        ClientError::TooLarge { limit, .. } => {
            let what = format!("its answer is over the limit of {limit} bytes");
            (code::UPSTREAM_FAILED, what, Executed::Unknown)
        }
        ClientError::Protocol { what } => {
            (code::UPSTREAM_FAILED, format!("it broke the protocol: {what}"), Executed::Unknown)
        }
        other => (code::UPSTREAM_FAILED, other.to_string(), Executed::Unknown),
    };
    let retry_after = match error {
        ClientError::Status { retry_after, .. } => *retry_after,
        _ => None,
    };
    made(code, label, &what, executed, retry_after)
}

/// The upstream is not tried again before `pause` is over.
pub(crate) fn resting(label: &str, pause: Duration) -> ErrorObject {
    let what = format!("it failed repeatedly; the next attempt is in {} s", pause.as_secs().max(1));
    made(code::UPSTREAM_DOWN, label, &what, Executed::No, Some(pause))
}

/// The gateway holds as much as it may.
pub(crate) fn full(label: &str, what: &str) -> ErrorObject {
    made(code::OVERLOADED, label, what, Executed::No, None)
}

/// A call that was under way was given up.
pub(crate) fn given_up(label: &str, what: &str) -> ErrorObject {
    made(code::OVERLOADED, label, what, Executed::Unknown, None)
}

fn made(
    code: i64,
    label: &str,
    what: &str,
    executed: Executed,
    retry_after: Option<Duration>,
) -> ErrorObject {
    let executed = match executed {
        Executed::No => "no",
        Executed::Unknown => "unknown",
    };
    let data = Object::new()
        .string("upstream", label)
        .string("executed", executed)
        .maybe("retryAfterMs", retry_after.map(|pause| u64::try_from(pause.as_millis()).unwrap_or(u64::MAX)));
    let advice = if executed == "unknown" { "; whether the call had an effect is not known" } else { "" };
    ErrorObject::new(code, format!("the server behind Overt failed: {what}{advice}")).with_data(data.finish())
}
