//! Tokens that expire, are revoked, or have too few scopes.
use std::sync::Arc;

use overt_auth::{IssuedTokens, TokenStore as _};
use overt_testkit::oauth::{Habits, World};
use overt_transport::client::ClientError;

use super::kit::{LoginFixture, Person, call, whole};

#[tokio::test]
async fn a_token_is_renewed_before_it_ends() {
    let world = World::start(Habits { token_seconds: 5, client_secret: true, ..Habits::default() });
    let fixture = LoginFixture::new(&world);
    let old = fixture.logged_in().await;
    assert!(old.client_secret.is_some(), "a secret from our own registration is kept for this");
    world.change(|habits| habits.token_seconds = 3600);
    let client = fixture.connect(&fixture.stored()).await.unwrap();
    call(&client, "narrow").await.unwrap();
    let new = fixture.kept().unwrap();
    assert_ne!((&new.access_token, &new.refresh_token), (&old.access_token, &old.refresh_token));
    assert_eq!((new.scopes, world.count("/token")), (old.scopes, 2));
    let late = world.requests().iter().any(|request| {
        request.header("authorization").is_some_and(|value| value.ends_with(&old.access_token))
    });
    assert!(!late, "the old one was not sent any more");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refused_token_is_renewed_once_for_all_requests() {
    let world = World::start(Habits::default());
    let fixture = LoginFixture::new(&world);
    fixture.logged_in().await;
    let client = Arc::new(fixture.connect(&fixture.stored()).await.unwrap());
    world.revoke_access();
    let calls: Vec<_> = (0..20)
        .map(|_| {
            let client = Arc::clone(&client);
            tokio::spawn(async move { call(&client, "narrow").await.map(drop) })
        })
        .collect();
    for call in calls {
        call.await.unwrap().unwrap();
    }
    assert_eq!(world.count("/token"), 2, "one for the login, one for all of them");
}

#[tokio::test]
async fn what_another_process_renewed_is_used() {
    let world = World::start(Habits::default());
    let fixture = LoginFixture::new(&world);
    fixture.logged_in().await;
    let (one, two) = (fixture.stored(), fixture.stored());
    let (first, second) = (fixture.connect(&one).await.unwrap(), fixture.connect(&two).await.unwrap());
    world.revoke_access();
    call(&first, "narrow").await.unwrap();
    call(&second, "narrow").await.unwrap();
    assert_eq!(world.count("/token"), 2, "a refresh token can be used once; the second one looked first");
}

#[tokio::test]
async fn when_nothing_helps_the_error_says_how_to_log_in() {
    let world = World::start(Habits::default());
    let fixture = LoginFixture::new(&world);
    fixture.logged_in().await;
    let client = fixture.connect(&fixture.stored()).await.unwrap();
    world.revoke_all();
    let error = call(&client, "narrow").await.unwrap_err();
    assert!(whole(&error).contains("no longer valid"), "{error:?}");
    assert_eq!(error.hint().as_deref(), Some("log in with the tests"));
}

#[tokio::test]
async fn a_person_is_asked_for_more_once() {
    let world = World::start(Habits::default());
    let fixture = LoginFixture::new(&world);
    fixture.logged_in().await;
    let person = Person::agreeing();
    let client = fixture.connect(&fixture.with(&person)).await.unwrap();
    call(&client, "wide").await.unwrap();
    call(&client, "wide").await.unwrap();
    assert_eq!(
        (person.was_asked(), fixture.kept().unwrap().scopes),
        (1, vec!["basic".into(), "wide".into()])
    );
}

#[tokio::test]
async fn a_server_that_is_never_content_does_not_get_a_person_asked_again() {
    let world = World::start(Habits::default());
    let fixture = LoginFixture::new(&world);
    fixture.logged_in().await;
    // The person grants less than what was requested.
    let person = Person::agreeing();
    world.change(|habits| habits.grants_only = Some("basic".into()));
    let client = fixture.connect(&fixture.with(&person)).await.unwrap();
    for _ in 0..3 {
        let error = call(&client, "wide").await.unwrap_err();
        assert!(matches!(error, ClientError::Status { status: 403, .. }), "{error}");
    }
    assert_eq!(person.was_asked(), 1);
}

#[tokio::test]
async fn without_a_person_the_error_names_the_scopes() {
    let world = World::start(Habits::default());
    let fixture = LoginFixture::new(&world);
    fixture.logged_in().await;
    let client = fixture.connect(&fixture.stored()).await.unwrap();
    let error = call(&client, "wide").await.unwrap_err();
    assert!(whole(&error).contains("`wide`"), "{error:?}");
    assert_eq!(error.hint().as_deref(), Some("log in with the tests"));
}

#[tokio::test]
async fn tokens_are_not_shown_to_another_issuer() {
    let world = World::start(Habits::default());
    let fixture = LoginFixture::new(&world);
    let issued = fixture.logged_in().await;
    fixture.store().save(&IssuedTokens { issuer: Some("https://other.example".into()), ..issued }).unwrap();
    let client = fixture.connect(&fixture.stored()).await.unwrap();
    world.revoke_access();
    let error = call(&client, "narrow").await.unwrap_err();
    assert!(whole(&error).contains("not the one that issued"), "{error:?}");
    assert_eq!(world.count("/token"), 1);
}
