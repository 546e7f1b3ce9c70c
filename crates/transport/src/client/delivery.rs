//! Whether a failed request reached the server, whether the server may have executed it, and when
//! to send it again.
//!
//! `docs/run.md` has the same table for users.
use super::error::{ClientError, Delivery};

/// Whether the server may have executed a failed request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Executed {
    /// Certainly not.
    No,
    Unknown,
}

impl ClientError {
    /// Whether the request may have reached the server. A request that was [`Delivery::NotSent`]
    /// may be sent again, whatever its effect is.
    pub fn delivery(&self) -> Delivery {
        match self {
            Self::Closed { delivery, .. } => *delivery,
            // No connection, no room in a queue, or nothing that could be sent.
            Self::Start { .. }
            | Self::Address { .. }
            | Self::Header { .. }
            | Self::Tls { .. }
            | Self::Connect { .. }
            | Self::Busy { .. }
            | Self::QueueFull { .. }
            | Self::Params { .. }
            | Self::NotInVersion { .. } => Delivery::NotSent,
            _ => Delivery::MaybeSent,
        }
    }

    /// Whether the server may have executed the request.
    ///
    /// A request that was sent counts as not executed only if the status means this by definition:
    /// 401 ("has not been applied", RFC 9110), 403 ("refuses to fulfill it"), 407 (the proxy did
    /// not forward it), 429 (rate limit), and 404 to a request with a session id (the session does
    /// not exist). A 503, any other status and a redirect prove nothing, because a proxy may send
    /// them after the server acted.
    pub fn executed(&self) -> Executed {
        let is_refusal = matches!(
            self,
            Self::Status { status: 401 | 403 | 407 | 429, .. }
                | Self::Unauthorized { .. }
                | Self::SessionLost
        );
        match self.delivery() {
            Delivery::NotSent => Executed::No,
            Delivery::MaybeSent if is_refusal => Executed::No,
            Delivery::MaybeSent => Executed::Unknown,
        }
    }

    /// Whether the connection failed rather than the request: it could not be opened, it broke, or
    /// the program ended. A read-only request may be sent once more on a new connection; any other
    /// request only if it is [`Delivery::NotSent`].
    pub fn is_broken_connection(&self) -> bool {
        matches!(self, Self::Connect { .. } | Self::Broken { .. } | Self::Closed { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(status: u16) -> ClientError {
        ClientError::Status { url: String::new(), status, body: String::new(), retry_after: None }
    }

    fn closed(delivery: Delivery) -> ClientError {
        ClientError::Closed { reason: String::new(), stderr: String::new(), delivery }
    }

    #[test]
    fn g_42_not_executed_only_where_it_is_certain() {
        for certain in [401, 403, 407, 429] {
            assert_eq!(status(certain).executed(), Executed::No, "{certain}");
            assert_eq!(status(certain).delivery(), Delivery::MaybeSent, "{certain}");
        }
        for open in [400, 404, 408, 409, 500, 502, 503, 504] {
            assert_eq!(status(open).executed(), Executed::Unknown, "{open}");
        }
        let redirected = ClientError::Redirected { url: String::new(), location: String::new() };
        assert_eq!(redirected.executed(), Executed::Unknown);
        assert_eq!(closed(Delivery::NotSent).executed(), Executed::No);
        assert_eq!(closed(Delivery::MaybeSent).executed(), Executed::Unknown);
        assert_eq!(ClientError::Busy { limit: 1 }.executed(), Executed::No);
        assert_eq!(ClientError::SessionLost.executed(), Executed::No);
    }

    #[test]
    fn a_broken_connection_is_told_from_an_answer() {
        let broken =
            ClientError::Broken { url: String::new(), method: String::new(), source: "reset".into() };
        let unreachable = ClientError::Connect { url: String::new(), source: "refused".into() };
        assert!(broken.is_broken_connection() && broken.delivery() == Delivery::MaybeSent);
        assert!(unreachable.is_broken_connection() && unreachable.delivery() == Delivery::NotSent);
        assert!(closed(Delivery::MaybeSent).is_broken_connection());
        assert!(!status(503).is_broken_connection() && !ClientError::SessionLost.is_broken_connection());
    }
}
