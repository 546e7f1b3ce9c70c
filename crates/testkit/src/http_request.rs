//! Reads HTTP requests for the testkit's own servers. It supports only what our clients send.
use std::collections::BTreeMap;
use std::io::{self, BufRead};

/// A request as it was received.
pub(crate) struct Raw {
    /// The request line, without its end.
    pub(crate) line: String,
    /// Values by name, in lower case.
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Vec<u8>,
}

/// Returns the next request, or `None` if the other side has closed the connection.
pub(crate) fn read(reader: &mut impl BufRead) -> io::Result<Option<Raw>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut headers = BTreeMap::new();
    loop {
        let mut header = String::new();
        reader.read_line(&mut header)?;
        let Some((name, value)) = header.split_once(':') else { break };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(Some(Raw { line: line.trim_end().to_owned(), headers, body }))
}
