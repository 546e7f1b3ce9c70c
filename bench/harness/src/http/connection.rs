//! One connection and its session: sends requests, reads answers, and reports what happened.

use std::io::{self, Read, Write};
use std::time::{Duration, Instant};

use mio::net::TcpStream;
use mio::{Interest, Registry, Token};

use super::answer::Answer;
use super::request::Endpoint;
use crate::calls::{Era, Nonce};

/// What the last request was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Initialize,
    Initialized,
    Call,
}

/// The outcome of an event on a connection.
#[derive(Debug)]
pub(crate) enum Event {
    Nothing,
    /// The handshake is complete. From now on there are calls.
    Ready,
    Answered {
        latency: Duration,
        good: bool,
    },
}

#[derive(Debug)]
pub(crate) struct Connection {
    socket: TcpStream,
    stage: Stage,
    session: Option<String>,
    output: Vec<u8>,
    written: usize,
    input: Vec<u8>,
    sent: Instant,
    nonce: Nonce,
    /// Whether nothing more must be sent.
    resting: bool,
}

impl Connection {
    pub(crate) fn open(endpoint: &Endpoint, registry: &Registry, token: Token) -> io::Result<Self> {
        let mut socket = TcpStream::connect(endpoint.address)?;
        socket.set_nodelay(true)?;
        registry.register(&mut socket, token, Interest::READABLE | Interest::WRITABLE)?;
        let nonce = Nonce { connection: token.0, id: 1 };
        let (stage, output) = match endpoint.era {
            Era::Initialized => (Stage::Initialize, endpoint.initialize()),
            Era::Stateless => (Stage::Initialized, endpoint.call(nonce, None)),
        };
        Ok(Self {
            socket,
            stage,
            session: None,
            output,
            written: 0,
            input: Vec::new(),
            sent: Instant::now(),
            nonce,
            resting: false,
        })
    }

    /// Reads the available bytes. After a complete answer, sends the next request.
    pub(crate) fn on_readable(&mut self, endpoint: &Endpoint) -> io::Result<Event> {
        let open = self.read()?;
        let Some(answer) = Answer::read(&self.input) else {
            return if open {
                Ok(Event::Nothing)
            } else {
                Err(io::Error::other("the server closed a connection"))
            };
        };
        let body = answer.body(&self.input);
        if !(200..300).contains(&answer.status) {
            let text = String::from_utf8_lossy(&body[..body.len().min(300)]);
            return Err(io::Error::other(format!("HTTP {}: {text}", answer.status)));
        }
        if answer.closes {
            return Err(io::Error::other("the server does not keep connections open"));
        }
        let event = match self.stage {
            Stage::Initialize => Event::Nothing,
            Stage::Initialized => Event::Ready,
            Stage::Call => Event::Answered { latency: self.sent.elapsed(), good: self.nonce.is_echoed(body) },
        };
        self.input.drain(..answer.used);
        self.session = self.session.take().or(answer.session);
        if !self.resting {
            self.send_next(endpoint)?;
        }
        Ok(event)
    }

    fn send_next(&mut self, endpoint: &Endpoint) -> io::Result<()> {
        let session = self.session.as_deref();
        self.nonce.id += 1;
        (self.stage, self.output) = match self.stage {
            Stage::Initialize => (Stage::Initialized, endpoint.initialized(session)),
            Stage::Initialized | Stage::Call => (Stage::Call, endpoint.call(self.nonce, session)),
        };
        self.written = 0;
        self.sent = Instant::now();
        self.write()
    }

    /// Stops sending after the pending answer.
    pub(crate) fn rest(&mut self) {
        self.resting = true;
    }

    /// Writes as much as the socket accepts.
    pub(crate) fn write(&mut self) -> io::Result<()> {
        while self.written < self.output.len() {
            match self.socket.write(&self.output[self.written..]) {
                Ok(count) => self.written += count,
                Err(cause) if cause.kind() == io::ErrorKind::WouldBlock => break,
                // The connection is not established yet. A writable event follows.
                Err(cause) if cause.kind() == io::ErrorKind::NotConnected => break,
                Err(cause) => return Err(cause),
            }
        }
        Ok(())
    }

    /// Reads the available bytes. Returns whether the connection is still open.
    fn read(&mut self) -> io::Result<bool> {
        let mut chunk = [0; 64 << 10];
        loop {
            match self.socket.read(&mut chunk) {
                Ok(0) => return Ok(false),
                Ok(count) => self.input.extend_from_slice(&chunk[..count]),
                Err(cause) if cause.kind() == io::ErrorKind::WouldBlock => return Ok(true),
                Err(cause) => return Err(cause),
            }
        }
    }

    /// Ends the session, on a separate connection.
    pub(crate) fn end(&self, endpoint: &Endpoint) -> io::Result<()> {
        let Some(session) = &self.session else { return Ok(()) };
        let mut socket = std::net::TcpStream::connect(endpoint.address)?;
        socket.set_read_timeout(Some(Duration::from_secs(1)))?;
        socket.write_all(&endpoint.delete(session))?;
        socket.read(&mut [0; 512]).map(|_| ())
    }
}
