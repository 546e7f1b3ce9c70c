//! Lists are checked as they pass, and calls are refused based on them.
use super::deciding;
use std::fs;
use std::sync::{Arc, LazyLock, Mutex};

use overt_gateway::pins::{
    Decision, Finding, FindingKind, Identity, ListPage, PinGuard, PinMode, PinStore, Report,
};
use overt_layers::{Admitted, Authorize, Endpoint, ServerDescription};
use overt_wire::json::{Array, JsonBuf, Limits, Object};
use overt_wire::{BoxFuture, Exchange, Handler, Kind, Message, Method, NoClient, Principal, Session};
use tempfile::TempDir;

/// A server whose list of tools a test can change.
#[derive(Clone, Default)]
struct Shop {
    tools: Arc<Mutex<String>>,
    calls: Arc<Mutex<usize>>,
}

impl Shop {
    /// Sets the list. `a=1 b=2` are tools and their descriptions; a final `…` means that another
    /// page follows.
    fn shows(&self, text: &str) {
        let tools = tools(text).iter().fold(Array::new(), |array, tool| array.json(tool.as_json())).finish();
        let result = Object::new().json("tools", tools.as_json());
        let result = if text.contains('…') { result.string("nextCursor", "2") } else { result };
        *self.tools.lock().unwrap() = result.finish().into_string();
    }
}

impl Endpoint for Shop {
    fn call(&self, admitted: Admitted) -> BoxFuture<'_, Option<Message>> {
        let message = &admitted.exchange().message;
        let result = match message.method() {
            Some(Method::ToolsList) => JsonBuf::parse(&self.tools.lock().unwrap()).unwrap(),
            _ => {
                *self.calls.lock().unwrap() += 1;
                JsonBuf::empty_object()
            }
        };
        let answer = message.id().map(|id| Message::result(id, result.as_json()));
        Box::pin(std::future::ready(answer))
    }

    fn description(&self) -> &ServerDescription {
        static DESCRIPTION: LazyLock<ServerDescription> = LazyLock::new(|| ServerDescription::new("server"));
        &DESCRIPTION
    }
}

/// A server whose lists are shown to the pins, as the gateway does.
struct Pinned {
    guard: PinGuard,
    shop: Shop,
}

impl Endpoint for Pinned {
    fn call(&self, admitted: Admitted) -> BoxFuture<'_, Option<Message>> {
        let message = &admitted.exchange().message;
        let is_list = message.method() == Some(Method::ToolsList) && self.guard.mode() != PinMode::Off;
        let is_first = message.param("cursor").value().is_none();
        let call = self.shop.call(admitted);
        Box::pin(async move {
            let answer = call.await?;
            if is_list {
                self.guard
                    .check_page(if is_first { ListPage::First } else { ListPage::Later }, &answer)
                    .await;
            }
            Some(answer)
        })
    }

    fn description(&self) -> &ServerDescription {
        self.shop.description()
    }
}

/// A server with its pins, and the findings that they report.
struct Stall {
    shop: Shop,
    handler: Authorize,
    guard: PinGuard,
    findings: Arc<Mutex<Vec<Finding>>>,
}

impl Stall {
    fn open(state: &TempDir, mode: PinMode, shows: &str) -> Self {
        Self::open_as(identity(), state, mode, shows)
    }

    fn open_as(identity: Identity, state: &TempDir, mode: PinMode, shows: &str) -> Self {
        let (shop, findings) = (Shop::default(), Arc::<Mutex<Vec<Finding>>>::default());
        shop.shows(shows);
        let heard = Arc::clone(&findings);
        let report: Report = Arc::new(move |finding: &Finding| heard.lock().unwrap().push(finding.clone()));
        let guard = PinGuard::new(mode, PinStore::new(state.path()), identity, report);
        let handler = Authorize::new(guard.clone(), Pinned { guard: guard.clone(), shop: shop.clone() });
        Self { shop, handler, guard, findings }
    }

    async fn ask(&self, method: &str, params: &str) -> Message {
        let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
        let message = Message::parse(text.into_bytes(), &Limits::default()).unwrap();
        let (session, sink) =
            (Session::new("s".to_owned(), Principal::local(), Arc::new(NoClient)), Arc::new(NoClient));
        self.handler.call(Exchange::new(message, session, sink).unwrap()).await.unwrap()
    }

    /// Returns the names in the list that a client gets.
    async fn list(&self) -> String {
        let answer = self.ask("tools/list", "{}").await;
        let tools = answer.result_body().get("tools").value().unwrap();
        tools.elements().map(|tool| tool.get("name").string().unwrap()).collect::<Vec<_>>().join(" ")
    }

    /// Returns why a call is refused, or an empty text if it is not.
    async fn call(&self, tool: &str) -> String {
        let answer = self.ask("tools/call", &format!(r#"{{"name":"{tool}"}}"#)).await;
        assert_eq!(answer.kind() == Kind::Error, answer.error_body().is_some());
        answer.error_body().map(|error| error.message).unwrap_or_default()
    }

    /// Returns the findings since the last time, as a word each.
    fn heard(&self) -> String {
        let findings = std::mem::take(&mut *self.findings.lock().unwrap());
        let words = findings.iter().map(|finding| match &finding.what {
            FindingKind::FirstContact { tools } => format!("first:{tools}"),
            FindingKind::New { tool, .. } => format!("new:{tool}"),
            FindingKind::Changed { tool, .. } => format!("changed:{tool}"),
            FindingKind::Conflicting { tool, .. } => format!("twice:{tool}"),
            FindingKind::DiffersElsewhere { tools, directory } => format!("elsewhere:{tools}:{directory}"),
            FindingKind::Removed { tool } => format!("removed:{tool}"),
            FindingKind::Reordered { tool } => format!("reordered:{tool}"),
            FindingKind::More { findings } => format!("more:{findings}"),
            FindingKind::LeftOut { tools } => format!("left-out:{tools}"),
            FindingKind::Broken { .. } => "broken".to_owned(),
            FindingKind::Locked { .. } => "locked".to_owned(),
        });
        words.collect::<Vec<_>>().join(" ")
    }
}

fn identity() -> Identity {
    Identity::url("http://shop/")
}

fn tools(text: &str) -> Vec<JsonBuf> {
    let words = text.split_whitespace().filter_map(|word| word.split_once('='));
    words
        .map(|(name, text)| Object::new().string("name", name).string("description", text).finish())
        .collect()
}

/// Does what `overt pins accept` and `overt pins keep` do.
fn decide(state: &TempDir, tool: &str, decision: Decision) {
    let change = |record: Option<overt_gateway::pins::Record>| {
        let mut record = record.unwrap();
        record.decide(tool, decision, 1).unwrap();
        (Some(record), ())
    };
    PinStore::new(state.path()).decide(&deciding(&identity()), change).unwrap();
}

#[tokio::test]
async fn warning_says_so_once_and_refuses_nothing() {
    let state = TempDir::new().unwrap();
    let stall = Stall::open(&state, PinMode::Warn, "a=1 b=1");
    assert!(!stall.guard.needs_listing());
    assert_eq!(stall.call("a").await, "", "nothing was listed yet");
    assert_eq!((stall.list().await.as_str(), stall.heard().as_str()), ("a b", "first:2"));
    stall.shop.shows("a=2 b=1 c=1");
    for heard in ["changed:a new:c", "", ""] {
        assert_eq!((stall.list().await.as_str(), stall.heard().as_str()), ("a b c", heard));
    }
    assert_eq!(stall.call("a").await, "");
    stall.shop.shows("a=3 b=1 c=1");
    stall.list().await;
    assert_eq!(stall.heard(), "changed:a");

    let stall = Stall::open(&state, PinMode::Warn, "a=3 b=1 c=1");
    stall.list().await;
    assert_eq!(stall.heard(), "changed:a new:c", "another process says so again");
}

#[tokio::test]
async fn card_01_strict_hides_and_refuses_until_accepted() {
    let state = TempDir::new().unwrap();
    let stall = Stall::open(&state, PinMode::Strict, "a=1 b=1");
    stall.list().await;
    assert_eq!(stall.heard(), "first:2");
    assert_eq!(stall.call("a").await, "");
    stall.shop.shows("a=2 b=1");
    assert_eq!((stall.list().await.as_str(), stall.heard().as_str()), ("b", "changed:a"));
    let id = identity().id();
    assert_eq!(
        stall.call("a").await,
        format!(
            "tool `a` is held back: its definition is not the accepted one. Calling again won't help; ask the person to \
             look at it with `overt pins diff {id}`, and to run `overt pins accept {id} a` if it is fine"
        )
    );
    assert_eq!(*stall.shop.calls.lock().unwrap(), 1, "the server heard nothing of it");
    decide(&state, "a", Decision::Accept);
    assert_eq!(stall.call("a").await, "", "without a new list");
    assert_eq!((stall.list().await.as_str(), stall.heard().as_str()), ("a b", ""));
    // The first definition comes back, which counts as another change.
    stall.shop.shows("a=1 b=1");
    assert_eq!((stall.list().await.as_str(), stall.heard().as_str()), ("b", "changed:a"));
    decide(&state, "a", Decision::Accept);
    stall.shop.shows("a=2 b=1");
    assert_eq!((stall.list().await.as_str(), stall.heard().as_str()), ("b", "changed:a"));
}

#[tokio::test]
async fn card_02_strict_holds_new_names_back() {
    let state = TempDir::new().unwrap();
    let stall = Stall::open(&state, PinMode::Strict, "a=1");
    stall.list().await;
    stall.shop.shows("z=1");
    assert_eq!((stall.list().await.as_str(), stall.heard().as_str()), ("", "first:1 removed:a new:z"));
    assert!(stall.call("z").await.contains("it is new and not accepted yet"));
    decide(&state, "z", Decision::Accept);
    assert_eq!(stall.call("z").await, "");
}

#[tokio::test]
async fn card_03_what_differed_once_is_held_back_whatever_is_shown_later() {
    let state = TempDir::new().unwrap();
    let stall = Stall::open(&state, PinMode::Strict, "a=1 b=1");
    stall.list().await;
    stall.shop.shows("a=2 b=1");
    stall.list().await;
    stall.shop.shows("a=1 b=1");
    for _ in 0..2 {
        assert_eq!(stall.list().await, "b");
        assert!(!stall.call("a").await.is_empty());
    }
    decide(&state, "a", Decision::Keep);
    assert!(stall.call("a").await.contains("is not in the server's list"), "it must be looked at again");
    assert_eq!(stall.list().await, "a b");
    stall.shop.shows("a=1 a=2 b=1");
    assert_eq!((stall.list().await.as_str(), stall.heard().as_str()), ("b", "first:2 changed:a twice:a"));
    assert!(stall.call("a").await.contains("showed two definitions of it in one list"));
}

#[tokio::test]
async fn card_03_pages_are_one_list() {
    let state = TempDir::new().unwrap();
    let stall = Stall::open(&state, PinMode::Strict, "a=1 …");
    assert_eq!(stall.list().await, "a");
    assert!(stall.guard.needs_listing(), "there is another page");
    stall.shop.shows("b=1");
    stall.ask("tools/list", r#"{"cursor":"2"}"#).await;
    assert_eq!(stall.heard(), "first:1", "what is on another page is not gone");
    assert_eq!((stall.call("a").await.as_str(), stall.call("b").await.as_str()), ("", ""));
}

#[tokio::test]
async fn strict_allows_nothing_that_was_not_looked_at() {
    let state = TempDir::new().unwrap();
    Stall::open(&state, PinMode::Warn, "a=1 b=1").list().await;
    let stall = Stall::open(&state, PinMode::Strict, "a=1");
    assert!(stall.guard.needs_listing());
    let Err(refusal) = stall.guard.verdict("a") else { panic!("nothing was looked at") };
    assert!(refusal.reason.contains("has not been looked at yet"));
    stall.guard.observe(&tools("a=1")).await;
    assert!(!stall.guard.needs_listing());
    assert_eq!(stall.call("a").await, "");
    for other in ["b", "c"] {
        assert!(stall.call(other).await.contains("unknown tool"), "{other}");
    }
    assert_eq!(*stall.shop.calls.lock().unwrap(), 1);
}

#[tokio::test]
async fn off_looks_at_nothing() {
    let state = TempDir::new().unwrap();
    let stall = Stall::open(&state, PinMode::Off, "a=1 a=2");
    assert_eq!((stall.list().await.as_str(), stall.call("a").await.as_str()), ("a a", ""));
    stall.guard.observe(&tools("a=3")).await;
    assert_eq!(stall.heard(), "");
    assert_eq!(fs::read_dir(state.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn strict_refuses_everything_while_the_record_is_broken() {
    let state = TempDir::new().unwrap();
    Stall::open(&state, PinMode::Warn, "a=1").list().await;
    let file = fs::read_dir(state.path().join("pins")).unwrap().map(|entry| entry.unwrap().path());
    let file = file.into_iter().find(|path| path.extension().is_some()).unwrap();
    let good = fs::read(&file).unwrap();
    fs::write(&file, "broken").unwrap();
    let stall = Stall::open(&state, PinMode::Strict, "a=1");
    for heard in ["broken", ""] {
        assert_eq!((stall.list().await.as_str(), stall.heard().as_str()), ("", heard));
        assert!(stall.call("a").await.contains("the record of accepted tools can't be used"));
    }
    assert_eq!(fs::read(&file).unwrap(), b"broken", "it is not replaced");
    fs::write(&file, good).unwrap();
    assert_eq!((stall.list().await.as_str(), stall.call("a").await.as_str()), ("a", ""));

    // A definition that can't be recorded does not count as accepted.
    let state = TempDir::new().unwrap();
    fs::write(state.path().join("pins"), "a file where the folder should be").unwrap();
    let stall = Stall::open(&state, PinMode::Strict, "a=1");
    assert_eq!((stall.list().await.as_str(), stall.heard().as_str()), ("", "broken"));
    assert!(!stall.call("a").await.is_empty());
    fs::remove_file(state.path().join("pins")).unwrap();
    assert_eq!((stall.list().await.as_str(), stall.heard().as_str()), ("a", "first:1"));
}

#[tokio::test]
async fn findings_of_one_list_are_bounded() {
    let state = TempDir::new().unwrap();
    let stall = Stall::open(&state, PinMode::Warn, "a=1");
    stall.list().await;
    let many: Vec<String> = (100..150).map(|n| format!("t{n}=1")).collect();
    stall.shop.shows(&many.join(" "));
    stall.list().await;
    let heard = stall.heard();
    assert!(
        heard.starts_with("first:1 removed:a new:t100 ") && heard.ends_with("new:t119 more:30"),
        "{heard}"
    );
}

#[tokio::test]
async fn answers_pass_untouched() {
    let state = TempDir::new().unwrap();
    let stall = Stall::open(&state, PinMode::Warn, "");
    let odd = r#"{ "tools" : [ {"name":"a" , "x":1.0e2,"\u0061":"\u0000"} ],"nextCursor":"2", "y":null }"#;
    *stall.shop.tools.lock().unwrap() = odd.to_owned();
    assert!(stall.ask("tools/list", "{}").await.text().contains(odd));
    for no_list in [r#"{"tools":7}"#, "{}", r#"{"tools":null}"#] {
        *stall.shop.tools.lock().unwrap() = no_list.to_owned();
        assert!(stall.ask("tools/list", "{}").await.text().contains(no_list));
    }
}

/// H-42: a tool that is missing from a complete list is reported once, and forgotten when a person
/// accepts this.
#[tokio::test]
async fn h_42_a_removed_tool_is_reported_once() {
    for mode in [PinMode::Warn, PinMode::Strict] {
        let state = TempDir::new().unwrap();
        let place = Stall::open(&state, mode, "a=1 b=1");
        place.list().await;
        assert_eq!(place.heard(), "first:2");
        place.shop.shows("b=1");
        place.list().await;
        assert_eq!(place.heard(), "removed:a", "{mode:?}");
        place.list().await;
        let again = Stall::open(&state, mode, "b=1");
        again.list().await;
        assert_eq!(place.heard() + &again.heard(), "", "{mode:?}: it is told once");
        let removed = || {
            let record = PinStore::new(state.path()).read(&identity()).unwrap().unwrap();
            record.removed().map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(removed(), ["a"]);
        // The tool comes back unchanged.
        again.shop.shows("a=1 b=1");
        assert_eq!(again.list().await, "a b");
        assert_eq!((again.heard(), removed().len()), (String::new(), 0));
        again.shop.shows("b=1");
        again.list().await;
        assert_eq!(again.heard(), "removed:a");
        decide(&state, "a", Decision::Accept);
        assert_eq!(removed().len(), 0);
        again.shop.shows("a=1 b=1");
        again.list().await;
        assert_eq!(again.heard(), "new:a", "what a person let go is new when it comes back");
    }
}

/// H-35: the same items in another order are not a change. This is reported once, even in strict
/// mode, and nothing is held back.
#[tokio::test]
async fn h_35_reordered_lists_are_told_once_and_hold_nothing_back() {
    let state = TempDir::new().unwrap();
    let place = Stall::open(&state, PinMode::Strict, "a={'x','y'} b=1");
    place.list().await;
    assert_eq!(place.heard(), "first:2");
    for (number, shown) in ["a={'y','x'} b=1", "a={'x','y'} b=1", "a={'y','x'} b=1"].iter().enumerate() {
        let next = Stall::open(&state, PinMode::Strict, shown);
        assert_eq!(next.list().await, "a b", "{number}");
        assert_eq!(next.heard(), if number == 0 { "reordered:a" } else { "" }, "{number}");
        assert_eq!(next.call("a").await, "");
    }
    let other = Stall::open(&state, PinMode::Strict, "a={'y','z'} b=1");
    assert_eq!(other.list().await, "b");
    assert_eq!(other.heard(), "changed:a");
}

/// A server that is known in another directory with other definitions is reported, although this is
/// a first contact.
#[tokio::test]
async fn a_first_contact_is_compared_with_other_directories() {
    let state = TempDir::new().unwrap();
    let server = |directory: &str| Identity::command(&["/usr/bin/npx".to_owned()], Some(directory));
    let stall = Stall::open_as(server("/a"), &state, PinMode::Strict, "a=1 b=1");
    stall.list().await;
    assert_eq!(stall.heard(), "first:2");
    let stall = Stall::open_as(server("/b"), &state, PinMode::Strict, "a=1 b=1");
    stall.list().await;
    assert_eq!(stall.heard(), "first:2", "the same tools");
    let stall = Stall::open_as(server("/c"), &state, PinMode::Strict, "a=2 b=1 c=1");
    assert_eq!(stall.list().await, "a b c", "nothing is held back");
    let heard = stall.heard();
    assert!(heard.starts_with("first:3 elsewhere:1:/"), "{heard}");
    let other = Identity::command(&["/usr/bin/node".to_owned()], Some("/d"));
    let stall = Stall::open_as(other, &state, PinMode::Strict, "a=3");
    stall.list().await;
    assert_eq!(stall.heard(), "first:1", "another server");
}

/// G-51: another process holds the lock. Other clients don't wait, and the existing record is still
/// used.
#[tokio::test]
async fn g_51_a_locked_record_blocks_no_client() {
    for mode in [PinMode::Warn, PinMode::Strict] {
        let state = TempDir::new().unwrap();
        Stall::open(&state, PinMode::Warn, "a=1").list().await;
        let lock = fs::File::open(state.path().join("pins/lock")).unwrap();
        lock.lock().unwrap();
        let stall = Stall::open(&state, mode, "a=1 b=1");
        let beats = Arc::new(Mutex::new(0));
        let heart = tokio::spawn({
            let beats = Arc::clone(&beats);
            async move {
                loop {
                    tokio::time::sleep(std::time::Duration::from_millis(10)).await;
                    *beats.lock().unwrap() += 1;
                }
            }
        });
        let began = std::time::Instant::now();
        let listed = stall.list().await;
        let (took, beats) = (began.elapsed(), *beats.lock().unwrap());
        heart.abort();
        assert!(beats >= 5, "others go on: {beats} beats in {took:?}");
        match mode {
            PinMode::Warn => {
                assert_eq!(listed, "a b");
                assert!(took.as_millis() < 1900, "nothing depends on it, so it is not waited for: {took:?}");
            }
            _ => assert_eq!((listed.as_str(), stall.heard().as_str()), ("a", "locked")),
        }
        assert_eq!(stall.call("a").await, "");
        drop(lock);
    }
}
