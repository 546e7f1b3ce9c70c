//! A tool that changes while the gateway runs: its headers and the decision about it follow the
//! definition that was listed last.
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use overt_gateway::pins::{Identity, PinGuard, PinMode, PinStore};
use overt_gateway::{Gateway, Options};
use overt_layers::Control;
use overt_transport::client::{HttpTarget, Target};
use overt_wire::json::{JsonBuf, Limits};
use overt_wire::param_headers::HeaderAnnotations;
use overt_wire::{BoxFuture, Exchange, Handler, Message, Method, NoClient, Principal, Session};
use serde_json::{Value, json};

use crate::web::{Web, modern_body};

/// A modern server with one tool.
struct Upstream {
    schema: Mutex<Value>,
    calls: AtomicUsize,
}

impl Upstream {
    fn answer(&self, exchange: &Exchange) -> Message {
        let schema = JsonBuf::from(&json!({ "inputSchema": *self.schema.lock().unwrap() }));
        let schema = schema.as_json();
        let result = match exchange.message.method() {
            Some(Method::ToolsList) => {
                let tool = json!({ "name": "t", "inputSchema": *self.schema.lock().unwrap() });
                json!({ "tools": [tool], "ttlMs": 0, "cacheScope": "private" })
            }
            Some(Method::ToolsCall) => {
                let headers = exchange.param_headers.clone().unwrap();
                let annotations = HeaderAnnotations::of(schema.get("inputSchema"));
                if let Err(error) = annotations.check(&headers, exchange.message.arguments()) {
                    return Message::error(exchange.message.id(), &error);
                }
                self.calls.fetch_add(1, Ordering::Relaxed);
                json!({ "content": [] })
            }
            _ => {
                json!({ "supportedVersions": ["2026-07-28"], "capabilities": { "tools": {} }, "ttlMs": 0, "cacheScope": "private" })
            }
        };
        let mut result = result;
        result["resultType"] = json!("complete");
        Message::result(exchange.message.id().unwrap(), JsonBuf::from(&result).as_json())
    }
}

impl Handler for Upstream {
    fn call(&self, exchange: Exchange) -> BoxFuture<'_, Option<Message>> {
        Box::pin(std::future::ready(exchange.message.id().is_some().then(|| self.answer(&exchange))))
    }
}

#[tokio::test]
async fn http_08_a_redefined_tool_is_called_and_judged_as_it_was_listed_last() {
    let upstream = Arc::new(Upstream { schema: Mutex::new(json!({ "type": "object" })), calls: 0.into() });
    let web = Web::serve(Arc::<Upstream>::clone(&upstream)).await;
    let target = Target::Http(HttpTarget::new(format!("http://{}/mcp", web.address)));
    let state = tempfile::tempdir().unwrap();
    let store = PinStore::new(state.path());
    let pins = PinGuard::new(PinMode::Warn, store, Identity::of(&target, None), Arc::new(|_| {}));
    let gateway = Gateway::new(target, Options { pins: Some(pins.clone()), ..Options::new("up") });
    let handler = overt_layers::build(gateway, Control::open().veto(pins));
    let session = Session::new("session".into(), Principal::local(), Arc::new(NoClient));
    let call = async |headers: &[(&str, &str)]| {
        let body = modern_body(1, "tools/call", json!({ "name": "t", "arguments": { "region": "eu" } }));
        let message = Message::parse(body.to_string().into_bytes(), &Limits::default()).unwrap();
        let exchange = Exchange::new(message, Arc::clone(&session), Arc::new(NoClient)).unwrap();
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let exchange = Exchange { param_headers: Some(headers.collect()), ..exchange };
        handler.call(exchange).await.unwrap().error_code()
    };
    assert_eq!(call(&[]).await, None);
    // The server wants a header from now on, and tells nobody.
    *upstream.schema.lock().unwrap() = json!({
        "type": "object", "properties": { "region": { "type": "string", "x-mcp-header": "Region" } }
    });
    assert_eq!(call(&[]).await, None, "the gateway lists the tools again, and adds the header");
    assert_eq!(upstream.calls.load(Ordering::Relaxed), 2);
    assert_eq!(call(&[("region", "us")]).await, Some(-32020));
    assert_eq!(upstream.calls.load(Ordering::Relaxed), 2, "the call was refused before the server");
    assert_eq!(call(&[("region", "eu")]).await, None);
    web.stop().await;
}
