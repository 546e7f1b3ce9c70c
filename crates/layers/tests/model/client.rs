//! Clients of both eras, and the questions that they received.
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use overt_layers::content_digest::ContentDigest;
use overt_wire::era::{Caller, Version};
use overt_wire::json::{Json, JsonBuf, Limits};
use overt_wire::{BoxFuture, ClientSink, Closed, Exchange, Message, Phase, Principal, Session};
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::form::Shown;
use super::rules::Tool;
use super::world::NUMBER;

/// A kind of client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Legacy; shows dialogs.
    Dialogs,
    /// Modern; gets questions in results.
    InResults,
    /// Legacy; can't ask.
    Mute,
    /// Modern; gets questions in results, and has no session.
    Sessionless,
}

pub(crate) const KINDS: [Kind; 4] = [Kind::Dialogs, Kind::InResults, Kind::Mute, Kind::Sessionless];

#[derive(Debug, Clone)]
pub(crate) struct Client {
    pub(crate) kind: Kind,
    pub(crate) session: Arc<Session>,
    screen: Arc<Screen>,
}

/// The screen on which dialogs appear.
#[derive(Default)]
pub(crate) struct Screen {
    dialogs: Mutex<Vec<Dialog>>,
    /// How many dialogs were ever shown.
    shown: Mutex<usize>,
    /// Whether the client has left, so that nothing can be shown.
    is_gone: AtomicBool,
}

/// A dialog that waits for an answer.
pub(crate) struct Dialog {
    pub(crate) form: Value,
    pub(crate) shown: Shown,
    answer: oneshot::Sender<Option<Value>>,
}

impl Client {
    /// `epoch` distinguishes the sessions of this client.
    pub(crate) fn new(kind: Kind, epoch: u64) -> Self {
        let screen = Arc::new(Screen::default());
        let sink: Arc<dyn ClientSink> = Arc::<Screen>::clone(&screen);
        let id = format!("{kind:?} {epoch}");
        let session = match kind {
            Kind::Sessionless => Session::of_connection(id, Principal::local(), sink),
            _ => Session::new(id, Principal::local(), sink),
        };
        if !kind.is_modern() {
            let capabilities = JsonBuf::from(&kind.capabilities());
            let info = Some(JsonBuf::from(&info()));
            let caller = Caller { version: Version::V2025_11_25, capabilities, info };
            session.set_phase(Phase::Ready(Arc::new(caller)));
        }
        Self { kind, session, screen }
    }

    /// Returns the holder of the client's grants, as the stores name it.
    pub(crate) fn holder(&self) -> String {
        match self.kind {
            Kind::Sessionless => {
                let digest = ContentDigest::of_parts(&["client", &info().to_string()]);
                format!("client {}", digest.to_base64())
            }
            _ => ContentDigest::of_parts(&["session", self.session.id()]).to_base64(),
        }
    }

    /// Makes one `tools/call` request.
    pub(crate) fn request(&self, number: u64, tool: &str, path: &str, more: Value) -> Exchange {
        let mut params = json!({ "name": tool, "arguments": { "path": path }, "_meta": { NUMBER: number } });
        if self.kind.is_modern() {
            params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = self.kind.capabilities();
            params["_meta"]["io.modelcontextprotocol/clientInfo"] = info();
        }
        if let Value::Object(more) = more {
            for (name, value) in more {
                match (&mut params[&name], value) {
                    (Value::Object(there), Value::Object(value)) => there.extend(value),
                    (place, value) => *place = value,
                }
            }
        }
        let text = json!({ "jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params });
        let message = Message::parse(text.to_string().into_bytes(), &Limits::default()).unwrap();
        let sink: Arc<dyn ClientSink> = Arc::<Screen>::clone(&self.screen);
        Exchange::new(message, Arc::clone(&self.session), sink).unwrap()
    }

    /// Takes the open dialog at this position.
    pub(crate) fn take_dialog(&self, place: usize) -> Option<Dialog> {
        let mut dialogs = self.screen.open_dialogs();
        let many = dialogs.len();
        (many > 0).then(|| dialogs.remove(place % many))
    }

    /// Notes what the new dialogs show.
    pub(crate) fn note_definitions(&self, all: &HashMap<Tool, u64>) {
        for dialog in self.screen.open_dialogs().iter_mut().filter(|dialog| dialog.shown.all.is_empty()) {
            dialog.shown.all.clone_from(all);
        }
    }

    /// The client leaves and hangs up all dialogs.
    pub(crate) fn leave(&self) {
        self.screen.is_gone.store(true, Ordering::Relaxed);
        while let Some(dialog) = self.take_dialog(0) {
            dialog.hang_up();
        }
    }

    pub(crate) fn dialogs(&self) -> usize {
        self.screen.open_dialogs().len()
    }

    /// Returns how many dialogs were ever shown.
    pub(crate) fn shown(&self) -> usize {
        *self.screen.shown.lock().unwrap()
    }
}

impl Kind {
    pub(crate) fn is_modern(self) -> bool {
        matches!(self, Self::InResults | Self::Sessionless)
    }

    fn capabilities(self) -> Value {
        if self == Self::Mute { json!({}) } else { json!({ "elicitation": {} }) }
    }
}

impl Dialog {
    pub(crate) fn answer(self, result: Value) {
        // The call may have ended.
        let _ = self.answer.send(Some(result));
    }

    /// Answers as a client that has disconnected.
    pub(crate) fn hang_up(self) {
        let _ = self.answer.send(None);
    }
}

impl Screen {
    /// Returns the dialogs that a call still waits for.
    fn open_dialogs(&self) -> std::sync::MutexGuard<'_, Vec<Dialog>> {
        let mut dialogs = self.dialogs.lock().unwrap();
        dialogs.retain(|dialog| !dialog.answer.is_closed());
        dialogs
    }
}

impl ClientSink for Screen {
    fn notify(&self, _: Message) -> BoxFuture<'_, Result<(), Closed>> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn request(&self, method: &str, params: Option<Json<'_>>) -> BoxFuture<'_, Result<Message, Closed>> {
        assert_eq!(method, "elicitation/create");
        if self.is_gone.load(Ordering::Relaxed) {
            return Box::pin(std::future::ready(Err(Closed)));
        }
        let form: Value = params.unwrap().read().unwrap();
        let shown = Shown::read(form["message"].as_str().unwrap(), &form);
        let (answer, answered) = oneshot::channel();
        self.dialogs.lock().unwrap().push(Dialog { form, shown, answer });
        *self.shown.lock().unwrap() += 1;
        Box::pin(async move {
            let result = answered.await.ok().flatten().ok_or(Closed)?;
            let text = json!({ "jsonrpc": "2.0", "id": 1, "result": result }).to_string();
            Message::parse(text.into_bytes(), &Limits::default()).map_err(|_| Closed)
        })
    }
}

impl std::fmt::Debug for Screen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Screen")
    }
}

fn info() -> Value {
    json!({ "name": "Tester", "version": "1" })
}
