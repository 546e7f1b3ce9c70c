//! The texts of the protocol in both eras. The tool is `echo`, under any name that a proxy gives
//! it, and its answer must contain the message.

/// The source of a call's message. No other call of the run has the same message, so a swapped
/// answer is noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Nonce {
    pub(crate) connection: usize,
    pub(crate) id: u64,
}

pub(crate) const INITIALIZE: &str = concat!(
    r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","#,
    r#""capabilities":{},"clientInfo":{"name":"bench","version":"0.1"}}}"#
);

pub(crate) const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

/// What a request of the newer era contains instead of a handshake.
const META: &str = concat!(
    r#","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","#,
    r#""io.modelcontextprotocol/clientInfo":{"name":"bench","version":"0.1"},"#,
    r#""io.modelcontextprotocol/clientCapabilities":{}}"#
);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    /// 2025-11-25: a handshake first, then calls.
    Initialized,
    /// 2026-07-28: every request is complete on its own.
    Stateless,
}

impl Era {
    pub(crate) fn named(version: &str) -> Result<Self, String> {
        match version {
            "2025-11-25" => Ok(Self::Initialized),
            "2026-07-28" => Ok(Self::Stateless),
            _ => Err(format!("unknown version `{version}`; known are `2025-11-25` and `2026-07-28`")),
        }
    }

    pub(crate) fn version(self) -> &'static str {
        match self {
            Self::Initialized => "2025-11-25",
            Self::Stateless => "2026-07-28",
        }
    }

    /// Returns a request for the list of tools.
    pub(crate) fn list_tools(self) -> String {
        // Leave out the leading comma, because no other member precedes.
        let meta = if self == Self::Stateless { &META[1..] } else { "" };
        format!(r#"{{"jsonrpc":"2.0","id":0,"method":"tools/list","params":{{{meta}}}}}"#)
    }

    /// Returns a call of the tool.
    pub(crate) fn call(self, tool: &str, nonce: Nonce) -> String {
        let (id, message) = (nonce.id, nonce.message());
        let meta = if self == Self::Stateless { META } else { "" };
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{{"message":"{message}"}}{meta}}}}}"#
        )
    }
}

impl Nonce {
    fn message(self) -> String {
        format!("hello from call {} of connection {};", self.id, self.connection)
    }

    /// Says whether an answer is the echo of this call, and not an error that quotes it.
    pub(crate) fn is_echoed(self, answer: &[u8]) -> bool {
        let has = |text: &str| memchr::memmem::find(answer, text.as_bytes()).is_some();
        has(&self.message()) && has("\"result\"") && !has("\"isError\":true")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_echo_of_another_call_is_none() {
        let nonce = Nonce { connection: 1, id: 1 };
        let answer = |nonce: Nonce| format!(r#"{{"id":1,"result":{{"text":"{}"}}}}"#, nonce.message());
        assert!(nonce.is_echoed(answer(nonce).as_bytes()));
        assert!(!nonce.is_echoed(answer(Nonce { id: 11, ..nonce }).as_bytes()));
        assert!(!nonce.is_echoed(answer(Nonce { connection: 11, ..nonce }).as_bytes()));
    }
}
