//! The replies of a site, and the headers that every reply has: nothing is cached, shown inside
//! another page, or sent to another host.
use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Frame, SizeHint};
use hyper::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, HeaderValue, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use hyper::{Response, StatusCode};
use tokio::sync::mpsc;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

#[derive(Debug)]
pub struct SiteReply {
    pub status: u16,
    pub content_type: &'static str,
    pub content: SiteContent,
}

#[derive(Debug)]
pub enum SiteContent {
    Whole(Bytes),
    /// One complete event per item, until the sender is dropped.
    Events(mpsc::Receiver<String>),
}

/// The body of a reply.
pub(super) struct SiteBody {
    content: SiteContent,
    keep_alive: Interval,
}

/// The reason for which a request is refused.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SiteRefusal {
    pub(super) status: StatusCode,
    pub(super) reason: &'static str,
}

/// Allows only our own scripts, styles, images and requests. No text becomes markup, no page may
/// frame this one, and this one may contain no frames.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
                      trusted-types lit-html";
const HEADERS: [(HeaderName, &str); 4] = [
    (CACHE_CONTROL, "no-store"),
    (REFERRER_POLICY, "no-referrer"),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "DENY"),
];
const CROSS_ORIGIN: [(&str, &str); 2] =
    [("cross-origin-opener-policy", "same-origin"), ("cross-origin-resource-policy", "same-origin")];

/// Interval of the comments on a silent stream.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// The policy of the page, which additionally allows frames of the second origin.
pub(super) fn page_policy(sandbox: SocketAddr) -> HeaderValue {
    let policy = HeaderValue::try_from(format!("{POLICY}; frame-src http://{sandbox}"));
    policy.unwrap_or(HeaderValue::from_static(POLICY))
}

impl SiteReply {
    pub(super) fn refused(refused: &SiteRefusal) -> Self {
        let text = format!("{{\"error\":{{\"message\":{}}}}}", overt_wire::json::quote(refused.reason));
        Self {
            status: refused.status.as_u16(),
            content_type: "application/json",
            content: SiteContent::Whole(Bytes::from(text)),
        }
    }

    pub(super) fn response(self, policy: HeaderValue) -> Response<SiteBody> {
        let mut keep_alive = interval_at(Instant::now() + KEEP_ALIVE, KEEP_ALIVE);
        keep_alive.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut response = Response::new(SiteBody { content: self.content, keep_alive });
        *response.status_mut() =
            StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(self.content_type));
        headers.insert(CONTENT_SECURITY_POLICY, policy);
        for (name, value) in HEADERS {
            headers.insert(name, HeaderValue::from_static(value));
        }
        for (name, value) in CROSS_ORIGIN {
            headers.insert(name, HeaderValue::from_static(value));
        }
        response
    }
}

impl hyper::body::Body for SiteBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let frame = |bytes| Poll::Ready(Some(Ok(Frame::data(bytes))));
        match &mut self.content {
            SiteContent::Whole(bytes) if bytes.is_empty() => Poll::Ready(None),
            SiteContent::Whole(bytes) => frame(std::mem::take(bytes)),
            SiteContent::Events(events) => match events.poll_recv(context) {
                Poll::Ready(Some(event)) => frame(Bytes::from(event)),
                Poll::Ready(None) => Poll::Ready(None),
                Poll::Pending => match self.keep_alive.poll_tick(context) {
                    Poll::Ready(_) => frame(Bytes::from_static(b":\n\n")),
                    Poll::Pending => Poll::Pending,
                },
            },
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(&self.content, SiteContent::Whole(bytes) if bytes.is_empty())
    }

    fn size_hint(&self) -> SizeHint {
        match &self.content {
            SiteContent::Whole(bytes) => SizeHint::with_exact(bytes.len() as u64),
            SiteContent::Events(_) => SizeHint::default(),
        }
    }
}
