//! Measurements over a child's pipes: lines of JSON-RPC, with a window of calls in flight.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use crate::args::Args;
use crate::calls::{self, Era, Nonce};
use crate::process;
use crate::samples::{Measured, Samples};

/// A server that is our child process. Dropping it kills the process.
pub(crate) struct Server {
    child: Child,
    input: ChildStdin,
    output: ChildStdout,
    buffer: Vec<u8>,
    /// The start of the next line, and the position up to which there is no newline.
    start: usize,
    scanned: usize,
}

/// The condition after which a load sends no more calls.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Until {
    Time(Duration),
    Calls(usize),
}

/// A load that keeps a window full of calls.
struct Load<'a> {
    server: &'a mut Server,
    era: Era,
    tool: &'a str,
    window: usize,
    sent: HashMap<u64, Instant>,
    next_id: u64,
}

pub(crate) fn measure(args: &Args, command: &[String]) -> Result<Measured, String> {
    measure_io(args, command).map_err(|cause| format!("`{}`: {cause}", command.join(" ")))
}

fn measure_io(args: &Args, command: &[String]) -> io::Result<Measured> {
    if args.starts > 0 {
        return measure_starts(args, command);
    }
    let mut server = Server::start(command, &BTreeMap::new())?;
    server.initialize(args.era)?;
    let mut load = Load::new(&mut server, args);
    load.run(Until::Time(args.warm))?;
    let pid = [load.server.child.id()];
    let cpu = process::cpu(&pid);
    let mut measured = load.run(args.calls.map_or(Until::Time(args.measured), Until::Calls))?;
    measured.cpu = Some(process::cpu(&pid).saturating_sub(cpu));
    Ok(measured)
}

/// Measures, several times, the time from the start of the process to its first list of tools or
/// the answer to its first call.
fn measure_starts(args: &Args, command: &[String]) -> io::Result<Measured> {
    let (mut latencies, mut bad) = (Samples::default(), 0);
    let began = Instant::now();
    for start in 0..args.starts {
        let started = Instant::now();
        let mut server = Server::start(command, &BTreeMap::new())?;
        server.initialize(args.era)?;
        if args.to_list {
            server.list_tools(args.era)?;
        } else {
            let nonce = Nonce { connection: start, id: 1 };
            server.send_line(&args.era.call(&args.tool, nonce))?;
            let good = server.answer(|_, line| nonce.is_echoed(line))?;
            bad += usize::from(!good);
        }
        latencies.push(started.elapsed());
    }
    Ok(Measured { latencies, bad, lost: 0, stray: 0, wall: began.elapsed(), cpu: None })
}

// === impl Until ===

impl Until {
    pub(crate) fn is_reached(self, started: Instant, calls: u64) -> bool {
        match self {
            Self::Time(time) => started.elapsed() >= time,
            Self::Calls(count) => calls >= count as u64,
        }
    }
}

// === impl Load ===

impl<'a> Load<'a> {
    fn new(server: &'a mut Server, args: &'a Args) -> Self {
        Self {
            server,
            era: args.era,
            tool: &args.tool,
            window: args.in_flight,
            sent: HashMap::new(),
            next_id: 1,
        }
    }

    /// Makes calls until the end, then waits for pending answers.
    fn run(&mut self, until: Until) -> io::Result<Measured> {
        let (mut latencies, mut bad, mut stray) = (Samples::default(), 0, 0);
        let (started, first) = (Instant::now(), self.next_id);
        loop {
            while self.sent.len() < self.window && !until.is_reached(started, self.next_id - first) {
                let line = self.era.call(self.tool, Nonce { connection: 0, id: self.next_id });
                self.sent.insert(self.next_id, Instant::now());
                self.next_id += 1;
                self.server.send_line(&line)?;
            }
            if self.sent.is_empty() {
                break;
            }
            let (id, good) =
                self.server.answer(|id, line| (id, Nonce { connection: 0, id }.is_echoed(line)))?;
            let Some(sent) = self.sent.remove(&id) else {
                stray += 1;
                continue;
            };
            latencies.push(sent.elapsed());
            bad += usize::from(!good);
        }
        Ok(Measured { latencies, bad, lost: 0, stray, wall: started.elapsed(), cpu: None })
    }
}

// === impl Server ===

impl Server {
    #[expect(
        clippy::disallowed_methods,
        reason = "the harness uses none of our crates, so that it measures them from outside"
    )]
    pub(crate) fn start(command: &[String], environment: &BTreeMap<String, String>) -> io::Result<Self> {
        let [program, args @ ..] = command else { return Err(io::Error::other("no command")) };
        let mut child = Command::new(program)
            .args(args)
            .envs(environment)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let missing = || io::Error::other("the child has no pipe");
        let input = child.stdin.take().ok_or_else(missing)?;
        let output = child.stdout.take().ok_or_else(missing)?;
        Ok(Self { child, input, output, buffer: Vec::new(), start: 0, scanned: 0 })
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends complete lines with one write.
    pub(crate) fn send(&mut self, lines: &str) -> io::Result<()> {
        self.input.write_all(lines.as_bytes())
    }

    fn send_line(&mut self, line: &str) -> io::Result<()> {
        self.send(&format!("{line}\n"))
    }

    /// Does the handshake, if the era has one.
    pub(crate) fn initialize(&mut self, era: Era) -> io::Result<()> {
        if era == Era::Initialized {
            self.send_line(calls::INITIALIZE)?;
            self.answer(|_, _| ())?;
            self.send_line(calls::INITIALIZED)?;
        }
        Ok(())
    }

    pub(crate) fn list_tools(&mut self, era: Era) -> io::Result<()> {
        self.send_line(&era.list_tools())?;
        let is_list = self.answer(|_, line| memchr::memmem::find(line, b"\"inputSchema\"").is_some())?;
        if is_list { Ok(()) } else { Err(io::Error::other("it lists no tools")) }
    }

    /// Says whether a complete line was received that is not processed yet.
    pub(crate) fn has_answer(&self) -> bool {
        memchr::memchr(b'\n', &self.buffer[self.scanned..]).is_some()
    }

    /// Returns the result of `look` for the next line with an id.
    pub(crate) fn answer<T>(&mut self, look: impl Fn(u64, &[u8]) -> T) -> io::Result<T> {
        loop {
            if let Some(length) = memchr::memchr(b'\n', &self.buffer[self.scanned..]) {
                let end = self.scanned + length;
                let line = &self.buffer[self.start..end];
                let found = id_of(line).map(|id| look(id, line));
                self.start = end + 1;
                self.scanned = self.start;
                match found {
                    Some(found) => return Ok(found),
                    None => continue,
                }
            }
            self.read_more()?;
        }
    }

    fn read_more(&mut self) -> io::Result<()> {
        self.buffer.drain(..self.start);
        self.start = 0;
        self.scanned = self.buffer.len();
        self.buffer.resize(self.scanned + (64 << 10), 0);
        let count = self.output.read(&mut self.buffer[self.scanned..])?;
        self.buffer.truncate(self.scanned + count);
        if count == 0 {
            return Err(io::Error::other("the server closed its output"));
        }
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the id of an answer without parsing it. Servers write the id first or last.
fn id_of(line: &[u8]) -> Option<u64> {
    let head = &line[..line.len().min(64)];
    let tail = line.len().saturating_sub(48);
    let at = memchr::memmem::find(head, b"\"id\":")
        .or_else(|| memchr::memmem::rfind(&line[tail..], b"\"id\":").map(|at| at + tail))?;
    let digits =
        line[at + 5..].iter().skip_while(|byte| **byte == b' ').take_while(|byte| byte.is_ascii_digit());
    digits.map(|digit| u64::from(digit - b'0')).reduce(|number, digit| number * 10 + digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_found_in_front_and_behind() {
        assert_eq!(id_of(br#"{"jsonrpc":"2.0","id":42,"result":{}}"#), Some(42));
        let behind = format!(r#"{{"jsonrpc":"2.0","result":{{"x":"{}"}},"id": 7}}"#, "y".repeat(200));
        assert_eq!(id_of(behind.as_bytes()), Some(7));
        assert_eq!(id_of(br#"{"jsonrpc":"2.0","method":"notifications/message"}"#), None);
    }
}
