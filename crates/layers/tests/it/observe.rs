//! Observers see each request once, however it ends, and the messages to the client; tests of
//! spans.
use std::sync::{Arc, Mutex};
use std::time::Duration;

use overt_layers::observe::{Call, Direction, End, Observer, ObserverNeeds, Outcome, Target, Text};
use overt_layers::{Gate, observed};
use overt_wire::json::{Json, JsonBuf, Limits};
use overt_wire::{
    BoxFuture, ClientSink, Closed, Document, DocumentRequest, ErrorObject, Exchange, Handler, Id, Message,
    Method, NoDocument, Principal, Session, TraceParent,
};

const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";

/// Records what it observes, one line each.
#[derive(Default)]
struct Notebook {
    needs: ObserverNeeds,
    lines: Mutex<Vec<String>>,
}

/// A server whose tools do what their names say.
struct Inside {
    seen: Mutex<Vec<String>>,
}

/// A client that answers every question.
struct Client;

impl Notebook {
    fn new(needs: ObserverNeeds) -> Arc<Self> {
        Arc::new(Self { needs, lines: Mutex::default() })
    }

    fn write(&self, line: String) {
        self.lines.lock().unwrap().push(line);
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.lines.lock().unwrap())
    }
}

impl Observer for Notebook {
    fn needs(&self) -> ObserverNeeds {
        self.needs
    }

    fn began(&self, call: &Call, text: Text<'_>) {
        assert_eq!(call.bytes, text.len());
        let target = call.details.as_ref().and_then(|details| details.target.clone());
        let target = target.map(|target| match target {
            Target::Tool(name) => format!(" tool {name}"),
            Target::Prompt(name) => format!(" prompt {name}"),
            Target::Resource(uri) => format!(" resource {uri}"),
        });
        let way = way(call);
        self.write(format!("{way} {}{} s{}", call.method_class(), target.unwrap_or_default(), call.session));
        if let Some(span) = &call.span {
            self.write(format!(
                "span {} parent {:02x?} state {:?}",
                span.trace_parent, span.parent, span.trace_state
            ));
        }
    }

    fn ended(&self, call: &Call, end: &End<'_>) {
        assert_eq!(end.answer.is_some(), end.outcome != Outcome::Cancelled && !self.is_panic(end));
        self.write(format!("{} {} {:?}", way(call), call.method_class(), end.outcome));
    }

    fn notified(&self, call: &Call, message: &Message) {
        self.write(format!("{} note {} {}", way(call), call.method_class(), message.text().len()));
    }

    fn session_began(&self, session: u64) {
        self.write(format!("session {session} began"));
    }

    fn session_ended(&self, session: u64) {
        self.write(format!("session {session} ended"));
    }
}

impl Notebook {
    fn is_panic(&self, end: &End<'_>) -> bool {
        end.outcome == Outcome::Error(-32603) && end.answer.is_none()
    }
}

fn way(call: &Call) -> &'static str {
    match call.direction {
        Direction::ToServer => "->",
        Direction::ToClient => "<-",
    }
}

impl Handler for Inside {
    fn call(&self, exchange: Exchange) -> BoxFuture<'_, Option<Message>> {
        self.seen.lock().unwrap().push(exchange.message.text().to_owned());
        let name = exchange.message.param("name").string().map(std::borrow::Cow::into_owned);
        Box::pin(async move {
            let id = exchange.message.id().cloned()?;
            let result = |text: &str| Some(Message::result(&id, Json::parse(text).unwrap()));
            match name.as_deref() {
                Some("fails") => result(r#"{"content":[],"isError":true}"#),
                Some("is_wrong") => Some(Message::error(Some(&id), &ErrorObject::invalid_params("no"))),
                Some("hangs") => std::future::pending().await,
                Some("panics") => panic!("as it was told"),
                Some("talks") => {
                    let note = Message::notification(Method::Progress.name(), None);
                    exchange.sink.notify(note).await.unwrap();
                    exchange.session.sink().notify(Message::notification("x/y", None)).await.unwrap();
                    exchange.sink.request("roots/list", None).await.unwrap();
                    result("{}")
                }
                _ => result(r#"{"content":[]}"#),
            }
        })
    }

    fn document(&self, request: DocumentRequest) -> BoxFuture<'_, Result<Document, NoDocument>> {
        let (media_type, text) = ("text/plain".into(), request.path.into());
        Box::pin(std::future::ready(Ok(Document { media_type, text, max_age: Duration::ZERO })))
    }
}

impl ClientSink for Client {
    fn notify(&self, _message: Message) -> BoxFuture<'_, Result<(), Closed>> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn request(&self, _method: &str, _params: Option<Json<'_>>) -> BoxFuture<'_, Result<Message, Closed>> {
        let answer = Message::result(&Id::from(1), JsonBuf::empty_object().as_json());
        Box::pin(std::future::ready(Ok(answer)))
    }
}

fn handler(needs: ObserverNeeds) -> (Arc<dyn Handler>, Arc<Notebook>, Arc<Inside>) {
    let (notebook, inside) = (Notebook::new(needs), Arc::new(Inside { seen: Mutex::default() }));
    let handler = observed(Arc::<Inside>::clone(&inside), vec![Arc::<Notebook>::clone(&notebook)]);
    (handler, notebook, inside)
}

fn exchange(session: &Arc<Session>, text: &str) -> Exchange {
    let message = Message::parse(text.as_bytes().to_vec(), &Limits::default()).unwrap();
    Exchange::new(message, Arc::clone(session), Arc::new(Client)).unwrap()
}

fn tool_call(session: &Arc<Session>, name: &str) -> Exchange {
    let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{name}"}}}}"#);
    exchange(session, &text)
}

fn session() -> Arc<Session> {
    Session::new("a-secret-id".into(), Principal::local(), Arc::new(Client))
}

#[tokio::test]
async fn every_request_is_seen_to_its_end() {
    let (handler, notebook, _) = handler(ObserverNeeds { details: true, spans: false });
    let session = session();
    for name in ["works", "fails", "is_wrong"] {
        handler.call(tool_call(&session, name)).await.unwrap();
    }
    let text = r#"{"jsonrpc":"2.0","id":1,"method":"made/up","params":{}}"#;
    handler.call(exchange(&session, text)).await.unwrap();
    assert_eq!(
        notebook.take(),
        [
            "session 1 began",
            "-> tools/call tool works s1",
            "-> tools/call Ok",
            "-> tools/call tool fails s1",
            "-> tools/call ToolError",
            "-> tools/call tool is_wrong s1",
            "-> tools/call Error(-32602)",
            "-> other s1",
            "-> other Ok",
        ]
    );
}

#[tokio::test]
async fn what_is_dropped_or_panics_ends_too() {
    let (handler, notebook, _) = handler(ObserverNeeds::default());
    let session = session();
    let mut hanging = handler.call(tool_call(&session, "hangs"));
    let waker = std::task::Waker::noop();
    assert!(hanging.as_mut().poll(&mut std::task::Context::from_waker(waker)).is_pending());
    drop(hanging);
    let panicking = Arc::clone(&handler);
    let call = tool_call(&session, "panics");
    assert!(tokio::spawn(async move { panicking.call(call).await }).await.is_err());
    drop(session);
    assert_eq!(
        notebook.take(),
        [
            "session 1 began",
            "-> tools/call s1",
            "-> tools/call Cancelled",
            "-> tools/call s1",
            "-> tools/call Error(-32603)",
            "session 1 ended",
        ]
    );
}

#[tokio::test]
async fn what_goes_to_the_client_is_seen() {
    let (handler, notebook, _) = handler(ObserverNeeds::default());
    let session = session();
    handler.call(tool_call(&session, "talks")).await.unwrap();
    let note = r#"{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}"#;
    assert_eq!(handler.call(exchange(&session, note)).await, None);
    assert_eq!(
        notebook.take(),
        [
            "session 1 began",
            "-> tools/call s1",
            "<- note notifications/progress 51",
            "<- note other 32",
            "<- roots/list s1",
            "<- roots/list Ok",
            "-> tools/call Ok",
            "-> note notifications/roots/list_changed 61",
        ]
    );
}

#[tokio::test]
async fn without_spans_the_message_passes_as_it_came() {
    let (handler, _, inside) = handler(ObserverNeeds { details: true, spans: false });
    let text = format!(
        r#"{{ "jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"_meta":{{"traceparent":"{PARENT}"}}}}}}"#
    );
    handler.call(exchange(&session(), &text)).await.unwrap();
    assert_eq!(*inside.seen.lock().unwrap(), [text]);
}

#[tokio::test]
async fn spans_follow_the_client_and_lead_the_server() {
    let parent = TraceParent::parse(PARENT).unwrap();
    let with_meta = |meta: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"x","_meta":{meta}}}}}"#)
    };
    // The trace that the client names in the message, the one that it names in a header, and the
    // trace that the server sees.
    for (meta, header, expected) in [
        (format!(r#"{{"traceparent":"{PARENT}","tracestate":"a=b"}}"#), None, Some(parent.trace_id)),
        ("{}".to_owned(), Some(parent), Some(parent.trace_id)),
        (
            format!(r#"{{"traceparent":"{PARENT}"}}"#),
            Some(TraceParent::root([7; 16], [7; 8])),
            Some(parent.trace_id),
        ),
        ("{}".to_owned(), None, None),
        (r#"{"traceparent":"nonsense"}"#.to_owned(), None, None),
    ] {
        let (handler, notebook, inside) = handler(ObserverNeeds { details: false, spans: true });
        let exchange = Exchange { trace_parent: header, ..exchange(&session(), &with_meta(&meta)) };
        handler.call(exchange).await.unwrap();
        let seen = inside.seen.lock().unwrap().remove(0);
        let onward = Message::parse(seen.into_bytes(), &Limits::default()).unwrap();
        let told = onward.meta().get("traceparent").string().unwrap().into_owned();
        let own = TraceParent::parse(&told).unwrap();
        let lines = notebook.take();
        assert!(lines.iter().any(|line| line.contains(&format!("span {told}"))), "{lines:?}");
        assert_ne!(own.span_id, parent.span_id);
        match expected {
            Some(trace_id) => {
                assert_eq!(own.trace_id, trace_id);
                assert!(lines.iter().any(|line| line.contains("parent Some([00, f0, 67")), "{lines:?}");
            }
            None => assert_ne!(own.trace_id, parent.trace_id),
        }
        let state = meta.contains("tracestate");
        assert_eq!(lines.iter().any(|line| line.contains(r#"state Some("a=b")"#)), state);
        assert_eq!(onward.meta().get("tracestate").string().is_some(), state);
    }
}

#[tokio::test]
async fn a_trace_that_the_client_does_not_record_is_left_alone() {
    let (handler, notebook, inside) = handler(ObserverNeeds { details: false, spans: true });
    let text = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{"_meta":{{"traceparent":"{}"}}}}}}"#,
        PARENT.replace("-01", "-00")
    );
    handler.call(exchange(&session(), &text)).await.unwrap();
    assert_eq!(*inside.seen.lock().unwrap(), [text]);
    assert_eq!(
        notebook.take(),
        ["session 1 began", "-> tools/list s1", "-> tools/list Ok", "session 1 ended"]
    );
}

#[tokio::test]
async fn without_observers_nothing_is_added() {
    let inside: Arc<dyn Handler> = Arc::new(Inside { seen: Mutex::default() });
    assert!(Arc::ptr_eq(&inside, &observed(Arc::clone(&inside), Vec::new())));
}

#[tokio::test]
async fn documents_pass_the_gate_and_are_no_calls() {
    let (inside, notebook) = (Inside { seen: Mutex::default() }, Notebook::new(ObserverNeeds::default()));
    let handler = observed(Arc::new(Gate::new(inside)), vec![Arc::<Notebook>::clone(&notebook)]);
    let request = DocumentRequest {
        path: "/llms.txt".into(),
        mcp_url: "http://localhost/mcp".into(),
        mcp_path: "/mcp".into(),
    };
    assert_eq!(&*handler.document(request).await.unwrap().text, "/llms.txt");
    assert_eq!(notebook.take(), Vec::<String>::new());
}
