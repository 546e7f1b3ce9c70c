//! Plays a person who agrees: follows the address of an authorization page to its end.
use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;

/// Opens the page, agrees, and follows the redirect. Returns the last page with its head. `change`
/// may change the redirect's address.
pub fn agree(address: &str, change: impl Fn(String) -> String) -> io::Result<String> {
    let page = get(address)?;
    let location = page.lines().find_map(|line| line.strip_prefix("Location: "));
    match location {
        Some(location) => get(&change(location.trim().to_owned())),
        None => Ok(page),
    }
}

/// Fetches a page from this machine.
fn get(address: &str) -> io::Result<String> {
    let rest = address.strip_prefix("http://").ok_or(io::ErrorKind::Unsupported)?;
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let mut stream = TcpStream::connect(host)?;
    let request = format!("GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes())?;
    let mut page = String::new();
    stream.read_to_string(&mut page)?;
    Ok(page)
}
