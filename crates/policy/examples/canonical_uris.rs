//! Reads a JSON list of URIs from a file and prints the canonical form of each: `[uri, path]`, or
//! null if the URI is rejected.
use std::io::{self, Write as _};

use overt_policy::uri::ResourceUri;
use serde_json::{Value, json};

fn main() -> io::Result<()> {
    let file = std::env::args_os().nth(1).ok_or(io::ErrorKind::InvalidInput)?;
    let text = std::fs::read_to_string(file)?;
    let uris: Vec<String> = serde_json::from_str(&text)?;
    let canonical = |uri: &String| match ResourceUri::parse(uri) {
        Ok(uri) => json!([uri.as_str(), uri.path()]),
        Err(_) => Value::Null,
    };
    let all: Vec<Value> = uris.iter().map(canonical).collect();
    writeln!(io::stdout(), "{}", json!(all))
}
