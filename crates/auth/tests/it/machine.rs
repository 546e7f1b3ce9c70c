//! Client credentials: our own secret, without a person.
use overt_auth::{Consent, Flow, OAuthSettings, RegisteredClient};
use overt_testkit::oauth::{Habits, World};
use overt_transport::client::Secret;
use serde_json::json;

use super::kit::{LoginFixture, call, whole};

fn settings(fixture: &LoginFixture<'_>, secret: &str) -> OAuthSettings {
    let client = RegisteredClient { id: World::known_client().0.into(), secret: Some(Secret::new(secret)) };
    let mut settings = fixture.settings();
    (settings.flow, settings.client) = (Flow::ClientCredentials, Some(client));
    settings
}

#[tokio::test]
async fn tokens_are_got_renewed_and_widened_without_a_person() {
    for methods in [json!(["client_secret_basic"]), json!(["client_secret_post"]), json!(null)] {
        let metadata = json!({ "token_endpoint_auth_methods_supported": methods });
        let world = World::start(Habits { server_metadata: metadata, ..Habits::default() });
        let fixture = LoginFixture::new(&world);
        let oauth = fixture.oauth(settings(&fixture, World::known_client().1), Consent::Never);
        let client = fixture.connect(&oauth).await.unwrap();
        call(&client, "narrow").await.unwrap();
        assert_eq!(fixture.kept().unwrap().scopes, ["basic"]);
        call(&client, "wide").await.unwrap();
        assert_eq!(fixture.kept().unwrap().scopes, ["basic", "wide"]);
        assert_eq!((world.count("/token"), world.count("/authorize")), (2, 0));
        assert_eq!(fixture.kept().unwrap().client_secret, None, "the user's secret is not kept");
    }
}

#[tokio::test]
async fn a_wrong_secret_is_not_repeated() {
    let world = World::start(Habits::default());
    let fixture = LoginFixture::new(&world);
    let oauth = fixture.oauth(settings(&fixture, "wr0ng"), Consent::Never);
    let error = fixture.connect(&oauth).await.unwrap_err();
    let text = whole(&error);
    assert!(text.contains("`invalid_client`") && !text.contains("wr0ng"), "{text}");
}
