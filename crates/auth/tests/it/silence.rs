//! Tokens don't appear in logs, debug output or errors.
use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use overt_testkit::oauth::{Habits, World};
use tracing_subscriber::fmt::MakeWriter;

use super::kit::{LoginFixture, Person, call, whole};

/// Collects everything that is logged.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

#[tokio::test]
async fn tokens_are_seen_nowhere() {
    let log = Log::default();
    let everything = tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_writer(log.clone());
    let _guard = tracing::subscriber::set_default(everything.finish());

    let world = World::start(Habits { client_secret: true, ..Habits::default() });
    let fixture = LoginFixture::new(&world);
    let person = Person::agreeing();
    let mut texts = vec![format!("{:?}", fixture.login(&fixture.with(&person)).await.unwrap())];
    let oauth = fixture.with(&person);
    let client = fixture.connect(&oauth).await.unwrap();
    world.revoke_access();
    call(&client, "narrow").await.unwrap();
    call(&client, "wide").await.unwrap();
    texts.push(format!("{oauth:?} {client:?}"));
    // The error of the token endpoint repeats the request.
    let client = fixture.connect(&fixture.with(&person)).await.unwrap();
    world.revoke_access();
    world.change(|habits| habits.token_error = Some("invalid_request"));
    let error = call(&client, "narrow").await.unwrap_err();
    assert!(whole(&error).contains("`invalid_request`"), "{error:?}");
    texts.push(whole(&error));
    drop(client);

    let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert!(log.contains("logging in") && log.contains("refused; trying"), "{log}");
    texts.push(log);
    let secrets = world.secrets();
    assert!(secrets.len() > 6, "{secrets:?}");
    for secret in secrets {
        for text in &texts {
            assert!(!text.contains(&secret), "{secret} in {text}");
        }
    }
}
