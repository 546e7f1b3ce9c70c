//! Follows one conversation. Every message of the server must keep its bytes, match the official
//! schema of its version, and come at a permitted time.
use std::collections::HashMap;
use std::sync::Arc;

use overt_wire::era::{Caller, Era, Version, key};
use overt_wire::json::{self, Json};
use overt_wire::{Id, Kind, Message, Method};
use serde_json::Value;

use super::official::{Official, Schemas};

/// Observes both sides of one conversation.
#[derive(Debug)]
pub struct Witness {
    schemas: Arc<Schemas>,
    /// The negotiated version; before `initialize`, the version that the client will ask for.
    version: Version,
    asked: HashMap<Id, Vec<Asked>>,
    progress: HashMap<String, Progress>,
}

/// A request of the client that has no answer yet.
#[derive(Debug)]
struct Asked {
    method: String,
    era: Era,
    is_task: bool,
    token: Option<String>,
}

#[derive(Debug, Clone, Copy)]
struct Progress {
    era: Era,
    last: Option<f64>,
    answered: bool,
}

type Verdict<T = ()> = Result<T, String>;

impl Witness {
    pub fn new(schemas: &Arc<Schemas>, version: Version) -> Self {
        Self { schemas: Arc::clone(schemas), version, asked: HashMap::new(), progress: HashMap::new() }
    }

    /// Notes what the client sends. Invalid messages are ignored.
    pub fn sent(&mut self, text: &str) {
        let Ok(message) = Message::parse(text.as_bytes().to_vec(), &limits()) else { return };
        let (Kind::Request, Some(id), Some(method)) = (message.kind(), message.id(), message.method()) else {
            return;
        };
        let era = Caller::era_of(&message);
        let token = message.meta().get(key::PROGRESS_TOKEN).value().map(|token| token.as_str().to_owned());
        if let Some(token) = &token {
            self.progress.insert(token.clone(), Progress { era, last: None, answered: false });
        }
        let is_task = message.param("task").value().is_some();
        let asked = Asked { method: method.name().to_owned(), era, is_task, token };
        self.asked.entry(id.clone()).or_default().push(asked);
    }

    /// Checks a message of the server.
    pub fn received(&mut self, text: &str) -> Verdict<Message> {
        let message = Message::parse(text.as_bytes().to_vec(), &limits())
            .map_err(|reject| format!("the server sent no message: {}: {text}", reject.error.message))?;
        if message.text() != text {
            return Err(format!("reading and writing changed the message: {text}"));
        }
        let whole: Value = message.as_json().read().map_err(|error| error.to_string())?;
        let verdict = match message.kind() {
            Kind::Result => self.result(&message, &whole),
            Kind::Error => self.error(&message, &whole),
            Kind::Request => self.request(&message, &whole),
            Kind::Notification => self.notification(&message, &whole),
        };
        verdict.map_err(|problem| format!("{problem}\n{text}"))?;
        Ok(message)
    }

    /// Returns the methods of requests that have no answer yet.
    pub fn unanswered(&self) -> Vec<&str> {
        self.asked.values().flatten().map(|asked| asked.method.as_str()).collect()
    }

    fn result(&mut self, message: &Message, whole: &Value) -> Verdict {
        let asked = self.answered(message)?;
        if asked.method == Method::Initialize.name()
            && let Some(version) = whole["result"]["protocolVersion"].as_str().and_then(Version::parse)
        {
            self.version = version;
        }
        let official = self.official(asked.era);
        let envelope = first_of(official, ["JSONRPCResultResponse", "JSONRPCResponse"]);
        official.check(envelope, whole)?;
        let is_task = asked.era == Era::Modern
            && (asked.method.starts_with("tasks/") || whole["result"]["resultType"] == "task");
        let of_skills = [Method::DirectoryRead, Method::SkillsList, Method::SkillsGet];
        let is_of_skills = of_skills.iter().any(|method| asked.method == method.name());
        if is_task || is_of_skills || asked.method == Method::AiHelp.name() {
            // Skills, the tasks of the newer era and `ai_help` are extensions: the schema only says
            // that there is a result.
            return official.check("Result", &whole["result"]);
        }
        let request = official
            .member_for("ClientRequest", &asked.method)
            .ok_or_else(|| format!("answered `{}`, which is not a request of this version", asked.method))?;
        let kind = kind_of(official, request);
        if whole["result"]["resultType"] == "input_required" {
            return input_required(official, &kind, whole);
        }
        official.check(if asked.is_task { "CreateTaskResult" } else { &kind }, &whole["result"])
    }

    fn error(&mut self, message: &Message, whole: &Value) -> Verdict {
        let era = match message.id() {
            Some(_) => self.answered(message)?.era,
            None => self.version.era(),
        };
        let official = self.official(era);
        let envelope = first_of(official, ["JSONRPCErrorResponse", "JSONRPCError"]);
        let mut whole = whole.clone();
        if message.id().is_none() && self.version < Version::V2025_11_25 {
            // Up to 2025-06-18 the schema requires an id here, even for a request whose id could
            // not be read.
            whole["id"] = Value::from(0);
        }
        official.check(envelope, &whole)?;
        match whole["error"]["code"].as_i64().and_then(|code| official.error_for(code)) {
            Some(own) => official.check(own, &whole),
            None => Ok(()),
        }
    }

    fn request(&self, message: &Message, whole: &Value) -> Verdict {
        let method = message.method().map_or("", |method| method.name());
        let official = self.official(self.version.era());
        official.check("JSONRPCRequest", whole)?;
        match official.member_for("ServerRequest", method) {
            Some(kind) => official.check(kind, whole),
            None => {
                Err(format!("the server asked `{method}`, which no server of version {} asks", self.version))
            }
        }
    }

    fn notification(&mut self, message: &Message, whole: &Value) -> Verdict {
        let method = message.method().map_or("", |method| method.name());
        let mut era = self.version.era();
        if message.method() == Some(Method::Progress) {
            era = self.progress(message.params().value())?;
        }
        let official = self.official(era);
        official.check("JSONRPCNotification", whole)?;
        match official.member_for("ServerNotification", method) {
            Some(kind) => official.check(kind, whole),
            None => {
                Err(format!("the server sent `{method}`, which no server of version {} sends", self.version))
            }
        }
    }

    /// Checks progress: it must belong to a request that asked for it, increase, and stop with the
    /// answer.
    fn progress(&mut self, params: Option<Json<'_>>) -> Verdict<Era> {
        let params = params.ok_or("progress without params")?;
        let token = params.get("progressToken").value().ok_or("progress without a token")?;
        let now = params.get("progress").value().and_then(Json::number).ok_or("progress without a number")?;
        let known = self.progress.get_mut(token.as_str()).ok_or("progress for a token that nobody gave")?;
        if known.answered {
            return Err("progress after the answer".into());
        }
        if known.last.is_some_and(|last| now <= last) {
            return Err("progress that does not grow".into());
        }
        known.last = Some(now);
        Ok(known.era)
    }

    /// Returns the request that a message answers. Each request has only one answer.
    fn answered(&mut self, message: &Message) -> Verdict<Asked> {
        let id = message.id().ok_or("an answer without an id")?;
        let asked = self.asked.get_mut(id).filter(|asked| !asked.is_empty());
        let asked = asked.ok_or("an answer to something that was not asked")?.remove(0);
        if let Some(progress) = asked.token.as_ref().and_then(|token| self.progress.get_mut(token)) {
            progress.answered = true;
        }
        Ok(asked)
    }

    fn official(&self, era: Era) -> &Official {
        let version = match era {
            Era::Modern => Version::NEWEST,
            Era::Legacy if self.version.era() == Era::Legacy => self.version,
            Era::Legacy => Version::NEWEST_LEGACY,
        };
        self.schemas.of(version)
    }
}

fn kind_of(official: &Official, request: &str) -> String {
    let kind = format!("{}Result", request.trim_end_matches("Request"));
    if official.has(&kind) { kind } else { "EmptyResult".into() }
}

fn input_required(official: &Official, kind: &str, whole: &Value) -> Verdict {
    if !official.may_need_input(kind) {
        return Err(format!("a {kind} may not ask for input"));
    }
    official.check("InputRequiredResult", &whole["result"])
}

fn first_of<'a>(official: &Official, names: [&'a str; 2]) -> &'a str {
    if official.has(names[0]) { names[0] } else { names[1] }
}

fn limits() -> json::Limits {
    json::Limits { max_bytes: 64 << 20, ..json::Limits::default() }
}
