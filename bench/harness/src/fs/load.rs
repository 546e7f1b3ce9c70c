//! Calls one operation of one server: keeps a window full of calls, and checks the answers.

use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::time::Instant;

use super::rows::{Row, Way};
use crate::process;
use crate::samples::{Measured, Samples};
use crate::stdio::{Server, Until};

/// The operation to call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Operation<'a> {
    pub(crate) row: Row,
    pub(crate) way: Way,
    pub(crate) root: &'a Path,
}

/// A measurement, the start of the first bad answer, and the number of bytes of all answers.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) measured: Measured,
    pub(crate) bad: Option<String>,
    pub(crate) bytes: usize,
}

impl Operation<'_> {
    /// Makes calls until the end, then waits for pending answers. There is always at least one
    /// call.
    pub(crate) fn run(&self, server: &mut Server, window: usize, until: Until) -> io::Result<Loaded> {
        let mut sent: HashMap<u64, Instant> = HashMap::with_capacity(window);
        let (mut latencies, mut bad, mut stray, mut bytes) = (Samples::default(), 0, 0, 0);
        let (mut first_bad, mut next, mut batch) = (None, 0, String::new());
        let pid = [server.pid()];
        let cpu = process::cpu(&pid);
        let started = Instant::now();
        loop {
            batch.clear();
            while sent.len() < window && (next == 0 || !until.is_reached(started, next)) {
                self.push_call(&mut batch, next);
                sent.insert(next, Instant::now());
                next += 1;
            }
            server.send(&batch)?;
            if sent.is_empty() {
                break;
            }
            // Read everything that has arrived, then send as many new calls in one write.
            loop {
                let (id, good, length, shown) = server.answer(|id, line| {
                    let good = self.way.wanted.is_met(line);
                    (id, good, line.len(), (!good).then(|| beginning(line)))
                })?;
                match sent.remove(&id) {
                    Some(sent) => latencies.push(sent.elapsed()),
                    None => stray += 1,
                }
                bad += usize::from(!good);
                bytes += length;
                first_bad = first_bad.or(shown);
                // The buffer may hold only a notification, and no more answers may be pending.
                if sent.is_empty() || !server.has_answer() {
                    break;
                }
            }
        }
        let wall = started.elapsed();
        let cpu = Some(process::cpu(&pid).saturating_sub(cpu));
        let measured = Measured { latencies, bad, lost: 0, stray, wall, cpu };
        Ok(Loaded { measured, bad: first_bad, bytes })
    }

    fn push_call(&self, batch: &mut String, call: u64) {
        let (tool, arguments) = (self.way.tool, self.way.arguments(self.row, self.root, call));
        let head = r#"{"jsonrpc":"2.0","id":"#;
        batch.push_str(&format!(
            "{head}{call},\"method\":\"tools/call\",\"params\":{{\"name\":\"{tool}\",\"arguments\":{arguments}}}}}\n"
        ));
    }
}

fn beginning(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(&line[..line.len().min(400)]).into_owned();
    if line.len() > 400 { format!("{text}… ({} bytes)", line.len()) } else { text }
}
