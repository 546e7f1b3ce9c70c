//! What of a client's request reaches an upstream: none of the client's credentials (UP-14).
use std::sync::Arc;

use overt_gateway::{Gateway, Options};
use overt_testkit::http_raw::{Connection, Request};
use overt_testkit::oauth::{Habits, World};
use overt_transport::client::{Credentials, HttpTarget, Target};
use overt_transport::http::{self, Authenticate, Server};
use overt_wire::{BoxFuture, Principal};

use super::kit::LoginFixture;

/// Accepts the client's token at our server. The upstream must not receive it.
#[derive(Debug)]
struct AnyToken;

impl Authenticate for AnyToken {
    fn token_holder<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Option<Principal>> {
        Box::pin(std::future::ready(Some(Principal::token_holder("any"))))
    }
}

#[tokio::test]
async fn up_14_a_client_s_credentials_stay_with_us() {
    let world = World::start(Habits::default());
    let fixture = LoginFixture::new(&world);
    let ours = fixture.logged_in().await;
    let before = world.requests().len();
    let credentials: Arc<dyn Credentials> = Arc::new(fixture.stored());
    let target = HttpTarget { credentials: Some(credentials), ..HttpTarget::new(&world.url) };
    let gateway = Gateway::new(Target::Http(target), Options::new("protected"));
    let options = http::Options { tokens: Arc::new(AnyToken), ..http::Options::default() };
    let server = Server::bind("127.0.0.1:0".parse().unwrap(), options).await.unwrap();
    let address =
        server.url().strip_prefix("http://").unwrap().strip_suffix("/mcp").unwrap().parse().unwrap();
    tokio::spawn(server.serve(overt_layers::open(gateway), std::future::pending()));

    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"narrow","arguments":{},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}}}}"#;
    let request = Request::post(body)
        .header("MCP-Protocol-Version", "2026-07-28")
        .header("Mcp-Method", "tools/call")
        .header("Mcp-Name", "narrow")
        .header("Authorization", "Bearer of-the-client")
        .header("Proxy-Authorization", "Basic of-the-client")
        .header("Cookie", "session=of-the-client")
        .header("X-Forwarded-For", "203.0.113.9")
        .header("Forwarded", "for=203.0.113.9")
        .header("X-Api-Key", "of-the-client")
        .header("Mcp-Param-Of-The-Client", "x")
        .header("Mcp-Session-Id", "of-the-client");
    let mut connection = Connection::open(address).await;
    let (head, answer) = connection.ask(&request).await;
    assert_eq!(head.status, 200, "{answer}");

    let seen = world.requests();
    let calls: Vec<_> = seen[before..].iter().filter(|request| request.body.contains("tools/call")).collect();
    assert_eq!(calls.len(), 1);
    for request in &seen[before..] {
        let text = format!("{request:?}").to_lowercase();
        for foreign in ["of-the-client", "203.0.113.9", "cookie", "x-api-key", "forwarded"] {
            assert!(!text.contains(foreign), "{foreign}: {text}");
        }
        assert_eq!(request.header("authorization"), Some(format!("Bearer {}", ours.access_token).as_str()));
    }
}
