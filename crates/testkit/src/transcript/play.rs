//! Plays a case over a connection and compares the received messages with the expected ones.
use std::path::PathBuf;
use std::sync::Arc;

use overt_transport::limits::Limits;
use overt_wire::era::{Era, Version, key};
use overt_wire::{Handler, Kind, Message, Method, json};

use super::era_form::{self, INITIALIZED};
use super::pattern::{Kept, Pattern, fill_in};
use super::script::{Action, Case, Step};
use crate::link::{Link, Transport};
use crate::schema::{Schemas, Witness};

/// Plays cases with servers that are known by name.
pub struct Player {
    schemas: Arc<Schemas>,
    /// The program that serves `example`.
    program: PathBuf,
    server: Box<Servers>,
    /// Whether results for older clients may have the marks of the newer era too.
    marked: bool,
    /// Whether the server is behind an Overt, which moves its marks aside.
    behind: bool,
}

/// One case in one era over one connection.
struct Playing<'a> {
    case: &'a Case,
    era: Era,
    link: Link,
    witness: Witness,
    kept: Kept,
    marked: bool,
    behind: bool,
    /// Messages that must come at some time and have not come yet.
    sometime: Vec<&'a Step>,
}

/// Creates the server with this name.
type Servers = dyn Fn(&str) -> Arc<dyn Handler> + Send + Sync;

type Played = Result<(), String>;

impl Player {
    pub fn new(
        program: impl Into<PathBuf>,
        server: impl Fn(&str) -> Arc<dyn Handler> + Send + Sync + 'static,
    ) -> Self {
        let server = Box::new(server);
        Self { schemas: Schemas::load(), program: program.into(), server, marked: false, behind: false }
    }

    /// For a server of the newer era behind something that passes on its marks: marks that exist
    /// must be right.
    #[must_use]
    pub fn marked(self) -> Self {
        Self { marked: true, ..self }
    }

    /// For a server of ours behind an Overt: its marks are expected where Overt moves them.
    #[must_use]
    pub fn behind_overt(self) -> Self {
        Self { behind: true, ..self }
    }

    /// Returns the eras and transports in which a case can be played.
    pub fn ways(&self, case: &Case) -> Vec<(Era, Transport)> {
        let mut over = Vec::new();
        if case.lines {
            over.push(Transport::Memory);
        }
        if case.lines && case.server == "example" {
            over.push(Transport::Process(self.program.clone()));
        }
        if case.http {
            over.push(Transport::Http);
        }
        let all = case.eras.iter().flat_map(|era| over.iter().map(|over| (*era, over.clone())));
        all.collect()
    }

    /// Plays a case. Returns where it failed as an error.
    pub async fn play(&self, case: &Case, era: Era, over: &Transport) -> Played {
        let version = match era {
            Era::Legacy => case.version,
            Era::Modern => Version::NEWEST,
        };
        let steps = || case.steps.iter().filter(|step| step.only.is_none_or(|only| only == era));
        let link = Link::open(over, (self.server)(&case.server), Limits::default(), version).await;
        let mut playing = Playing {
            case,
            era,
            link,
            witness: Witness::new(&self.schemas, version),
            kept: Kept::new(),
            marked: self.marked,
            behind: self.behind,
            sometime: steps().filter(|step| matches!(step.action, Action::Sometime(_))).collect(),
        };
        playing.begin().await.map_err(|problem| format!("{}: {problem}", case.place))?;
        for step in steps() {
            playing.step(step).await.map_err(|problem| format!("{}: {problem}", step.place))?;
        }
        playing.end().await.map_err(|problem| format!("{}: at the end: {problem}", case.place))
    }
}

impl<'a> Playing<'a> {
    async fn begin(&mut self) -> Played {
        if self.case.bare || self.era == Era::Modern {
            return Ok(());
        }
        self.send(&era_form::initialize(self.case.version, &self.case.client)).await;
        let reply = self.next().await?;
        if reply.result_body().get("protocolVersion").string().as_deref() != Some(self.case.version.as_str())
        {
            return Err(format!("the handshake failed: {reply:?}"));
        }
        self.send(INITIALIZED).await;
        Ok(())
    }

    async fn step(&mut self, step: &'a Step) -> Played {
        match &step.action {
            Action::Send(text) => {
                let text = fill_in(text, &self.kept)?;
                let text = self.dressed(&text)?;
                self.send(&text).await;
                Ok(())
            }
            Action::Next(pattern) => self.expect(pattern).await,
            Action::Sometime(_) => Ok(()),
        }
    }

    async fn expect(&mut self, pattern: &Pattern) -> Played {
        loop {
            let message = self.next().await?;
            match pattern.check(message.as_json(), &mut self.kept) {
                Ok(()) => return Ok(()),
                Err(_) if self.came_sometime(&message) => {}
                Err(problem) => return Err(format!("{problem}\n  in {message:?}")),
            }
        }
    }

    async fn end(mut self) -> Played {
        while !self.sometime.is_empty() {
            let message = self.next().await?;
            if !self.came_sometime(&message) {
                return Err(format!("nobody expected {message:?}"));
            }
        }
        for text in self.link.finish().await {
            let message = self.witness.received(&text)?;
            // A subscriber is told when the server stops. No other message may come now.
            let meta = match message.kind() {
                Kind::Result => message.result_body().get("_meta"),
                _ => message.meta(),
            };
            let is_farewell = meta.get(key::SUBSCRIPTION_ID).value().is_some();
            if !is_farewell {
                return Err(format!("nobody expected {text}"));
            }
        }
        Ok(())
    }

    fn came_sometime(&mut self, message: &Message) -> bool {
        let kept = &mut self.kept;
        let fits = self.sometime.iter().position(|step| match &step.action {
            Action::Sometime(pattern) => pattern.check(message.as_json(), kept).is_ok(),
            Action::Send(_) | Action::Next(_) => false,
        });
        fits.map(|index| self.sometime.remove(index)).is_some()
    }

    async fn send(&mut self, text: &str) {
        self.witness.sent(text);
        self.link.send(text).await;
    }

    async fn next(&mut self) -> Result<Message, String> {
        let text = self.link.next().await.ok_or("the server closed the connection")?;
        let mut message = self.witness.received(&text)?;
        if self.behind {
            message = era_form::marks_moved_back(message);
        }
        let is_marked = self.marked && message.result_body().get("resultType").value().is_some();
        let strip_era = is_marked || (self.era == Era::Modern && !self.case.bare);
        if strip_era { era_form::without_era(&message) } else { Ok(message) }
    }

    /// Returns what is sent for a line. A line that is a message must be unchanged after parsing.
    fn dressed(&self, text: &str) -> Result<String, String> {
        let Ok(message) = Message::parse(text.as_bytes().to_vec(), &json::Limits::default()) else {
            return if self.case.bare { Ok(text.into()) } else { Err("this is not a message".into()) };
        };
        if message.text() != text {
            return Err("reading and writing changed the message".into());
        }
        let is_asked = message.kind() == Kind::Request || message.method() == Some(Method::Cancelled);
        if self.era == Era::Legacy || self.case.bare || !is_asked {
            return Ok(text.into());
        }
        Ok(era_form::stamped(&message, &self.case.client).text().to_owned())
    }
}

impl std::fmt::Debug for Player {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Player")
    }
}
