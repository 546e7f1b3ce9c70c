//! `overt list` and `overt call` against other people's servers, over stdio and HTTP.

use std::ffi::OsString;
use std::net::TcpListener;
use std::path::PathBuf;
use std::time::Duration;

use super::case::{self, Case, MESSAGE};
use crate::failure::Failure;
use crate::repo::Repo;
use crate::run::{Job, Running};

/// The cases, and the servers that they need while they run.
pub(crate) struct Servers {
    pub(crate) cases: Vec<Case>,
    pub(crate) everything_url: String,
    pub(crate) fastmcp_url: String,
    _running: Vec<Running>,
}

/// One way to reach a server, with a call and its expected answer.
struct Target {
    name: &'static str,
    target: PeerAddress,
    tools: &'static [&'static str],
    tool: &'static str,
    argument: String,
    answer: String,
}

enum PeerAddress {
    Command(Vec<OsString>),
    Url(String),
}

pub(crate) fn start(repo: &Repo) -> Result<Servers, Failure> {
    let mut running = Vec::new();
    let (everything, fastmcp) = (everything(repo), fastmcp(repo));
    let command = |words: &[OsString]| PeerAddress::Command(words.to_vec());

    let port = free_port()?;
    let job = Job::new(repo, "peer server-everything", repo.node()).arg(&everything).arg("streamableHttp");
    let everything_url = serve(&mut running, &job.env("PORT", port.to_string()), port)?;

    let port = free_port()?;
    let job = Job::new(repo, "peer fastmcp-server", repo.python()).arg(&fastmcp);
    let fastmcp_url = serve(&mut running, &job.args(["--http", &port.to_string()]), port)?;

    let port = free_port()?;
    let job = Job::new(repo, "peer rmcp-server", repo.example("rmcp_server"));
    let rmcp_url = serve(&mut running, &job.args(["--http", &format!("127.0.0.1:{port}")]), port)?;

    let targets = vec![
        echo(
            "server-everything, stdio",
            command(&[repo.node().into(), everything.into(), "stdio".into()]),
            "Echo: ",
        ),
        echo("server-everything, http", PeerAddress::Url(everything_url.clone()), "Echo: "),
        echo("rmcp server, stdio", command(&[repo.example("rmcp_server").into(), "--stdio".into()]), ""),
        echo("rmcp server, http", PeerAddress::Url(rmcp_url), ""),
        echo("FastMCP server, stdio", command(&[repo.python().into(), fastmcp.into(), "--stdio".into()]), ""),
        echo("FastMCP server, http", PeerAddress::Url(fastmcp_url.clone()), ""),
        filesystem(repo)?,
    ];
    let cases = targets.into_iter().map(|target| target.into_case(repo)).collect();
    Ok(Servers { cases, everything_url, fastmcp_url, _running: running })
}

/// Returns the path of server-everything's script.
pub(crate) fn everything(repo: &Repo) -> PathBuf {
    repo.modules().join("@modelcontextprotocol/server-everything/dist/index.js")
}

/// Returns the path of the FastMCP server's script.
pub(crate) fn fastmcp(repo: &Repo) -> PathBuf {
    repo.root.join("tools/peers/fastmcp_server.py")
}

/// Returns a server with a tool `echo`, which puts `prefix` before the message.
fn echo(name: &'static str, target: PeerAddress, prefix: &str) -> Target {
    Target {
        name,
        target,
        tools: &["echo"],
        tool: "echo",
        argument: format!("message={MESSAGE}"),
        answer: format!("{prefix}{MESSAGE}"),
    }
}

/// Writes a file for the file server. Returns the server's command and the file.
pub(crate) fn filesystem_command(repo: &Repo) -> Result<(Vec<OsString>, PathBuf), Failure> {
    let dir = repo.out.join("peer-files");
    let file = dir.join("note.txt");
    std::fs::create_dir_all(&dir).map_err(Failure::file("create", &dir))?;
    std::fs::write(&file, MESSAGE).map_err(Failure::file("write", &file))?;
    let script = repo.modules().join("@modelcontextprotocol/server-filesystem/dist/index.js");
    Ok((vec![repo.node().into(), script.into(), dir.into()], file))
}

/// Returns the file server, with a call that reads this file.
fn filesystem(repo: &Repo) -> Result<Target, Failure> {
    let (command, file) = filesystem_command(repo)?;
    Ok(Target {
        name: "server-filesystem, stdio",
        target: PeerAddress::Command(command),
        tools: &["read_text_file", "write_file", "list_directory"],
        tool: "read_text_file",
        argument: format!("path={}", file.display()),
        answer: MESSAGE.to_owned(),
    })
}

impl Target {
    fn into_case(self, repo: &Repo) -> Case {
        let name = format!("overt, {}", self.name);
        let job = Job::new(repo, &format!("peer {name}"), repo.binary("overt"));
        Case::new(name, move || self.check(&job))
    }

    fn check(&self, job: &Job) -> Result<String, Failure> {
        let listed = case::json(&self.aimed(job.clone().args(["list", "--format", "json"]), &[]))?;
        let tools = case::names(&listed["tools"], "name");
        case::demand("tool", &tools, self.tools)?;

        let call = job.clone().args(["call", "--format", "json"]);
        let called = case::json(&self.aimed(call, &[self.tool, &self.argument]))?;
        let text = called["content"][0]["text"].as_str().unwrap_or_default();
        case::demand_equal("the answer", text, &self.answer)?;
        Ok(format!(
            "{}, {} tools, call",
            listed["protocolVersion"].as_str().unwrap_or("no version"),
            tools.len()
        ))
    }

    /// Adds words and target to a job. A URL comes before the words, a command after them.
    fn aimed(&self, job: Job, words: &[&str]) -> Job {
        match &self.target {
            PeerAddress::Url(url) => job.arg(url).args(words),
            PeerAddress::Command(command) => job.args(words).arg("--").args(command.iter().cloned()),
        }
    }
}

/// Starts a server and waits until it accepts connections.
fn serve(running: &mut Vec<Running>, job: &Job, port: u16) -> Result<String, Failure> {
    let mut server = job.start()?;
    server.reachable(port, Duration::from_secs(30))?;
    running.push(server);
    Ok(format!("http://127.0.0.1:{port}/mcp"))
}

/// Returns a port that was free a moment ago, because these servers can't choose one themselves.
fn free_port() -> Result<u16, Failure> {
    let bound = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    bound.map(|address| address.port()).map_err(|cause| Failure::new(format!("no free port: {cause}")))
}
