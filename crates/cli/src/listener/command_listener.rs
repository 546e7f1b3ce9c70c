//! Dispatches the messages that the server sends on its own.
use std::borrow::Cow;
use std::sync::Arc;

use overt_transport::client::Listener;
use overt_wire::era::LogLevel;
use overt_wire::error::code;
use overt_wire::json::{Array, Json, JsonBuf, Member, Object};
use overt_wire::{BoxFuture, ErrorObject, Id, Message, Method};

use super::{QuestionTerminal, StderrTail, ask};
use crate::output::{Printer, ProgressReport, one_line};
use crate::settings::{Root, Verbosity};

/// The token for progress notifications; one suffices, because a process makes one call.
pub(crate) const PROGRESS_TOKEN: i64 = 1;

/// Handles the server's notifications and requests for a command.
#[derive(Debug)]
pub(crate) struct CommandListener {
    pub(crate) printer: Arc<Printer>,
    pub(crate) verbosity: Verbosity,
    /// The server's name in questions: what the user typed, not what the server calls itself.
    pub(crate) label: String,
    /// The terminal of the person who can be asked; `None` if there is none.
    pub(crate) terminal: Option<Arc<QuestionTerminal>>,
    pub(crate) roots: Vec<Root>,
    pub(crate) stderr_tail: StderrTail,
}

impl CommandListener {
    /// The client capabilities that this command really has.
    pub(crate) fn capabilities(&self) -> JsonBuf {
        let mut object = Object::new();
        if self.terminal.is_some() {
            let form = Object::new().json("form", JsonBuf::empty_object().as_json()).finish();
            object = object.json("elicitation", form.as_json());
        }
        if !self.roots.is_empty() {
            object = object.json("roots", JsonBuf::empty_object().as_json());
        }
        object.finish()
    }

    fn progress(&self, params: Member<'_>) {
        let number = |name: &str| params.get(name).value().and_then(Json::number);
        let is_ours = params.get("progressToken").value().and_then(Json::integer) == Some(PROGRESS_TOKEN);
        if let (true, Some(progress)) = (is_ours, number("progress")) {
            let message = params.get("message").string().map(Cow::into_owned);
            self.printer.progress(&ProgressReport { progress, total: number("total"), message });
        }
    }

    /// Prints one escaped line per message, whatever it contains (RPC-19).
    fn log_message(&self, params: Member<'_>) {
        let word = params.get("level").string().unwrap_or_default();
        // A message of an unknown level may be important.
        let level = LogLevel::parse(&word).unwrap_or(LogLevel::Warning);
        if level < LogLevel::Warning && self.verbosity < Verbosity::Verbose {
            return;
        }
        let logger = params.get("logger").string().map(|name| format!(" [{name}]")).unwrap_or_default();
        let data = params.get("data").value().map(|data| data.string().unwrap_or(data.as_str().into()));
        let line = format!("server {word}{logger}: {}", data.unwrap_or_default());
        self.printer.block(&one_line(&line));
    }

    fn roots(&self) -> JsonBuf {
        let entry = |root: &Root| Object::new().string("uri", &root.uri).string("name", &root.name).finish();
        let list = self.roots.iter().fold(Array::new(), |list, root| list.json(entry(root).as_json()));
        Object::new().json("roots", list.finish().as_json()).finish()
    }

    async fn elicit(&self, params: Member<'_>) -> Result<JsonBuf, ErrorObject> {
        let mode = params.get("mode").string();
        if let Some(mode) = mode.filter(|mode| mode != "form") {
            return Err(ErrorObject::invalid_params(format!(
                "this client can't be asked in the mode `{mode}`"
            )));
        }
        match &self.terminal {
            Some(terminal) => {
                Ok(terminal.question(ask::elicit(terminal.as_ref(), &self.label, params)).await.to_json())
            }
            None => {
                let message = params.get("message").string().unwrap_or_default();
                self.printer.warn(&format!(
                    "the server asked a question and was declined, because without a terminal you can't be asked: {}",
                    one_line(&message)
                ));
                Ok(ask::Answer::Decline.to_json())
            }
        }
    }
}

impl Listener for CommandListener {
    fn notification<'a>(&'a self, message: Message, _about: Option<&'a Id>) -> BoxFuture<'a, ()> {
        match message.method() {
            Some(Method::Progress) => self.progress(message.params()),
            Some(Method::LogMessage) => self.log_message(message.params()),
            Some(other) => self.printer.detail(&format!("server sent {}", one_line(other.name()))),
            None => {}
        }
        Box::pin(std::future::ready(()))
    }

    fn request<'a>(
        &'a self,
        method: &'a str,
        params: Option<Json<'a>>,
        _about: Option<&'a Id>,
    ) -> BoxFuture<'a, Result<JsonBuf, ErrorObject>> {
        let params = params.map_or(Member::Absent, Member::Value);
        Box::pin(async move {
            match Method::of(method) {
                Method::Ping => Ok(JsonBuf::empty_object()),
                Method::RootsList => Ok(self.roots()),
                Method::Elicit => self.elicit(params).await,
                Method::Sample => Err(ErrorObject::new(
                    code::METHOD_NOT_FOUND,
                    "sampling is not offered: this client has no model",
                )),
                _ => Err(ErrorObject::method_not_found(method)),
            }
        })
    }

    fn stderr(&self, line: &str) {
        self.stderr_tail.push(line);
        self.printer.detail(&format!("server stderr: {}", one_line(line)));
    }

    fn noise(&self, line: &str) {
        self.printer.warn(&format!(
            "the server writes to its standard output what is not a protocol message: {}",
            one_line(line)
        ));
    }
}
