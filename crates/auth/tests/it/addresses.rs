//! Which addresses a server may make us request, and which pages it may show a person (UP-15,
//! UP-16).
use overt_auth::{AuthError, IssuedTokens};
use overt_testkit::oauth::{Habits, World};
use serde_json::{Value, json};

use super::kit::{LoginFixture, Person, call, whole};

/// Tries to log in at a server with this metadata. Also returns how often the person was asked.
async fn attempt(resource: Value, server: Value) -> (Result<IssuedTokens, AuthError>, usize) {
    let world =
        World::start(Habits { resource_metadata: resource, server_metadata: server, ..Habits::default() });
    let fixture = LoginFixture::new(&world);
    let person = Person::agreeing();
    let outcome = fixture.login(&fixture.with(&person)).await;
    (outcome, person.was_asked())
}

#[tokio::test]
async fn up_15_metadata_can_not_send_us_to_private_addresses() {
    for host in [
        "https://169.254.169.254",
        "https://10.0.0.1",
        "https://192.168.1.1:6379",
        "https://172.16.0.1",
        "https://100.64.0.1",
        "https://[fd12::1]",
        "https://[fe80::1]",
        "https://[::ffff:10.0.0.1]",
        "https://0xa000001",
        "https://167772161",
        "https://10.1",
        "http://example.com",
        "file:///etc",
    ] {
        let (outcome, asked) = attempt(json!({ "authorization_servers": [host] }), json!({})).await;
        assert!(outcome.is_err() && asked == 0, "{host}: {outcome:?}");
        let (outcome, asked) =
            attempt(json!({}), json!({ "registration_endpoint": format!("{host}/register") })).await;
        assert!(outcome.is_err() && asked == 0, "{host}: {outcome:?}");
        let (outcome, asked) = attempt(json!({}), json!({ "token_endpoint": format!("{host}/token") })).await;
        assert!(outcome.is_err() && asked <= 1, "{host}: {outcome:?}");
    }
}

#[tokio::test]
async fn up_15_the_error_says_what_to_do() {
    let (outcome, _) = attempt(json!({}), json!({ "token_endpoint": "https://10.0.0.1/token" })).await;
    let error = outcome.unwrap_err();
    assert!(whole(&error).contains("`https://10.0.0.1` is at 10.0.0.1"), "{error:?}");
    assert!(error.hint().unwrap().contains("--allow-private-auth"));
}

#[tokio::test]
async fn up_15_a_token_request_is_not_redirected() {
    let other = World::start(Habits::default());
    let token_redirect = Some(format!("{}/token", other.url));
    let world = World::start(Habits { token_redirect, ..Habits::default() });
    let fixture = LoginFixture::new(&world);
    let outcome = fixture.login(&fixture.with(&Person::agreeing())).await;
    assert!(matches!(outcome, Err(AuthError::Request(_))), "{outcome:?}");
    assert!(other.requests().is_empty());
}

#[tokio::test]
async fn up_15_metadata_of_another_resource_is_not_used() {
    let (outcome, asked) = attempt(json!({ "resource": "https://other.example/mcp" }), json!({})).await;
    assert!(outcome.is_err() && asked == 0, "{outcome:?}");
    let (outcome, asked) = attempt(json!({}), json!({ "issuer": "https://other.example" })).await;
    assert!(outcome.is_err() && asked == 0, "{outcome:?}");
}

#[tokio::test]
async fn up_15_metadata_is_read_up_to_a_limit() {
    let long = "x".repeat(1 << 20);
    let (outcome, _) = attempt(json!({}), json!({ "service_documentation": long })).await;
    assert!(whole(&outcome.unwrap_err()).contains("over the limit"));
}

#[tokio::test]
async fn up_16_only_web_pages_are_put_before_a_person() {
    for page in [
        "javascript:alert(1)",
        "file:///bin/sh",
        "data:text/html,x",
        "x-app://open",
        "http://example.com/authorize",
        "https://169.254.169.254/authorize",
        "https://user:pw@example.com/authorize",
        "--version",
        "$(touch /tmp/x)",
    ] {
        let (outcome, asked) = attempt(json!({}), json!({ "authorization_endpoint": page })).await;
        assert!(matches!(outcome, Err(AuthError::Page(_))) && asked == 0, "{page}: {outcome:?}");
    }
}

#[tokio::test]
async fn up_16_what_a_shell_would_obey_is_encoded() {
    let world = World::start(Habits::default());
    let origin = world.url.strip_suffix("/mcp").unwrap().to_owned();
    let page = format!("{origin}/authorize?x=$(touch a);`id`&y=\" 'z'|\r\n\u{202e}");
    world.change(|habits| habits.server_metadata = json!({ "authorization_endpoint": page }));
    let fixture = LoginFixture::new(&world);
    let person = Person::agreeing();
    fixture.login(&fixture.with(&person)).await.unwrap();
    let shown = person.shown.lock().unwrap()[0].clone();
    assert!(shown.bytes().all(|byte| byte.is_ascii_graphic()) && shown.starts_with(&origin), "{shown}");
    let client = fixture.connect(&fixture.stored()).await.unwrap();
    call(&client, "narrow").await.unwrap();
}
