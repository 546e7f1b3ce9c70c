//! The URIs of requests. Decisions use the canonical form. The server receives the canonical form,
//! or its own spelling.
use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use overt_policy::uri::{ResourceUri, UriError};
use overt_wire::edit::{self, Step};
use overt_wire::json::{Json, JsonBuf, Member};
use overt_wire::{ErrorObject, Message, Method};
use serde_json::Value;

/// URIs that the server wrote in lists and results in a non-canonical spelling.
#[derive(Debug, Default)]
pub(super) struct ListedUris(Mutex<SpellingSet>);

#[derive(Debug, Default)]
struct SpellingSet {
    spellings: HashSet<Box<str>>,
    bytes: usize,
}

/// The most bytes of spellings that are remembered. Beyond that, all are forgotten.
const MOST_BYTES: usize = 1 << 20;
/// The longest URI that is remembered, in bytes.
const LONGEST: usize = 4 << 10;

impl ListedUris {
    /// Remembers how the server spells the URIs in one of its answers.
    pub(super) fn learn(&self, answer: &Message) {
        // Most answers contain no URI.
        if !answer.text().contains("\"uri\"") {
            return;
        }
        let Some(result) = answer.result_body().value() else { return };
        for uri in uris_in_result(result) {
            let is_canonical = ResourceUri::parse(&uri).is_ok_and(|canonical| canonical.as_str() == uri);
            if !is_canonical && uri.len() <= LONGEST && ResourceUri::parse_listed(&uri).is_ok() {
                self.lock().insert(&uri);
            }
        }
    }

    /// Returns the canonical form of a URI that a client sent, and the spelling to forward.
    fn resolve(&self, uri: &str) -> Result<(ResourceUri, Spelling), UriError> {
        if self.lock().spellings.contains(uri) {
            return Ok((ResourceUri::parse_listed(uri)?, Spelling::AsSent));
        }
        let canonical = ResourceUri::parse(uri)?;
        let spelling = if canonical.as_str() == uri { Spelling::AsSent } else { Spelling::Canonical };
        Ok((canonical, spelling))
    }

    /// Returns the canonical form of a URI in one of the server's own lists.
    pub(super) fn of_list(uri: &str) -> Result<ResourceUri, UriError> {
        ResourceUri::parse(uri).or_else(|_| ResourceUri::parse_listed(uri))
    }

    /// Returns the request with its URIs in the spelling to forward, and their canonical forms.
    pub(super) fn resolve_request(
        &self,
        method: Method<'_>,
        message: &Message,
    ) -> Result<(Message, Vec<ResourceUri>), ErrorObject> {
        let mut forwarded = message.clone();
        let mut resolved = Vec::new();
        for (path, uri) in sent_uris(method, message) {
            let (canonical, spelling) = self.resolve(&uri).map_err(|error| refusal(&uri, error))?;
            if spelling == Spelling::Canonical {
                let text = JsonBuf::from(&Value::String(canonical.as_str().to_owned()));
                forwarded =
                    edit::set_in(&forwarded, &path, text.as_json()).map_err(|_| ErrorObject::internal())?;
            }
            resolved.push(canonical);
        }
        Ok((forwarded, resolved))
    }

    fn lock(&self) -> MutexGuard<'_, SpellingSet> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Which spelling of a URI goes to the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spelling {
    AsSent,
    Canonical,
}

impl SpellingSet {
    fn insert(&mut self, uri: &str) {
        if self.bytes + uri.len() > MOST_BYTES {
            *self = Self::default();
        }
        if self.spellings.insert(uri.into()) {
            self.bytes += uri.len();
        }
    }
}

fn refusal(uri: &str, error: UriError) -> ErrorObject {
    let shown: String = uri.chars().take(200).collect();
    let data = overt_wire::json::Object::new().string("uri", &shown).finish();
    ErrorObject::invalid_params(format!("the URI can't be used: {error}")).with_data(data)
}

/// Returns the resource URIs that a request names, each with its place.
fn sent_uris<'a>(method: Method<'_>, message: &'a Message) -> Vec<(Vec<Step<'static>>, String)> {
    let params = message.params();
    match method {
        Method::ResourcesRead
        | Method::ResourcesSubscribe
        | Method::ResourcesUnsubscribe
        | Method::DirectoryRead
        | Method::SkillsGet => {
            let place = vec![Step::Member("params"), Step::Member("uri")];
            params.get("uri").string().map(|uri| (place, uri.into_owned())).into_iter().collect()
        }
        Method::Listen => {
            let list: Option<Json<'a>> = params.get("notifications").get("resourceSubscriptions").value();
            let uris = list.into_iter().flat_map(Json::elements).enumerate();
            let place = |index| {
                ["params", "notifications", "resourceSubscriptions"]
                    .into_iter()
                    .map(Step::Member)
                    .chain([Step::Element(index)])
                    .collect()
            };
            uris.filter_map(|(index, uri)| Some((place(index), uri.string()?.into_owned()))).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the URIs that a client finds in an answer: of listed resources, of skills and their
/// files, of links, and of contents.
fn uris_in_result(result: Json<'_>) -> Vec<String> {
    let lists = ["resources", "content", "contents", "messages", "skills"];
    let items = lists.into_iter().filter_map(|name| result.get(name).value()).flat_map(Json::elements);
    let items = items.chain(result.get("skill").value()).flat_map(|item| {
        let files = item.get("resources").value().into_iter().flat_map(Json::elements);
        std::iter::once(item).chain(files)
    });
    let items = items.flat_map(|item| {
        let content = item.get("content").value();
        [Some(item), content, item.get("resource").value()]
            .into_iter()
            .chain([content.and_then(|content| content.get("resource").value())])
            .flatten()
    });
    let uri = |item: Json<'_>| match item.get("uri") {
        Member::Value(uri) => uri.string().map(std::borrow::Cow::into_owned),
        Member::Absent | Member::Null => None,
    };
    items.filter_map(uri).take(MOST_URIS).collect()
}

/// The most URIs of one answer that are read.
const MOST_URIS: usize = 10_000;

#[cfg(test)]
mod tests {
    use overt_wire::json::Limits;

    use super::*;

    fn message(text: &str) -> Message {
        Message::parse(text.into(), &Limits::default()).unwrap()
    }

    fn read(uris: &ListedUris, uri: &str) -> Result<(String, String), String> {
        let uri = serde_json::to_string(uri).unwrap();
        let text =
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{{"uri":{uri}}}}}"#);
        let (forwarded, resolved) =
            uris.resolve_request(Method::ResourcesRead, &message(&text)).map_err(|error| error.message)?;
        let sent = forwarded.param("uri").string().unwrap().into_owned();
        Ok((sent, resolved[0].as_str().to_owned()))
    }

    #[test]
    fn a_12_a_uri_is_forwarded_as_it_is_judged_unless_the_server_spells_it_so() {
        let uris = ListedUris::default();
        let of = |uri: &str| read(&uris, uri).unwrap();
        let same = |uri: &str| (uri.to_owned(), uri.to_owned());
        assert_eq!(of("demo://a/1"), same("demo://a/1"));
        assert_eq!(of("DEMO://a/x/../%31"), same("demo://a/1"));
        assert!(read(&uris, " demo://a/1").unwrap_err().contains("space"));
        assert!(read(&uris, "greeting").is_err());
        for answer in [
            r#"{"resources":[{"uri":"demo://a/%31"},{"uri":"greeting"},{"uri":"demo://a/b c"}]}"#,
            r#"{"content":[{"type":"resource_link","uri":"demo://a/x/../2"},{"type":"resource","resource":{"uri":"a://b//c"}}]}"#,
            r#"{"messages":[{"role":"user","content":{"type":"resource","resource":{"uri":"a://B/%41"}}}]}"#,
        ] {
            uris.learn(&message(&format!(r#"{{"jsonrpc":"2.0","id":1,"result":{answer}}}"#)));
        }
        assert_eq!(of("demo://a/%31"), ("demo://a/%31".to_owned(), "demo://a/1".to_owned()));
        assert_eq!(of("demo://a/b c"), ("demo://a/b c".to_owned(), "demo://a/b%20c".to_owned()));
        assert_eq!(of("demo://a/x/../2"), ("demo://a/x/../2".to_owned(), "demo://a/2".to_owned()));
        assert_eq!(of("a://B/%41"), ("a://B/%41".to_owned(), "a://B/A".to_owned()));
        assert_eq!(of("a://b//c"), same("a://b//c"));
        assert_eq!(of("greeting"), same("greeting"));
        // A different spelling of the same URI is forwarded in canonical form.
        assert_eq!(of("demo://a/%32"), same("demo://a/2"));
        assert!(read(&uris, "demo://a/b  c").is_err());
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let uris = ListedUris::default();
        for number in 0..2_000 {
            let uri = format!("demo://a/{}%41{number}", "x".repeat(1_000));
            uris.learn(&message(&format!(
                r#"{{"jsonrpc":"2.0","id":1,"result":{{"contents":[{{"uri":"{uri}"}}]}}}}"#
            )));
        }
        assert!(uris.lock().bytes <= MOST_BYTES && !uris.lock().spellings.is_empty());
    }

    #[test]
    fn every_uri_of_a_subscription_is_resolved() {
        let text = r#"{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["a://b/%41","a://b/c"]}}}"#;
        let (forwarded, resolved) =
            ListedUris::default().resolve_request(Method::Listen, &message(text)).unwrap();
        assert_eq!(forwarded.text(), text.replace("%41", "A"));
        assert_eq!(resolved.len(), 2);
    }
}
