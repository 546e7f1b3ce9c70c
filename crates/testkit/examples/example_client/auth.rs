//! Authorization for the suite: a browser that agrees to everything, and tokens in memory.
use std::sync::{Arc, Mutex, PoisonError};

use overt_auth::{
    Browser, Consent, Flow, IssuedTokens, OAuth, OAuthSettings, RegisteredClient, StoreError, TokenStore,
};
use overt_testkit::oauth::agree;
use overt_transport::client::Secret;
use overt_wire::BoxFuture;
use overt_wire::json::Json;

use crate::failure::Failure;

/// The metadata document with which a client identifies itself to the suite.
const CLIENT_METADATA: &str = "https://conformance-test.local/client-metadata.json";

pub(super) fn oauth(url: &str, scenario: &str, context: Option<Json<'_>>) -> Result<OAuth, Failure> {
    let mut settings = OAuthSettings::new(url)?;
    settings.client_metadata_url = Some(CLIENT_METADATA.into());
    let given = |name: &str| Some(context?.get(name).string()?.into_owned());
    if let Some(id) = given("client_id") {
        settings.client = Some(RegisteredClient { id, secret: given("client_secret").map(Secret::new) });
    }
    if scenario.starts_with("auth/client-credentials") {
        settings.flow = Flow::ClientCredentials;
    }
    Ok(OAuth::new(settings, Consent::Ask(Arc::new(Agreeing)), Arc::new(Memory::default())))
}

struct Agreeing;

impl Browser for Agreeing {
    fn show<'a>(&'a self, address: &'a str) -> BoxFuture<'a, Result<(), String>> {
        let address = address.to_owned();
        std::thread::spawn(move || agree(&address, |address| address));
        Box::pin(async { Ok(()) })
    }
}

#[derive(Default)]
struct Memory(Mutex<Option<IssuedTokens>>);

impl TokenStore for Memory {
    fn load(&self) -> Result<Option<IssuedTokens>, StoreError> {
        Ok(self.0.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }

    fn save(&self, issued: &IssuedTokens) -> Result<(), StoreError> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(issued.clone());
        Ok(())
    }

    fn clear(&self) -> Result<bool, StoreError> {
        Ok(self.0.lock().unwrap_or_else(PoisonError::into_inner).take().is_some())
    }

    fn try_lock(&self) -> Result<Option<Box<dyn Send>>, StoreError> {
        Ok(Some(Box::new(())))
    }

    fn place(&self) -> String {
        "memory".into()
    }
}
