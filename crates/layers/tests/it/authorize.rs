//! Lists and calls use one decision: refused entries are hidden, hidden entries are refused, and
//! the other entries of a list keep their bytes.
use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock, Mutex};

use overt_layers::{Admitted, Control, PolicySnapshot, Refusal, ServerDescription, Veto, VetoSubject};
use overt_layers::{Authorize, Endpoint, ReadRecords as _};
use overt_policy::Authority;
use overt_toolbox::{Content, Prompt, PromptReply, Resource, ResourceContents, ResourceTemplate};
use overt_toolbox::{Role, Server, Tool, ToolError, Toolbox};
use overt_wire::json::{Json, JsonBuf, Limits};
use overt_wire::{
    BoxFuture, ClientSink, Exchange, Handler, Id, Kind, Message, Method, NoClient, Principal, Session,
};

/// Refuses what it is told to, by name or address.
#[derive(Clone)]
struct Deny(BTreeSet<&'static str>);

impl Veto for Deny {
    fn check(&self, subject: VetoSubject<'_>) -> Result<(), Refusal> {
        let name = match subject {
            VetoSubject::CallTool(name) | VetoSubject::GetPrompt(name) | VetoSubject::ReadResource(name) => {
                name
            }
            VetoSubject::Other(method) => method.name(),
        };
        if self.0.contains(name) {
            return Err(Refusal { reason: format!("the test refuses `{name}`") });
        }
        Ok(())
    }
}

/// A list, how its entries are named, and how one of them is used.
struct Listed {
    list: &'static str,
    member: &'static str,
    key: &'static str,
    call: fn(&str) -> (&'static str, String),
}

const KINDS: [Listed; 3] = [
    Listed {
        list: "tools/list",
        member: "tools",
        key: "name",
        call: |name| ("tools/call", format!(r#"{{"name":"{name}","arguments":{{}}}}"#)),
    },
    Listed {
        list: "prompts/list",
        member: "prompts",
        key: "name",
        call: |name| ("prompts/get", format!(r#"{{"name":"{name}"}}"#)),
    },
    Listed {
        list: "resources/list",
        member: "resources",
        key: "uri",
        call: |uri| ("resources/read", format!(r#"{{"uri":"{uri}"}}"#)),
    },
];

#[tokio::test]
async fn what_is_refused_is_hidden_and_the_reverse() {
    let all = ["a", "b", "c", "d", "test://a", "test://b", "test://c"];
    // Try every set of refused names.
    for choice in 0..1_u32 << all.len() {
        let denied: BTreeSet<&str> =
            all.iter().enumerate().filter(|(bit, _)| choice >> bit & 1 == 1).map(|(_, name)| *name).collect();
        let handler = Authorize::new(Deny(denied.clone()), toolbox());
        for kind in &KINDS {
            let listed = names(&ask(&handler, kind.list, "{}").await, kind);
            for name in names(&ask(&open(), kind.list, "{}").await, kind) {
                let (method, params) = (kind.call)(&name);
                let reply = ask(&handler, method, &params).await;
                let used = reply.kind() == Kind::Result;
                assert_eq!(used, listed.contains(&name), "{denied:?}: {name}");
                assert_eq!(used, !denied.contains(name.as_str()), "{denied:?}: {name}");
            }
        }
    }
}

#[tokio::test]
async fn a_refusal_says_why_and_runs_nothing() {
    let ran = Arc::new(Mutex::new(Vec::new()));
    let handler = Authorize::new(Deny(["a"].into()), Recorder(Arc::clone(&ran)));
    let reply = ask(&handler, "tools/call", r#"{"name":"a"}"#).await;
    assert_eq!(
        reply.text(),
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"the test refuses `a`"}}"#
    );
    // A name with escapes is the same name.
    let reply = ask(&handler, "tools/call", r#"{"name":"\u0061"}"#).await;
    assert_eq!(reply.kind(), Kind::Error);
    ask(&handler, "tools/call", r#"{"name":"b"}"#).await;
    ran.lock().unwrap().retain(|method| method != "tools/list");
    assert_eq!(*ran.lock().unwrap(), ["tools/call"]);
}

#[tokio::test]
async fn hidden_entries_leave_and_every_other_byte_stays() {
    // An upstream with its own spacing, member order, number format and unknown members.
    const BEFORE: &str = r#"{"result" : { "later":[{"name":"a"}], "tools" :[ "#;
    const AFTER: &str =
        " ] ,\t\"nextCursor\":\"\\u0078\", \"ttlMs\":1.0e3 },\n \"id\":1, \"jsonrpc\":\"2.0\"}";
    let entry =
        |name: &str| format!(r#"{{ "x-new": [1.50, -0], "name":"{name}" , "annotations":{{"a":1E2}}}}"#);
    let list = |names: &[&str], comma: &str| {
        let entries: Vec<String> = names.iter().map(|name| entry(name)).collect();
        format!("{BEFORE}{}{AFTER}", entries.join(comma))
    };
    let upstream = list(&["a", "b", "c", "d"], " ,\n  ");
    for (denied, shown) in [
        (&[][..], &["a", "b", "c", "d"][..]),
        (&["a"], &["b", "c", "d"]),
        (&["b"], &["a", "c", "d"]),
        (&["d"], &["a", "b", "c"]),
        (&["b", "c"], &["a", "d"]),
        (&["a", "d"], &["b", "c"]),
        (&["b", "c", "d"], &["a"]),
        (&["a", "b", "c", "d"], &[]),
    ] {
        let denied: BTreeSet<&str> = denied.iter().copied().collect();
        let handler = Authorize::new(Deny(denied.clone()), Fixed(upstream.clone()));
        let reply = ask(&handler, "tools/list", "{}").await;
        let text = reply.text();
        assert!(text.starts_with(BEFORE.trim_end()), "{denied:?}: {text}");
        assert!(text.ends_with(AFTER.trim_start()), "{denied:?}: {text}");
        let rest = &text[BEFORE.len() - 1..text.len() - AFTER.len() + 1];
        let kept: Vec<String> = shown.iter().map(|name| entry(name)).collect();
        let mut at = 0;
        for entry in &kept {
            at += rest[at..].find(entry.as_str()).expect("an entry that is shown keeps its bytes")
                + entry.len();
        }
        let without: String = kept.iter().fold(rest.to_owned(), |rest, entry| rest.replacen(entry, "", 1));
        assert!(without.chars().all(|c| c.is_whitespace() || c == ','), "{denied:?}: {text}");
        assert!(Json::parse(text).is_ok(), "{denied:?}: {text}");
    }
}

#[tokio::test]
async fn a_list_that_nothing_is_hidden_from_is_untouched() {
    let text = "{\"result\":{\"tools\":[ {\"name\" : \"x\"} ],\"n\":1.0},\"id\":1,\"jsonrpc\":\"2.0\"}";
    let handler = Authorize::new(Deny(BTreeSet::new()), Fixed(text.into()));
    assert_eq!(ask(&handler, "tools/list", "{}").await.text(), text);
}

#[tokio::test]
async fn templates_are_asked_for_like_the_resources_they_stand_for() {
    let handler = Authorize::new(Deny(["test://{x}/all"].into()), toolbox());
    let reply = ask(&handler, "resources/templates/list", "{}").await;
    assert!(!reply.text().contains("test://{x}/all"), "{reply:?}");
}

#[tokio::test]
async fn what_is_hidden_can_not_be_reached_by_another_way() {
    let handler = Authorize::new(Deny(["c", "test://a", "test://{x}/all"].into()), toolbox());
    for (method, params) in [
        ("resources/subscribe", r#"{"uri":"test://a"}"#),
        (
            "completion/complete",
            r#"{"ref":{"type":"ref/prompt","name":"c"},"argument":{"name":"word","value":""}}"#,
        ),
        (
            "completion/complete",
            r#"{"ref":{"type":"ref/resource","uri":"test://{x}/all"},"argument":{"name":"x","value":""}}"#,
        ),
        ("subscriptions/listen", r#"{"notifications":{"resourceSubscriptions":["test://b","test://a"]}}"#),
    ] {
        let reply = ask(&handler, method, params).await;
        assert_eq!(reply.error_body().map(|error| error.code), Some(-32602), "{method} {reply:?}");
        assert!(reply.text().contains("the test refuses"), "{method} {reply:?}");
    }
    let open = ask(
        &open(),
        "completion/complete",
        r#"{"ref":{"type":"ref/prompt","name":"c"},"argument":{"name":"word","value":""}}"#,
    )
    .await;
    assert!(open.text().contains("wonder"), "{open:?}");
}

#[tokio::test]
async fn whole_methods_can_be_refused_and_notifications_are_never_answered() {
    let ran = Arc::new(Mutex::new(Vec::new()));
    let handler = Authorize::new(
        Deny(["tools/list", "notifications/roots/list_changed"].into()),
        Recorder(Arc::clone(&ran)),
    );
    assert_eq!(ask(&handler, "tools/list", "{}").await.kind(), Kind::Error);
    let note = Message::notification("notifications/roots/list_changed", None);
    assert_eq!(handler.call(exchange(note)).await, None);
    assert!(ran.lock().unwrap().is_empty());
}

#[test]
fn every_policy_is_a_revision_of_its_own() {
    let control = Control::open();
    let handler = Authorize::new(control.clone(), Fixed(String::new()));
    let first = handler.revision();
    assert_eq!(handler.revision(), first);
    control.replace(PolicySnapshot::new(Authority::open()));
    let second = handler.revision();
    // The same policy again is another one, wherever it is in memory.
    control.replace(PolicySnapshot::new(Authority::open()));
    assert!(second != first && handler.revision() != second && handler.revision() != first);
}

#[tokio::test]
async fn http_08_headers_of_an_upstreams_tool_must_agree_even_if_an_argument_may_be_null() {
    let properties = r#""region":{"type":["string","null"],"x-mcp-header":"Region"},
        "size":{"type":"integer","x-mcp-header":"Size"},
        "other":{"type":"object","x-mcp-header":"Other"}"#;
    let list = format!(
        r#"{{"jsonrpc":"2.0","id":1,"result":{{"tools":[{{"name":"a","inputSchema":{{"type":"object","properties":{{{properties}}}}}}}]}}}}"#
    );
    let handler = Authorize::new(Deny(BTreeSet::new()), Fixed(list));
    for (arguments, headers, code) in [
        (r#"{"region":"eu","size":1}"#, &[("region", "eu"), ("size", "1")][..], None),
        (r#"{"region":null,"size":1}"#, &[("size", "1")], None),
        (r#"{"region":"eu","size":1}"#, &[("region", "us"), ("size", "1")], Some(-32020)),
        (r#"{"region":"eu","size":1}"#, &[("size", "1")], Some(-32020)),
        (r#"{"region":null,"size":1}"#, &[("region", "us"), ("size", "1")], Some(-32020)),
        (r#"{"size":2}"#, &[("size", "1")], Some(-32020)),
    ] {
        let params = format!(r#"{{"name":"a","arguments":{arguments}}}"#);
        let message = Message::request(&Id::from(1), "tools/call", Some(Json::parse(&params).unwrap()));
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let call = Exchange { param_headers: Some(headers.collect()), ..exchange(message) };
        let answer = handler.call(call).await.unwrap();
        assert_eq!(answer.error_body().map(|error| error.code), code, "{params}: {answer:?}");
    }
}

/// G-58: a call whose tool can't be looked up says why, that it was not sent, and when to try
/// again.
#[tokio::test]
async fn g_58_a_server_whose_tools_can_not_be_listed_is_explained() {
    for (error, code, data) in [
        (
            r#"{"code":1503,"message":"it can't be reached","data":{"upstream":"x","executed":"unknown","retryAfterMs":250}}"#,
            1503,
            r#"{"upstream":"server","executed":"no","retryAfterMs":250}"#,
        ),
        (r#"{"code":-32603,"message":"oops"}"#, 1500, r#"{"upstream":"server","executed":"no"}"#),
    ] {
        let failing = Fixed(format!(r#"{{"jsonrpc":"2.0","id":0,"error":{error}}}"#));
        let handler = Authorize::new(Deny([].into()), failing);
        let told = ask(&handler, "tools/call", r#"{"name":"a"}"#).await.error_body().unwrap();
        assert_eq!((told.code, told.data.unwrap().as_str()), (code, data), "{}", told.message);
        assert!(told.message.contains("can't be listed"), "{}", told.message);
        assert!(
            told.message.contains("can't be reached") || told.message.contains("oops"),
            "{}",
            told.message
        );
    }
}

// === test fixtures ===

/// Answers every request with the same text.
struct Fixed(String);

impl Endpoint for Fixed {
    fn call(&self, _: Admitted) -> BoxFuture<'_, Option<Message>> {
        let message = Message::parse(self.0.clone().into_bytes(), &Limits::default()).unwrap();
        Box::pin(std::future::ready(Some(message)))
    }

    fn description(&self) -> &ServerDescription {
        static DESCRIPTION: LazyLock<ServerDescription> = LazyLock::new(|| ServerDescription::new("server"));
        &DESCRIPTION
    }
}

/// Notes what reaches it.
struct Recorder(Arc<Mutex<Vec<String>>>);

impl Endpoint for Recorder {
    fn call(&self, admitted: Admitted) -> BoxFuture<'_, Option<Message>> {
        let message = &admitted.exchange().message;
        self.0.lock().unwrap().push(message.method().unwrap().name().to_owned());
        let tools = r#"{"tools":[{"name":"a","inputSchema":{}},{"name":"b","inputSchema":{}}]}"#;
        let reply = message.id().map(|id| Message::result(id, JsonBuf::parse(tools).unwrap().as_json()));
        Box::pin(std::future::ready(reply))
    }

    fn description(&self) -> &ServerDescription {
        static DESCRIPTION: LazyLock<ServerDescription> = LazyLock::new(|| ServerDescription::new("server"));
        &DESCRIPTION
    }
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Nothing {}

fn toolbox() -> Arc<impl Endpoint> {
    let mut toolbox = Toolbox::new(Server::new("shown", "1.0.0", "Only for tests."));
    for name in ["a", "b"] {
        let run = |_: Nothing, _| async { Ok::<_, ToolError>(vec![Content::text("ran")]) };
        toolbox = toolbox.tool(Tool::content(name, "Does nothing.", run));
    }
    for name in ["c", "d"] {
        let get = |_, _| async { Ok(PromptReply::new().message(Role::User, Content::text("got"))) };
        let prompt = Prompt::new(name, "Says nothing.", get).optional("word", "Any word.");
        toolbox = toolbox.prompt(prompt.complete("word", |_| vec!["wonder".into()]));
    }
    for uri in ["test://a", "test://b", "test://c"] {
        let read = |_| async { Ok(ResourceContents::text("text/plain", "read")) };
        toolbox = toolbox.resource(Resource::new(uri, uri, read));
    }
    let read = |_, _| async { Ok(ResourceContents::text("text/plain", "read")) };
    let template =
        ResourceTemplate::new("test://{x}/all", "all", read).complete("x", |_| vec!["wonder".into()]);
    toolbox.template(template).build().unwrap()
}

fn open() -> impl Handler {
    Authorize::new(Deny(BTreeSet::new()), toolbox())
}

fn exchange(message: Message) -> Exchange {
    let sink: Arc<dyn ClientSink> = Arc::new(NoClient);
    let session = Session::new("session".into(), Principal::local(), Arc::clone(&sink));
    Exchange::new(message, session, sink).unwrap()
}

async fn ask(handler: &dyn Handler, method: &str, params: &str) -> Message {
    let params = JsonBuf::parse(params).unwrap();
    let message = Message::request(&Id::from(1), Method::of(method).name(), Some(params.as_json()));
    handler.call(exchange(message)).await.unwrap()
}

fn names(list: &Message, kind: &Listed) -> Vec<String> {
    let entries = list.result_body().get(kind.member).value().unwrap();
    entries.elements().map(|entry| entry.get(kind.key).string().unwrap().into_owned()).collect()
}
