//! A connection over any of the transports.
use std::path::PathBuf;
use std::sync::Arc;

use overt_transport::http::Options;
use overt_transport::limits::Limits;
use overt_wire::Handler;
use overt_wire::era::Version;

use super::{HttpLink, LineLink};

/// How to reach a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transport {
    Memory,
    /// The program that serves the same handler, on its standard input and output.
    Process(PathBuf),
    Http,
    /// A program with its arguments, on its standard input and output.
    Command(PathBuf, Vec<String>),
    /// A program with its arguments, which serves HTTP and announces its URL.
    Web(PathBuf, Vec<String>),
}

#[derive(Debug)]
pub enum Link {
    Lines(Box<LineLink>),
    Http(Box<HttpLink>),
}

impl Link {
    /// Connects to `handler`, or to a program instead.
    pub async fn open(over: &Transport, handler: Arc<dyn Handler>, limits: Limits, version: Version) -> Self {
        match over {
            Transport::Memory => Self::Lines(Box::new(LineLink::memory(handler, limits))),
            Transport::Process(program) => Self::Lines(Box::new(LineLink::process(program))),
            Transport::Command(program, arguments) => {
                Self::Lines(Box::new(LineLink::command(program, &words(arguments))))
            }
            Transport::Web(program, arguments) => {
                Self::Http(Box::new(HttpLink::command(program, &words(arguments), version).await))
            }
            Transport::Http => {
                let options = Options { limits, ..Options::default() };
                Self::Http(Box::new(HttpLink::serve(handler, options, version).await))
            }
        }
    }

    pub async fn send(&mut self, text: &str) {
        match self {
            Self::Lines(link) => link.send(text).await,
            Self::Http(link) => link.send(text).await,
        }
    }

    /// Returns the server's next message, or `None` if it has closed the connection.
    pub async fn next(&mut self) -> Option<String> {
        match self {
            Self::Lines(link) => link.next().await,
            Self::Http(link) => link.next().await,
        }
    }

    /// Ends the connection and returns the messages that were still received.
    pub async fn finish(self) -> Vec<String> {
        match self {
            Self::Lines(link) => link.finish().await,
            Self::Http(link) => link.finish().await,
        }
    }
}

fn words(arguments: &[String]) -> Vec<&str> {
    arguments.iter().map(String::as_str).collect()
}
