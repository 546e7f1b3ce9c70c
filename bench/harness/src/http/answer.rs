//! Parses one HTTP response from the bytes read so far. Supports only what the measured servers
//! send.

use std::ops::Range;

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) session: Option<String>,
    pub(crate) body: Body,
    /// How many bytes the response took.
    pub(crate) used: usize,
    /// Whether the server closes the connection after the response.
    pub(crate) closes: bool,
}

/// The body: a range of the bytes, or its chunks put together.
pub(crate) enum Body {
    At(Range<usize>),
    Joined(Vec<u8>),
}

impl Answer {
    /// Returns a complete response, or `None` while bytes are missing.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let head_end = memchr::memmem::find(bytes, b"\r\n\r\n")? + 4;
        let mut lines = std::str::from_utf8(&bytes[..head_end]).ok()?.split("\r\n");
        let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
        let (mut length, mut chunked, mut session, mut closes) = (0, false, None, false);
        for (name, value) in lines.filter_map(|line| line.split_once(':')) {
            let value = value.trim();
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.parse().ok()?,
                "transfer-encoding" => chunked = value.eq_ignore_ascii_case("chunked"),
                "mcp-session-id" => session = Some(value.to_owned()),
                "connection" => closes = value.eq_ignore_ascii_case("close"),
                _ => {}
            }
        }
        let (body, used) = if chunked { chunks(bytes, head_end)? } else { plain(bytes, head_end, length)? };
        Some(Self { status, session, body, used, closes })
    }

    pub(crate) fn body<'a>(&'a self, bytes: &'a [u8]) -> &'a [u8] {
        match &self.body {
            Body::At(range) => &bytes[range.clone()],
            Body::Joined(joined) => joined,
        }
    }
}

fn plain(bytes: &[u8], from: usize, length: usize) -> Option<(Body, usize)> {
    let end = from + length;
    (bytes.len() >= end).then_some((Body::At(from..end), end))
}

fn chunks(bytes: &[u8], from: usize) -> Option<(Body, usize)> {
    let (mut at, mut joined) = (from, Vec::new());
    loop {
        let line_end = memchr::memmem::find(&bytes[at..], b"\r\n")? + at;
        let size = std::str::from_utf8(&bytes[at..line_end]).ok()?.split(';').next()?;
        let size = usize::from_str_radix(size.trim(), 16).ok()?;
        let data = line_end + 2;
        let next = data + size + 2;
        if bytes.len() < next {
            return None;
        }
        if size == 0 {
            return Some((Body::Joined(joined), next));
        }
        joined.extend_from_slice(&bytes[data..data + size]);
        at = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_is_read_when_it_is_whole() {
        let plain = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nMcp-Session-Id: s\r\n\r\nhiREST";
        let chunked =
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nh\r\n1;x\r\ni\r\n0\r\n\r\nREST";
        for whole in [&plain[..], &chunked[..]] {
            let end = whole.len() - 4;
            for cut in 0..end {
                assert!(Answer::read(&whole[..cut]).is_none(), "at {cut}");
            }
            let answer = Answer::read(whole).unwrap();
            assert_eq!((answer.status, answer.body(whole), answer.used), (200, &b"hi"[..], end));
        }
        assert_eq!(Answer::read(plain).unwrap().session.as_deref(), Some("s"));
    }
}
