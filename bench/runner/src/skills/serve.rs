//! How long a client waits for `overt skills`: from the start to the first page of `skills/list`,
//! and for all its pages, with one skill and with ten thousand, compared with a server written with
//! FastMCP.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::library::write_good_skills;
use xtask::failure::Failure;
use xtask::repo::Repo;
use xtask::say;

const COUNTS: [usize; 2] = [1, 10_000];

/// A server that serves a library.
struct Row {
    name: &'static str,
    program: PathBuf,
    args: Vec<String>,
}

/// The measurements of one start.
struct Times {
    /// Time from the start of the program to the first page.
    start: Duration,
    /// Time for all pages, listed again.
    list: Duration,
    pages: usize,
    /// Resident memory after that, in MiB.
    memory: f64,
}

pub(super) fn measure(repo: &Repo, overt: &Path, rounds: usize) -> Result<(), Failure> {
    for count in COUNTS {
        let library = repo.target.join(format!("bench/skills-served-{count}"));
        write_good_skills(&library, count)?;
        say::line(format!("served: {count} skills"));
        say::line(format!(
            "{:<20} {:>20} {:>14} {:>8} {:>10} {:>13}",
            "", "start to page 1, ms", "all pages, ms", "pages", "MiB after", "by the first"
        ));
        // With many skills, FastMCP takes most of a minute to start.
        let rounds = if count > 1_000 { 1 } else { rounds };
        let rows = rows(repo, overt, &library);
        let mut times: Vec<Vec<Times>> = rows.iter().map(|_| Vec::new()).collect();
        // Alternate between the servers, so that all meet the same noise. The first turn is a
        // warm-up.
        for round in 0..=rounds {
            for (row, times) in rows.iter().zip(&mut times) {
                let took = row.once(&library, count)?;
                if round > 0 {
                    times.push(took);
                }
            }
        }
        let first = median(&times[0], |times| times.start.as_secs_f64());
        for (row, times) in rows.iter().zip(&times) {
            let start = median(times, |times| times.start.as_secs_f64());
            say::line(format!(
                "{:<20} {:>20.1} {:>14.1} {:>8} {:>10.1} {:>12.1}x",
                row.name,
                start * 1e3,
                median(times, |times| times.list.as_secs_f64()) * 1e3,
                times.first().map_or(0, |times| times.pages),
                median(times, |times| times.memory),
                start / first,
            ));
        }
    }
    Ok(())
}

fn median(times: &[Times], of: impl Fn(&Times) -> f64) -> f64 {
    let mut values: Vec<f64> = times.iter().map(of).collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

/// Returns our server as people start it, with the audit log on, and FastMCP's if it is installed.
fn rows(repo: &Repo, overt: &Path, library: &Path) -> Vec<Row> {
    let path = library.to_string_lossy().into_owned();
    let mut rows = vec![Row {
        name: "overt skills",
        program: overt.to_owned(),
        args: vec!["skills".to_owned(), path.clone()],
    }];
    let python = repo.python();
    if python.exists() {
        let script = repo.root.join("tools/peers/fastmcp_skills.py").to_string_lossy().into_owned();
        rows.push(Row { name: "FastMCP", program: python, args: vec![script, path] });
    } else {
        say::line("FastMCP is not installed: left out; `cargo xtask setup` installs it");
    }
    rows
}

impl Row {
    #[expect(clippy::disallowed_methods, reason = "the time is that of the program alone")]
    fn once(&self, library: &Path, count: usize) -> Result<Times, Failure> {
        let state = library.with_extension("state");
        let started = Instant::now();
        let mut child = Command::new(&self.program)
            .args(&self.args)
            .env("OVERT_STATE_DIR", &state)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| Failure::new(format!("`{}` can't be started: {error}", self.name)))?;
        let measured = self.ask(&mut child, started, count);
        // The connection is closed by now, so the server ends on its own. One that failed is
        // killed.
        if measured.is_err() {
            let _ = child.kill();
        }
        let _ = child.wait();
        let _ = std::fs::remove_dir_all(&state);
        measured
    }

    fn ask(&self, child: &mut Child, started: Instant, count: usize) -> Result<Times, Failure> {
        let wrong = |what: String| Failure::new(format!("`{}`: {what}", self.name));
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(wrong("has no standard input and output".to_owned()));
        };
        let mut connection = Connection { input, output: BufReader::new(output), asked: 0 };
        connection.request("skills/list", json!({})).map_err(wrong)?;
        let start = started.elapsed();
        let again = Instant::now();
        let (mut params, mut pages, mut skills) = (json!({}), 0, 0);
        loop {
            let page = connection.request("skills/list", params).map_err(wrong)?;
            skills += page["skills"].as_array().map_or(0, Vec::len);
            pages += 1;
            match &page["nextCursor"] {
                Value::String(cursor) => params = json!({ "cursor": cursor }),
                _ => break,
            }
        }
        let list = again.elapsed();
        if skills != count {
            return Err(wrong(format!("listed {skills} of {count} skills")));
        }
        Ok(Times { start, list, pages, memory: resident(child.id()) })
    }
}

struct Connection {
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    asked: u64,
}

impl Connection {
    /// Sends a request and returns its result. Other messages of the server are ignored.
    fn request(&mut self, method: &str, params: Value) -> Result<Value, String> {
        self.asked += 1;
        let id = self.asked;
        let mut params = params;
        params["_meta"] = meta();
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        writeln!(self.input, "{request}").map_err(|error| format!("can't be written to: {error}"))?;
        loop {
            let mut line = String::new();
            match self.output.read_line(&mut line) {
                Ok(0) => return Err(format!("ended before it answered `{method}`")),
                Ok(_) => (),
                Err(error) => return Err(format!("can't be read: {error}")),
            }
            let mut message: Value =
                serde_json::from_str(&line).map_err(|error| format!("not JSON: {error}"))?;
            if message["id"] == id {
                let result = message["result"].take();
                return if result.is_object() { Ok(result) } else { Err(format!("`{method}`: {message}")) };
            }
        }
    }
}

/// Returns the metadata of every request of the newer era.
fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "bench", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

/// Returns the resident memory in MiB; 0 if the kernel does not report it.
fn resident(process: u32) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes =
        line.and_then(|line| line.trim().strip_suffix("kB")).and_then(|text| text.trim().parse::<f64>().ok());
    kilobytes.unwrap_or_default() / 1024.0
}
