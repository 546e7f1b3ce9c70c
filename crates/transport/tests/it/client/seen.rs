//! A listener that records what it receives and answers from a list.
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use overt_transport::client::{ClientOptions, Listener};
use overt_transport::limits::Limits;
use overt_wire::json::{Json, JsonBuf};
use overt_wire::{BoxFuture, ErrorObject, Id, Message};

#[derive(Default)]
pub(super) struct Heard {
    pub(super) notifications: Mutex<Vec<String>>,
    pub(super) noise: Mutex<Vec<String>>,
    pub(super) questions: Mutex<Vec<String>>,
    /// Answers by method. A question with any other method never gets an answer.
    pub(super) answers: HashMap<&'static str, &'static str>,
}

impl Heard {
    pub(super) fn new() -> Arc<Self> {
        Arc::default()
    }

    pub(super) fn answering(answers: &[(&'static str, &'static str)]) -> Arc<Self> {
        Arc::new(Self { answers: answers.iter().copied().collect(), ..Self::default() })
    }
}

impl Listener for Heard {
    fn notification<'a>(&'a self, message: Message, _about: Option<&'a Id>) -> BoxFuture<'a, ()> {
        self.notifications.lock().unwrap().push(message.text().to_owned());
        Box::pin(std::future::ready(()))
    }

    fn request<'a>(
        &'a self,
        method: &'a str,
        params: Option<Json<'a>>,
        _about: Option<&'a Id>,
    ) -> BoxFuture<'a, Result<JsonBuf, ErrorObject>> {
        Box::pin(async move {
            let params = params.map_or("", Json::as_str);
            self.questions.lock().unwrap().push(format!("{method} {params}"));
            match self.answers.get(method) {
                Some(answer) => Ok(JsonBuf::parse(answer).unwrap()),
                None => std::future::pending().await,
            }
        })
    }

    fn noise(&self, line: &str) {
        self.noise.lock().unwrap().push(line.to_owned());
    }
}

/// Options for tests: a name, and limits modified by `change`.
pub(super) fn options(change: impl FnOnce(&mut Limits)) -> ClientOptions {
    let mut options = ClientOptions::new("tester", "1");
    change(&mut options.limits);
    options
}

pub(super) fn json(text: &str) -> Json<'_> {
    Json::parse(text).unwrap()
}
