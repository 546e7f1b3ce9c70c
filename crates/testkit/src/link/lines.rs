//! A message per line: in memory, or on the pipes of a process.
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use overt_transport::limits::Limits;
use overt_transport::pair;
use overt_transport::stream::StreamEnd;
use overt_wire::Handler;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::http_raw::PATIENCE;
use crate::process::Process;

/// The client's end of a connection.
pub struct LineLink {
    reader: BufReader<Box<dyn AsyncRead + Send + Unpin>>,
    writer: Option<Box<dyn AsyncWrite + Send + Unpin>>,
    server: Server,
}

/// The server at the other end.
enum Server {
    Task(JoinHandle<StreamEnd>),
    Process(Box<Process>),
}

impl LineLink {
    /// Connects to a server in this process.
    pub fn memory(handler: Arc<dyn Handler>, limits: Limits) -> Self {
        let (ours, served) = pair::connect(handler, limits);
        let (reader, writer) = tokio::io::split(ours);
        Self {
            reader: BufReader::new(Box::new(reader)),
            writer: Some(Box::new(writer)),
            server: Server::Task(served),
        }
    }

    /// Starts a server as a process that serves on its standard input and output.
    pub fn process(program: &Path) -> Self {
        Self::command(program, &["--stdio"])
    }

    /// Starts any program that serves on its standard input and output.
    pub fn command(program: &Path, arguments: &[&str]) -> Self {
        let mut process = Process::start(program, arguments);
        let input = process.input.take().expect("the input is a pipe");
        let output = process.output.take().expect("the output is a pipe");
        Self {
            reader: BufReader::new(Box::new(output)),
            writer: Some(Box::new(input)),
            server: Server::Process(Box::new(process)),
        }
    }

    pub async fn send(&mut self, text: &str) {
        self.write(format!("{text}\n").as_bytes()).await;
    }

    /// Sends bytes as they are.
    pub async fn write(&mut self, bytes: &[u8]) {
        let writer = self.writer.as_mut().expect("the input is open");
        let written = timeout(PATIENCE, writer.write_all(bytes)).await;
        written.expect("the server reads").expect("the server takes what is sent");
    }

    /// Returns the server's next line, or `None` if it has closed the connection.
    pub async fn next(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = timeout(PATIENCE, self.reader.read_line(&mut line)).await;
        let read = read.expect("the server says something").expect("the server's output can be read");
        let text = line.strip_suffix('\n').unwrap_or(&line).to_owned();
        (read > 0).then_some(text)
    }

    /// Sends a line and returns the next one that is received.
    pub async fn ask(&mut self, text: &str) -> String {
        self.send(text).await;
        self.next().await.expect("the server answers")
    }

    /// Closes our side and returns the lines that were still received. The server must end without
    /// an error.
    pub async fn finish(mut self) -> Vec<String> {
        if let Some(mut writer) = self.writer.take() {
            let _ = writer.shutdown().await;
        }
        let mut rest = Vec::new();
        while let Some(line) = self.next().await {
            rest.push(line);
        }
        match self.server {
            Server::Task(task) => assert_eq!(task.await.ok(), Some(StreamEnd::InputClosed)),
            Server::Process(mut process) => assert!(process.ended().await.success(), "the process failed"),
        }
        rest
    }
}

impl fmt::Debug for LineLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LineLink")
    }
}
