//! The errors that a client gets when the upstream fails: one typed error per call, which says
//! whether the call may have had an effect. `docs/run.md` has the table.
//!
//! The message has the upstream's error output only if the program ended at its start: then its
//! last line shows the reason, without secrets.
use std::error::Error;
use std::time::Duration;

use overt_secrets::hide;
use overt_transport::client::{ClientError, Executed};
use overt_wire::ErrorObject;
use overt_wire::edit::{self, Step};
use overt_wire::error::code;
use overt_wire::json::{Json, Object};
use overt_wire::text::{Untrusted, error_chain};

const UNKNOWN_EFFECT: &str = "; whether the call had an effect is not known";
/// The most characters of the last line of a program that ended.
const LONGEST_LINE: usize = 300;

/// Returns the error for a failed request to the upstream named `upstream`.
pub(crate) fn of(error: &ClientError, upstream: &str) -> ErrorObject {
    if let ClientError::Refused(error) = error {
        return error.clone();
    }
    let (code, what) = explain(error);
    match error.executed() {
        Executed::No => made(code, upstream, &what, Executed::No, retry_after(error)),
        Executed::Unknown => of_unknown_effect(code, upstream, &what, retry_after(error)),
    }
}

/// Returns the error for a request that only reads, and so can't have had an effect.
pub(crate) fn of_read(error: &ClientError, upstream: &str) -> ErrorObject {
    if let ClientError::Refused(error) = error {
        return error.clone();
    }
    let (code, what) = explain(error);
    made(code, upstream, &what, error.executed(), retry_after(error))
}

/// Returns the error for a connection that could not be opened. No request of a client was sent,
/// whatever happened in the handshake.
pub(crate) fn of_connect(error: &ClientError, upstream: &str) -> ErrorObject {
    let (code, what) = match error {
        // The error answers the handshake, not the client's request.
        ClientError::Refused(error) => {
            let said: String = hide(&error.message).chars().take(LONGEST_LINE).collect();
            (code::UPSTREAM_DOWN, format!("it refused the handshake: {} ({})", Untrusted(&said), error.code))
        }
        ClientError::Closed { reason, stderr, .. } => {
            let last = last_line(stderr);
            let said = if last.is_empty() { String::new() } else { format!("; its last line was: {last}") };
            (code::UPSTREAM_DOWN, format!("it ended at its start: {reason}{said}"))
        }
        ClientError::TimedOut { after, .. } => {
            (code::UPSTREAM_DOWN, format!("it did not answer the handshake within {} s", after.as_secs()))
        }
        ClientError::Broken { source, .. } => {
            let cause = cause_of(source.as_ref());
            (code::UPSTREAM_DOWN, format!("the connection broke during the handshake: {cause}"))
        }
        error => explain(error),
    };
    made(code, upstream, &what, Executed::No, retry_after(error))
}

/// Returns the error for a call that was not sent because an earlier request of ours failed.
pub(crate) fn before_call(error: &ClientError, upstream: &str) -> ErrorObject {
    let (code, what) = explain(error);
    let what = format!("its tools can't be listed, so the call was not sent: {what}");
    made(code, upstream, &what, Executed::No, retry_after(error))
}

/// Adapts the error of a call that was already under way: the call may have had an effect before it
/// failed (G-42).
pub(crate) fn under_way(error: ErrorObject) -> ErrorObject {
    let Some(data) = error.data.as_ref().filter(|data| data.as_json().get("executed").string().is_some())
    else {
        return error;
    };
    let unknown = Json::parse("\"unknown\"").ok();
    let data =
        unknown.and_then(|unknown| edit::set(data.as_json(), &[Step::Member("executed")], unknown).ok());
    match data {
        Some(data) => ErrorObject { data: Some(data), ..error },
        None => error,
    }
}

/// Returns the error for a request that comes before the upstream may be tried again in `pause`.
pub(crate) fn paused(upstream: &str, pause: Duration) -> ErrorObject {
    let what = format!("it failed repeatedly; the next attempt is in {} s", pause.as_secs().max(1));
    made(code::UPSTREAM_DOWN, upstream, &what, Executed::No, Some(pause))
}

/// Returns the error for a request that exceeds a limit of the gateway.
pub(crate) fn full(upstream: &str, what: &str) -> ErrorObject {
    made(code::OVERLOADED, upstream, what, Executed::No, None)
}

fn explain(error: &ClientError) -> (i64, String) {
    match error {
        ClientError::Busy { limit } => {
            let what =
                format!("{limit} requests to it are waiting for their answers already; try again later");
            (code::OVERLOADED, what)
        }
        ClientError::QueueFull { limit } => {
            let what = format!("it does not read, and {limit} bytes wait for it already; try again later");
            (code::OVERLOADED, what)
        }
        ClientError::TimedOut { after, .. } => {
            (code::DEADLINE, format!("it did not answer within {} s", after.as_secs()))
        }
        ClientError::Status { status: status @ (401 | 403), .. } => {
            (code::UPSTREAM_REFUSED, format!("it refused our authorization with HTTP status {status}"))
        }
        ClientError::Unauthorized { source, .. } => {
            let hint = source.hint().map(|hint| format!("; {hint}")).unwrap_or_default();
            let what = format!("it wants an authorization that Overt does not have: {source}{hint}");
            (code::UPSTREAM_REFUSED, what)
        }
        ClientError::Status { status: status @ (429 | 503), .. } => {
            (code::OVERLOADED, format!("it is busy (HTTP status {status}); try again later"))
        }
        ClientError::Status { status, .. } => {
            (code::UPSTREAM_FAILED, format!("it answered with HTTP status {status}"))
        }
        ClientError::Redirected { .. } => (
            code::UPSTREAM_FAILED,
            "it redirects to another place, and redirects are not followed".to_owned(),
        ),
        ClientError::SessionLost => {
            (code::UPSTREAM_DOWN, "it does not know our session and gave us no new one".to_owned())
        }
        ClientError::Start { source, .. } => {
            (code::UPSTREAM_DOWN, format!("it can't be started: {}", cause_of(source)))
        }
        ClientError::Connect { source, .. } => {
            (code::UPSTREAM_DOWN, format!("it can't be reached: {}", cause_of(source.as_ref())))
        }
        ClientError::Closed { reason, .. } if error.executed() == Executed::No => {
            (code::UPSTREAM_DOWN, format!("the connection was lost before the request was sent: {reason}"))
        }
        ClientError::Closed { reason, .. } => {
            (code::UPSTREAM_LOST, format!("the connection was lost: {reason}"))
        }
        ClientError::Broken { source, .. } => {
            let cause = cause_of(source.as_ref());
            (code::UPSTREAM_LOST, format!("the connection broke before the answer: {cause}"))
        }
        ClientError::TooLarge { limit, .. } => {
            (code::UPSTREAM_FAILED, format!("its answer is over the limit of {limit} bytes"))
        }
        ClientError::Protocol { what } => (code::UPSTREAM_FAILED, format!("it broke the protocol: {what}")),
        other => (code::UPSTREAM_FAILED, other.to_string()),
    }
}

fn retry_after(error: &ClientError) -> Option<Duration> {
    match error {
        ClientError::Status { retry_after, .. } => *retry_after,
        _ => None,
    }
}

/// Returns the error with its causes for the log, without secrets.
pub(crate) fn for_log(error: &ClientError) -> String {
    cause_of(error)
}

/// Returns an error with its causes, without secrets.
fn cause_of(cause: &(dyn Error + 'static)) -> String {
    hide(&error_chain(cause)).into_owned()
}

/// Returns the last informative line of an error output, without secrets.
fn last_line(stderr: &str) -> String {
    let mut lines = stderr.lines().rev().map(str::trim);
    let Some(line) = lines.find(|line| says_something(line)) else { return String::new() };
    let line: String = hide(line).chars().take(LONGEST_LINE).collect();
    Untrusted(&line).to_string()
}

/// Whether a line is informative. Stack frames, versions and log paths, which runtimes print after
/// the message, are not.
fn says_something(line: &str) -> bool {
    let is_noise = line.starts_with("at ")
        || line.starts_with("Node.js v")
        || line.starts_with("npm error A complete log")
        || line.starts_with("npm error     ");
    line.chars().any(char::is_alphanumeric) && !is_noise
}

/// Returns the error for a call whose question got no answer from the client.
pub(crate) fn unanswered(upstream: &str, question: &str, why: &str) -> ErrorObject {
    let what = format!("it asked `{}` and got no answer: {why}", Untrusted(question));
    of_unknown_effect(code::UPSTREAM_FAILED, upstream, &what, None)
}

/// Returns the error for a call that was given up while it was under way.
pub(crate) fn given_up(label: &str, what: &str) -> ErrorObject {
    of_unknown_effect(code::OVERLOADED, label, what, None)
}

fn of_unknown_effect(code: i64, upstream: &str, what: &str, retry_after: Option<Duration>) -> ErrorObject {
    let what = format!("{what}{UNKNOWN_EFFECT}");
    made(code, upstream, &what, Executed::Unknown, retry_after)
}

fn made(
    code: i64,
    upstream: &str,
    what: &str,
    executed: Executed,
    retry_after: Option<Duration>,
) -> ErrorObject {
    let word = match executed {
        Executed::No => "no",
        Executed::Unknown => "unknown",
    };
    let data = Object::new()
        .string("upstream", upstream)
        .string("executed", word)
        .maybe("retryAfterMs", retry_after.map(|pause| u64::try_from(pause.as_millis()).unwrap_or(u64::MAX)));
    ErrorObject::new(code, format!("the server behind Overt failed: {what}")).with_data(data.finish())
}

#[cfg(test)]
mod tests {
    use overt_transport::client::Delivery;
    use overt_wire::json::JsonBuf;

    use super::*;

    fn executed(error: &ErrorObject) -> String {
        let data = error.data.as_ref().map(JsonBuf::as_json).unwrap();
        assert_eq!(data.get("upstream").string().unwrap(), "name");
        data.get("executed").string().unwrap().into_owned()
    }

    fn status(status: u16) -> ClientError {
        ClientError::Status { url: String::new(), status, body: String::new(), retry_after: None }
    }

    #[test]
    fn g_42_a_503_and_a_redirect_may_come_after_the_effect() {
        let redirect = ClientError::Redirected { url: String::new(), location: String::new() };
        for (error, code, word) in [
            (status(503), code::OVERLOADED, "unknown"),
            (redirect, code::UPSTREAM_FAILED, "unknown"),
            (status(429), code::OVERLOADED, "no"),
            (status(401), code::UPSTREAM_REFUSED, "no"),
            (status(500), code::UPSTREAM_FAILED, "unknown"),
        ] {
            let told = of(&error, "name");
            assert_eq!((told.code, executed(&told).as_str()), (code, word), "{error}");
        }
        let told = of_connect(&status(503), "name");
        assert_eq!((told.code, executed(&told).as_str()), (code::OVERLOADED, "no"), "nothing was asked for");
    }

    #[test]
    fn g_58_a_program_that_ends_at_its_start_says_why() {
        let stderr = "reading\n\nError: no API key, got api_key=sk-abcdefghijklmnopqrstuv\n    at Object.<anonymous>\n    \
                      at main (x.js:1)\n\nNode.js v22.1.0\n";
        let closed = ClientError::Closed {
            reason: "the program ended with exit status: 1".into(),
            stderr: stderr.into(),
            delivery: Delivery::MaybeSent,
        };
        let told = of_connect(&closed, "name");
        assert_eq!((told.code, executed(&told).as_str()), (code::UPSTREAM_DOWN, "no"));
        assert_eq!(
            told.message,
            "the server behind Overt failed: it ended at its start: the program ended with exit status: 1; its last \
             line was: Error: no API key, got api_key=[redacted]"
        );
        // After the start, the program's error output is not shown to clients.
        let told = of(&closed, "name");
        assert_eq!((told.code, executed(&told).as_str()), (code::UPSTREAM_LOST, "unknown"));
        assert!(!told.message.contains("Error"), "{}", told.message);
    }

    #[test]
    fn g_58_the_cause_is_told() {
        let missing = std::io::Error::from_raw_os_error(2);
        let told = of(&ClientError::Start { program: "x".into(), source: missing }, "name");
        assert!(
            told.message.ends_with("it can't be started: No such file or directory (os error 2)"),
            "{told}"
        );
        let refused = std::io::Error::from_raw_os_error(111);
        let told = of(&ClientError::Connect { url: "x".into(), source: refused.into() }, "name");
        assert!(told.message.contains("can't be reached: Connection refused"), "{told}");
    }
}
