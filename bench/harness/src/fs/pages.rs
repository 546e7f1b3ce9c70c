//! Pages through one large folder: measures how long each page after the first takes, and for how
//! much of that time the server worked or waited for a CPU.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::Deserialize;

use crate::calls::Era;
use crate::process;
use crate::samples::Samples;
use crate::stdio::Server;

/// The server and the folder to page through.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Order {
    command: Vec<String>,
    environment: BTreeMap<String, String>,
    /// A root of the server. The entries are created in its folder `many`.
    root: PathBuf,
    entries: usize,
}

/// The most entries of a page.
const LIMIT: usize = 200;

pub(crate) fn run(order: &Path, say: fn(&str)) -> Result<(), String> {
    let text = std::fs::read_to_string(order).map_err(|cause| format!("`{}`: {cause}", order.display()))?;
    let order: Order = serde_json::from_str(&text).map_err(|cause| cause.to_string())?;
    let report = page_through(&order).map_err(|cause| cause.to_string())?;
    say(&report);
    Ok(())
}

fn page_through(order: &Order) -> io::Result<String> {
    let many = order.root.join("many");
    std::fs::create_dir_all(&many)?;
    for number in 0..order.entries {
        File::create_new(many.join(format!("file-{number:07}.txt")))?;
    }
    let mut server = Server::start(&order.command, &order.environment)?;
    server.initialize(Era::Initialized)?;
    let [mut wall, mut worked, mut waited] = [Samples::default(), Samples::default(), Samples::default()];
    let (mut first, mut cursor, mut listed, mut page) = (Duration::ZERO, None::<String>, 0, 0_u64);
    loop {
        let after = cursor.map_or_else(String::new, |cursor| format!(r#","cursor":"{cursor}""#));
        let call = format!(
            r#"{{"jsonrpc":"2.0","id":{},"method":"tools/call","params":{{"name":"list_directory","arguments":{{"path":"many","limit":{LIMIT}{after}}}}}}}"#,
            page + 10
        );
        let before = process::scheduled(server.pid());
        let sent = Instant::now();
        server.send(&format!("{call}\n"))?;
        let (names, next) = server.answer(|_, line| (count(line), cursor_in(line)))?;
        let took = sent.elapsed();
        let after = process::scheduled(server.pid());
        if page == 0 {
            first = took;
        } else {
            wall.push(took);
            worked.push(after.worked.saturating_sub(before.worked));
            waited.push(after.waited.saturating_sub(before.waited));
        }
        (listed, page, cursor) = (listed + names, page + 1, next);
        if cursor.is_none() {
            break;
        }
    }
    if listed != order.entries {
        return Err(io::Error::other(format!("{listed} entries were listed, not {}", order.entries)));
    }
    let most = process::memory(server.pid()).most;
    let member = |name: &str, samples: &Samples| {
        let [p50, p99, worst] = samples.quantiles([0.5, 0.99, 1.0]);
        format!(r#""{name}":{{"p50_ms":{p50:.4},"p99_ms":{p99:.4},"worst_ms":{worst:.4}}}"#)
    };
    Ok(format!(
        r#"{{"entries":{listed},"pages":{page},"first_ms":{:.1},"most_mib":{most:.1},{},{},{}}}"#,
        first.as_secs_f64() * 1e3,
        member("wall", &wall),
        member("worked", &worked),
        member("waited", &waited)
    ))
}

/// Counts the entries of an answer in its structured part, which programs read.
fn count(line: &[u8]) -> usize {
    memchr::memmem::find_iter(line, br#""path":"many/file-"#).count()
}

fn cursor_in(line: &[u8]) -> Option<String> {
    const NAME: &[u8] = br#""next_cursor":""#;
    let rest = &line[memchr::memmem::find(line, NAME)? + NAME.len()..];
    let end = memchr::memchr(b'"', rest)?;
    String::from_utf8(rest[..end].to_vec()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_and_cursor_are_those_of_the_structured_part() {
        let line = br#"{"content":[{"text":"{\"path\":\"many/file-1\",\"next_cursor\":\"no\"}"}],"structuredContent":{"entries":[{"path":"many/file-1"},{"path":"many/file-2"}],"next_cursor":"abc"}}"#;
        assert_eq!((count(line), cursor_in(line).as_deref()), (2, Some("abc")));
        assert_eq!(cursor_in(br#"{"structuredContent":{"entries":[],"next_cursor":null}}"#), None);
    }
}
