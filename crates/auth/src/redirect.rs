//! The listener on this machine that receives the browser's redirect. It accepts one answer, with
//! the `state` that we sent. The time and the number of callers are limited.
use std::net::Ipv4Addr;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout, timeout_at};
use url::Url;

/// Waits for the browser's redirect.
#[derive(Debug)]
pub(super) struct Redirect {
    listener: TcpListener,
    port: u16,
}

/// The parameters of the redirect.
pub(super) struct Answer {
    pub(super) code: String,
    pub(super) issuer: Option<String>,
}

/// Why the browser did not return an authorization.
#[derive(Debug, thiserror::Error)]
pub enum RedirectError {
    #[error("can't listen on port {port} of this machine")]
    Listen { port: u16, source: std::io::Error },
    #[error("nobody agreed within {} s", .0.as_secs())]
    NoConsent(Duration),
    #[error("the authorization server refused: `{0}`")]
    Refused(String),
    #[error("too many requests without the right `state` came instead")]
    Strangers,
}

/// How long a person may take to consent.
pub(super) const DEADLINE: Duration = Duration::from_secs(300);
/// How long a caller may take to send its request.
const REQUEST_DEADLINE: Duration = Duration::from_secs(10);
const MAX_REQUEST_BYTES: usize = 16 << 10;
/// The most callers. Browsers open connections that they don't use, and request an icon.
const MAX_CALLERS: usize = 32;
const PATH: &str = "/callback";

const DONE: &str = "You are logged in. This page can be closed.";
const REFUSED: &str = "The authorization was refused. This page can be closed.";
const STRANGE: &str = "This is not what was waited for.";

impl Redirect {
    pub(super) async fn listen(port: u16) -> Result<Self, RedirectError> {
        let failed = |source| RedirectError::Listen { port, source };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        Ok(Self { listener, port })
    }

    pub(super) fn uri(&self) -> String {
        format!("http://127.0.0.1:{}{PATH}", self.port)
    }

    /// Waits for the answer to the request with this `state`.
    pub(super) async fn answer(self, state: &str, deadline: Duration) -> Result<Answer, RedirectError> {
        let until = Instant::now() + deadline;
        let mut callers = JoinSet::new();
        let mut left = MAX_CALLERS;
        loop {
            tokio::select! {
                accepted = timeout_at(until, self.listener.accept()) => match accepted {
                    Err(_) => return Err(RedirectError::NoConsent(deadline)),
                    Ok(_) if left == 0 => return Err(RedirectError::Strangers),
                    Ok(Ok((stream, _))) => {
                        left -= 1;
                        callers.spawn(serve(stream, state.to_owned(), self.port));
                    }
                    Ok(Err(_)) => left = left.saturating_sub(1),
                },
                Some(caller) = callers.join_next() => {
                    if let Ok(Some(outcome)) = caller {
                        return outcome;
                    }
                }
            }
        }
    }
}

/// Answers one caller. Returns its answer if it was the expected one.
async fn serve(mut stream: TcpStream, state: String, port: u16) -> Option<Result<Answer, RedirectError>> {
    let head = timeout(REQUEST_DEADLINE, read_head(&mut stream)).await.ok().flatten()?;
    let outcome = judge(&head, &state, port);
    let (status, text) = match &outcome {
        Some(Ok(_)) => ("200 OK", DONE),
        Some(Err(_)) => ("200 OK", REFUSED),
        None => ("400 Bad Request", STRANGE),
    };
    let page = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\n\
         Content-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\n\
         X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nCache-Control: no-store\r\n\
         Connection: close\r\n\r\n{text}",
        text.len()
    );
    let _ = timeout(REQUEST_DEADLINE, async {
        stream.write_all(page.as_bytes()).await?;
        stream.shutdown().await
    })
    .await;
    outcome
}

async fn read_head(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    while !bytes.windows(4).any(|window| window == b"\r\n\r\n") {
        if bytes.len() > MAX_REQUEST_BYTES || stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
    String::from_utf8(bytes).ok()
}

/// Reads a request. Returns `None` if it is not the expected one.
fn judge(head: &str, state: &str, port: u16) -> Option<Result<Answer, RedirectError>> {
    let mut lines = head.split("\r\n");
    let target = lines.next()?.strip_prefix("GET ")?.split(' ').next()?;
    let mut hosts = lines
        .filter_map(|line| line.split_once(':'))
        .filter(|(name, _)| name.eq_ignore_ascii_case("host"))
        .map(|(_, value)| value.trim());
    let host = hosts.next()?;
    // Reject other host names: a website may have pointed its name at this machine (DNS rebinding).
    if host != format!("127.0.0.1:{port}") && host != format!("localhost:{port}") {
        return None;
    }
    let url = Url::parse("http://127.0.0.1").ok()?.join(target).ok()?;
    let only = |name: &str| {
        let mut values =
            url.query_pairs().filter(|(key, _)| key == name).map(|(_, value)| value.into_owned());
        values.next().filter(|_| values.next().is_none())
    };
    if url.path() != PATH || only("state")? != state {
        return None;
    }
    if let Some(error) = only("error") {
        let is_word =
            error.len() <= 64 && error.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        return Some(Err(RedirectError::Refused(if is_word { error } else { "no reason".into() })));
    }
    Some(Ok(Answer { code: only("code")?, issuer: only("iss") }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(target: &str) -> String {
        format!("GET {target} HTTP/1.1\r\nHost: 127.0.0.1:7\r\n\r\n")
    }

    #[test]
    fn only_the_answer_with_our_state_counts() {
        let code = |head: &str| judge(head, "s1", 7).and_then(Result::ok).map(|answer| answer.code);
        assert_eq!(code(&request("/callback?code=c&state=s1")).as_deref(), Some("c"));
        for target in [
            "/callback?code=c&state=s2",
            "/callback?code=c",
            "/callback?code=c&state=s1&state=s1",
            "/callback?code=c&code=d&state=s1",
            "/callback?state=s1",
            "/favicon.ico?code=c&state=s1",
            "/",
        ] {
            assert!(judge(&request(target), "s1", 7).is_none(), "{target}");
        }
        let post = request("/callback?code=c&state=s1").replace("GET", "POST");
        let elsewhere = request("/callback?code=c&state=s1").replace("127.0.0.1", "evil.example");
        assert!(judge(&post, "s1", 7).is_none() && judge(&elsewhere, "s1", 7).is_none());
        let refused = judge(&request("/callback?error=access_denied&state=s1"), "s1", 7);
        assert!(matches!(refused, Some(Err(RedirectError::Refused(error))) if error == "access_denied"));
    }

    async fn get(uri: &str, target: &str) -> String {
        let address = uri.strip_prefix("http://").unwrap().strip_suffix(PATH).unwrap();
        let mut stream = TcpStream::connect(address).await.unwrap();
        let request = format!("GET {target} HTTP/1.1\r\nHost: {address}\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer).await;
        answer
    }

    #[tokio::test]
    async fn strangers_don_t_end_the_wait_and_are_bounded() {
        let redirect = Redirect::listen(0).await.unwrap();
        let uri = redirect.uri();
        let waiting = tokio::spawn(async move { redirect.answer("s1", DEADLINE).await });
        assert!(get(&uri, "/callback?code=c&state=other").await.starts_with("HTTP/1.1 400"));
        let page = get(&uri, "/callback?code=c&state=s1&iss=i").await;
        assert!(page.starts_with("HTTP/1.1 200") && page.contains("default-src 'none'"), "{page}");
        let answer = waiting.await.unwrap().unwrap();
        assert_eq!((answer.code.as_str(), answer.issuer.as_deref()), ("c", Some("i")));

        let redirect = Redirect::listen(0).await.unwrap();
        let uri = redirect.uri();
        let waiting = tokio::spawn(async move { redirect.answer("s1", DEADLINE).await });
        for _ in 0..=MAX_CALLERS {
            get(&uri, "/callback?code=c&state=other").await;
        }
        assert!(matches!(waiting.await.unwrap(), Err(RedirectError::Strangers)));
    }

    #[tokio::test]
    async fn the_wait_ends() {
        let redirect = Redirect::listen(0).await.unwrap();
        let outcome = redirect.answer("s1", Duration::from_millis(50)).await;
        assert!(matches!(outcome, Err(RedirectError::NoConsent(_))));
    }
}
