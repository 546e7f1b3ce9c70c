//! A person with a browser, a store, and connections to a protected server.
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use overt_auth::{
    AuthError, Browser, Consent, FileStore, IssuedTokens, OAuth, OAuthSettings, TokenStore, login,
};
use overt_testkit::oauth::{World, agree};
use overt_transport::client::{
    Client, ClientError, ClientOptions, Credentials, HttpTarget, SilentListener, Target,
};
use overt_wire::json::Json;
use overt_wire::{BoxFuture, Message};
use tempfile::TempDir;

/// A person who consents to everything. The browser opens the redirect once for each of `answers`,
/// which may change its address.
pub(super) struct Person {
    pub(super) shown: Mutex<Vec<String>>,
    answers: Vec<fn(String) -> String>,
}

impl Person {
    pub(super) fn agreeing() -> Arc<Self> {
        Self::answering(vec![|address| address])
    }

    pub(super) fn answering(answers: Vec<fn(String) -> String>) -> Arc<Self> {
        Arc::new(Self { shown: Mutex::default(), answers })
    }

    pub(super) fn was_asked(&self) -> usize {
        self.shown.lock().unwrap().len()
    }
}

impl Browser for Person {
    fn show<'a>(&'a self, address: &'a str) -> BoxFuture<'a, Result<(), String>> {
        self.shown.lock().unwrap().push(address.to_owned());
        let (address, answers) = (address.to_owned(), self.answers.clone());
        std::thread::spawn(move || {
            for answer in answers {
                let _ = agree(&address, answer);
            }
        });
        Box::pin(async { Ok(()) })
    }
}

/// A folder for tokens, and the server that issues them.
pub(super) struct LoginFixture<'a> {
    pub(super) world: &'a World,
    state: TempDir,
}

impl<'a> LoginFixture<'a> {
    pub(super) fn new(world: &'a World) -> Self {
        Self { world, state: tempfile::tempdir().unwrap() }
    }

    pub(super) fn settings(&self) -> OAuthSettings {
        let mut settings = OAuthSettings::new(&self.world.url).unwrap();
        settings.how_to_log_in = "log in with the tests".into();
        settings
    }

    pub(super) fn store(&self) -> FileStore {
        FileStore::new(self.state.path(), self.settings().url())
    }

    pub(super) fn kept(&self) -> Option<IssuedTokens> {
        self.store().load().unwrap()
    }

    pub(super) fn oauth(&self, settings: OAuthSettings, consent: Consent) -> OAuth {
        OAuth::new(settings, consent, Arc::new(self.store()))
    }

    /// Uses only tokens that are already stored.
    pub(super) fn stored(&self) -> OAuth {
        self.oauth(self.settings(), Consent::Never)
    }

    pub(super) fn with(&self, person: &Arc<Person>) -> OAuth {
        self.oauth(self.settings(), Consent::Ask(Arc::<Person>::clone(person)))
    }

    pub(super) async fn login(&self, oauth: &OAuth) -> Result<IssuedTokens, AuthError> {
        login(oauth, &HttpTarget::new(&self.world.url), options()).await
    }

    /// Logs in with a person who consents.
    pub(super) async fn logged_in(&self) -> IssuedTokens {
        self.login(&self.with(&Person::agreeing())).await.unwrap()
    }

    pub(super) async fn connect(&self, oauth: &OAuth) -> Result<Client, ClientError> {
        let credentials: Arc<dyn Credentials> = Arc::new(oauth.clone());
        let target = HttpTarget { credentials: Some(credentials), ..HttpTarget::new(&self.world.url) };
        Client::connect(&Target::Http(target), options(), Arc::new(SilentListener)).await
    }

    pub(super) fn folder(&self) -> PathBuf {
        self.state.path().join("auth")
    }

    /// Returns all files in the folder.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.folder()).map(|entries| entries.flatten().collect());
        entries.unwrap_or_else(|_| Vec::new()).iter().map(std::fs::DirEntry::path).collect()
    }
}

pub(super) fn options() -> ClientOptions {
    ClientOptions::new("tests", "1")
}

pub(super) async fn call(client: &Client, tool: &str) -> Result<Message, ClientError> {
    let params = format!(r#"{{"name":"{tool}","arguments":{{}}}}"#);
    client.request("tools/call", Some(Json::parse(&params).unwrap())).await
}

/// Returns an error with all its causes, in the forms for people and for programs.
pub(super) fn whole(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = format!("{error} {error:?}");
    let mut cause = error.source();
    while let Some(error) = cause {
        text += &format!(" / {error}");
        cause = error.source();
    }
    text
}

pub(super) fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(path).unwrap().mode() & 0o777
}
