//! A person consents in a browser: authorization code with PKCE.
use overt_auth::{AuthError, Consent, RegisteredClient};
use overt_testkit::oauth::{Habits, World};
use overt_transport::client::{ClientError, Secret};
use serde_json::json;

use super::kit::{LoginFixture, Person, call, mode};

#[tokio::test]
async fn a_login_lasts() {
    let world = World::start(Habits::default());
    let fixture = LoginFixture::new(&world);
    let person = Person::agreeing();
    let issued = fixture.login(&fixture.with(&person)).await.unwrap();
    assert_eq!((issued.scopes.as_slice(), person.was_asked()), (&["basic".to_owned()][..], 1));
    assert_eq!(fixture.kept(), Some(issued));
    for file in fixture.files() {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
    assert_eq!(mode(&fixture.folder()), 0o700);

    let before = world.requests().len();
    let client = fixture.connect(&fixture.stored()).await.unwrap();
    call(&client, "narrow").await.unwrap();
    client.close().await;
    let after = &world.requests()[before..];
    assert!(after.iter().all(|request| request.path == "/mcp"), "nobody is asked about a valid token");
}

#[tokio::test]
async fn without_a_login_the_error_says_how() {
    let world = World::start(Habits::default());
    let fixture = LoginFixture::new(&world);
    let error = fixture.connect(&fixture.stored()).await.unwrap_err();
    assert!(matches!(error, ClientError::Unauthorized { .. }), "{error}");
    assert_eq!(error.hint().as_deref(), Some("log in with the tests"));
    assert_eq!(world.count("/authorize"), 0);
}

#[tokio::test]
async fn tokens_that_others_can_read_are_not_sent() {
    let world = World::start(Habits::default());
    let fixture = LoginFixture::new(&world);
    fixture.logged_in().await;
    let file = &fixture.files()[0];
    std::fs::set_permissions(file, std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
    let error = fixture.connect(&fixture.stored()).await.unwrap_err();
    assert!(super::kit::whole(&error).contains("others can read"), "{error:?}");
    assert!(error.hint().unwrap().contains("chmod 600"));
}

#[tokio::test]
async fn a_conversation_can_ask_by_itself() {
    let world = World::start(Habits::default());
    let fixture = LoginFixture::new(&world);
    let person = Person::agreeing();
    let client = fixture.connect(&fixture.with(&person)).await.unwrap();
    call(&client, "narrow").await.unwrap();
    assert_eq!(person.was_asked(), 1);
    assert!(fixture.kept().is_some());
}

#[tokio::test]
async fn an_answer_with_a_wrong_state_is_refused_and_the_right_one_still_counts() {
    let world = World::start(Habits::default());
    let fixture = LoginFixture::new(&world);
    let person = Person::answering(vec![
        |address| address.replace("state=", "state=x"),
        |address| address.split("&state").next().unwrap_or_default().to_owned(),
        |address| address,
    ]);
    fixture.login(&fixture.with(&person)).await.unwrap();
    assert_eq!(world.count("/token"), 1, "a code without our state is not used");
}

#[tokio::test]
async fn an_answer_of_another_issuer_is_refused() {
    for answer in [(|address| address.replace("&iss=", "&iss=x")) as fn(String) -> String, |address| {
        address.split("&iss").next().unwrap_or_default().to_owned()
    }] {
        let world = World::start(Habits::default());
        let fixture = LoginFixture::new(&world);
        let outcome = fixture.login(&fixture.with(&Person::answering(vec![answer]))).await;
        assert!(matches!(outcome, Err(AuthError::WrongIssuer)), "{outcome:?}");
        assert_eq!(world.count("/token"), 0);
    }
}

#[tokio::test]
async fn a_person_can_say_no() {
    let world = World::start(Habits::default());
    let fixture = LoginFixture::new(&world);
    let no = Person::answering(vec![|address| address.replace("code=", "error=access_denied&x=")]);
    let error = fixture.login(&fixture.with(&no)).await.unwrap_err();
    assert!(super::kit::whole(&error).contains("`access_denied`"), "{error:?}");
}

#[tokio::test]
async fn a_client_can_be_registered_by_hand() {
    let no_registration = json!({ "registration_endpoint": null });
    let world = World::start(Habits { server_metadata: no_registration, ..Habits::default() });
    let fixture = LoginFixture::new(&world);
    let person = Person::agreeing();
    let outcome = fixture.login(&fixture.with(&person)).await;
    assert!(matches!(outcome, Err(AuthError::NoRegistration)), "{outcome:?}");

    let (id, secret) = World::known_client();
    let client = RegisteredClient { id: id.into(), secret: Some(Secret::new(secret)) };
    let mut settings = fixture.settings();
    settings.client = Some(client);
    let oauth = fixture.oauth(settings, Consent::Ask(Person::agreeing()));
    let issued = fixture.login(&oauth).await.unwrap();
    assert_eq!(
        (issued.client_id.as_str(), issued.client_secret),
        (id, None),
        "the user's secret is not kept"
    );
}

#[tokio::test]
async fn v_14_a_server_without_pkce_is_not_used() {
    // A server that doesn't say which methods it has may ignore the challenge.
    for methods in [json!(["plain"]), json!([]), json!(null)] {
        let metadata = json!({ "code_challenge_methods_supported": methods });
        let world = World::start(Habits { server_metadata: metadata, ..Habits::default() });
        let fixture = LoginFixture::new(&world);
        let person = Person::agreeing();
        let outcome = fixture.login(&fixture.with(&person)).await;
        assert!(matches!(outcome, Err(AuthError::NoPkce)), "{methods} {outcome:?}");
        assert_eq!(person.was_asked(), 0, "{methods}");
    }
}
