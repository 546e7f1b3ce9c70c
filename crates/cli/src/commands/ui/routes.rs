//! Routes the page's requests. Those that need the store of the inbox run on its thread; all others
//! run on blocking threads.
use std::sync::{Arc, OnceLock};

use overt_transport::http::{Site, SiteContent, SiteMethod, SiteReply, SiteRequest};
use overt_wire::BoxFuture;
use overt_wire::frame::{Event, write_event};
use overt_wire::json::Json;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::{Semaphore, mpsc};

use super::activity::Asked;
use super::inbox_thread::{InboxThread, PageUpdates};
use super::inspect::Inspection;
use super::listings::Listings;
use super::problem::{Problem, json_reply};
use super::{activity, page, policy, questions, servers, standing, undoing, verify};
use crate::cost::TokenCounter;
use crate::settings::UiSettings;

/// The page's API.
#[derive(Debug)]
pub(super) struct Routes {
    settings: Arc<UiSettings>,
    inbox: InboxThread,
    listings: Listings,
    week: policy::Week,
    /// Counts tokens. Created when the page first shows a server.
    counter: OnceLock<Option<TokenCounter>>,
    /// Limits how many requests read logs at once, so that a page that asks for much only delays
    /// itself.
    readers: Semaphore,
    /// The server that is tried, if this is `overt inspect`.
    inspection: Option<Arc<Inspection>>,
    /// The URL of the document in which apps are shown, on another origin.
    sandbox_url: Option<String>,
}

const MOST_READERS: usize = 4;
/// Events that are buffered for one page.
const MOST_EVENTS: usize = 8;

impl Site for Routes {
    fn answer(self: Arc<Self>, request: SiteRequest) -> BoxFuture<'static, SiteReply> {
        Box::pin(async move { self.route(request).await.unwrap_or_else(Problem::reply) })
    }
}

impl Routes {
    pub(super) fn new(
        settings: Arc<UiSettings>,
        inbox: InboxThread,
        inspection: Option<Arc<Inspection>>,
        sandbox_url: Option<String>,
    ) -> Self {
        Self {
            inspection,
            sandbox_url,
            settings,
            inbox,
            listings: Listings::default(),
            week: policy::Week::default(),
            counter: OnceLock::new(),
            readers: Semaphore::new(MOST_READERS),
        }
    }

    async fn route(self: Arc<Self>, request: SiteRequest) -> Result<SiteReply, Problem> {
        let Some(path) = request.path.strip_prefix("/api/").map(str::to_owned) else {
            return page::file(&request.path).ok_or_else(Problem::not_found);
        };
        if request.method == SiteMethod::Get && path == "events" {
            return Ok(self.events());
        }
        let (head, rest) = path.split_once('/').unwrap_or((&path, ""));
        let rest = decoded(rest)?;
        if let (Some(inspection), "inspect") = (&self.inspection, head) {
            return inspection.answer(&request, rest.as_deref()).await;
        }
        let answer = match (request.method, head, rest) {
            (SiteMethod::Get, "hello", None) => self.hello(),
            (SiteMethod::Get, "questions", Some(id)) => {
                self.inbox.ask(move |store| questions::one(store, &id)).await?
            }
            (SiteMethod::Get, "reviews", Some(id)) => {
                self.inbox.ask(move |store| questions::review_page(store, &id)).await?
            }
            (SiteMethod::Post, "answers", None) => {
                let answers = body(&request)?;
                self.inbox.ask(move |store| questions::answer(store, &answers)).await?
            }
            (SiteMethod::Post, "take-back", None) => {
                self.inbox.ask(|store| Ok(json!({ "words": store.take_back() }))).await?
            }
            (SiteMethod::Get, "activity", None) => {
                let asked = Asked::read(&request.query)?;
                self.read(move |routes| activity::list(&routes.settings, &routes.listings, &asked)).await?
            }
            (SiteMethod::Get, "activity", Some(id)) => {
                self.read(move |routes| activity::one(&routes.settings, &id)).await?
            }
            (SiteMethod::Get, "undo", Some(id)) => {
                self.read(move |routes| undoing::preview(&routes.settings, &id)).await?
            }
            (SiteMethod::Post, "undo", None) => {
                self.check_person()?;
                let undo = body(&request)?;
                let settings = Arc::clone(&self.settings);
                self.inbox.ask(move |store| undoing::undo(store, &settings, &undo)).await?
            }
            (SiteMethod::Get, "grants", None) => self.read(|routes| standing::list(&routes.settings)).await?,
            (SiteMethod::Post, "revoke", None) => {
                self.check_person()?;
                let revoke = body(&request)?;
                self.inbox.ask(move |store| standing::revoke(store, &revoke)).await?
            }
            (SiteMethod::Get, "servers", None) => self.read(|routes| servers::list(&routes.settings)).await?,
            (SiteMethod::Get, "pins", Some(id)) => {
                self.read(move |routes| servers::remembered(&routes.settings, &routes.counter, &id)).await?
            }
            (SiteMethod::Post, "pins", None) => {
                let (accept, settings) = (body(&request)?, Arc::clone(&self.settings));
                self.inbox.ask(move |store| servers::accept(store, &settings, &accept)).await?
            }
            (SiteMethod::Post, "trust", None) => {
                let set = body(&request)?;
                self.inbox.ask(move |store| servers::set_trust(store, &set)).await?
            }
            (_, "policy", part) => self.policy(&request, part.as_deref()).await?,
            (SiteMethod::Get, "verify", None) => {
                self.read(|routes| Ok(verify::verify(&routes.settings))).await?
            }
            _ => return Err(Problem::not_found()),
        };
        Ok(json_reply(200, &answer))
    }

    async fn policy(self: &Arc<Self>, request: &SiteRequest, part: Option<&str>) -> Result<Value, Problem> {
        match (request.method, part) {
            (SiteMethod::Get, None) => self.read(|routes| policy::show(&routes.settings, &routes.week)).await,
            (SiteMethod::Post, Some("preview")) => {
                let draft = body(request)?;
                self.read(move |routes| policy::preview(&routes.settings, &routes.week, &draft)).await
            }
            (SiteMethod::Post, Some("edit")) => {
                let edit = body(request)?;
                self.read(move |routes| policy::edit(&routes.settings, &edit)).await
            }
            (SiteMethod::Post, None) => {
                let (save, settings) = (body(request)?, Arc::clone(&self.settings));
                self.inbox.ask(move |store| policy::save(store, &settings, &save)).await
            }
            _ => Err(Problem::not_found()),
        }
    }

    fn hello(&self) -> Value {
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "project": self.settings.project,
            "readOnly": self.inbox.read_only(),
            "inspect": self.inspection.is_some(),
            "sandbox": self.sandbox_url,
            "now": jiff::Timestamp::now().to_string(),
        })
    }

    fn check_person(&self) -> Result<(), Problem> {
        self.inbox.read_only().map_or(Ok(()), |why| Err(Problem::new(403, why)))
    }

    /// Runs the work on a blocking thread, as soon as a slot is free.
    async fn read(
        self: &Arc<Self>,
        work: impl FnOnce(&Self) -> Result<Value, Problem> + Send + 'static,
    ) -> Result<Value, Problem> {
        let ended = || Problem::new(503, "the page is being closed");
        let _place = self.readers.acquire().await.map_err(|_| ended())?;
        let routes = Arc::clone(self);
        tokio::task::spawn_blocking(move || work(&routes)).await.unwrap_or_else(|_| {
            Err(Problem::new(500, "Overt failed while it read this; the terminal says more"))
        })
    }

    /// Returns a stream of changes. A page that misses events loses nothing: an event has all open
    /// questions, or only says that there is new activity to read.
    fn events(&self) -> SiteReply {
        let (send, events) = mpsc::channel(MOST_EVENTS);
        let mut news = self.inbox.news();
        tokio::spawn(async move {
            let mut told = PageUpdates::default();
            loop {
                let now = news.borrow_and_update().clone();
                let mut texts = Vec::new();
                if now.questions != told.questions {
                    texts.push(event("questions", &now.questions));
                }
                if now.unwrapped != told.unwrapped {
                    texts.push(event("unwrapped", &now.unwrapped));
                }
                if now.recorded != told.recorded {
                    texts.push(event("activity", "{}"));
                }
                told = now;
                for text in texts {
                    if send.send(text).await.is_err() {
                        return;
                    }
                }
                tokio::select! {
                    changed = news.changed() => if changed.is_err() { return },
                    () = send.closed() => return,
                }
            }
        });
        SiteReply { status: 200, content_type: "text/event-stream", content: SiteContent::Events(events) }
    }
}

fn event(name: &str, data: &str) -> String {
    write_event(&Event { name: name.to_owned(), data: data.to_owned(), ..Event::default() })
}

/// Decodes the last part of a path. Returns `None` if it is empty.
fn decoded(part: &str) -> Result<Option<String>, Problem> {
    if part.is_empty() {
        return Ok(None);
    }
    let text = percent_encoding::percent_decode_str(part).decode_utf8();
    text.map(|text| Some(text.into_owned())).map_err(|_| Problem::not_found())
}

pub(super) fn body<T: DeserializeOwned>(request: &SiteRequest) -> Result<T, Problem> {
    let wrong = |error: String| Problem::new(400, format!("the body can't be read: {error}"));
    let text = std::str::from_utf8(&request.body).map_err(|error| wrong(error.to_string()))?;
    let json = Json::parse(text).map_err(|error| wrong(error.to_string()))?;
    json.read().map_err(|error| wrong(error.to_string()))
}
