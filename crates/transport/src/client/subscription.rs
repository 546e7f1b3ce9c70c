//! `subscriptions/listen`: a modern request that stays open. Its notifications go to the listener.
use std::sync::Arc;

use overt_wire::era::Version;
use overt_wire::json::{Json, JsonBuf, Object};
use overt_wire::{Id, Message, Method};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::conversation::{Client, stamp};
use super::error::{ClientError, Delivery};
use super::link::OnDrop;

/// An open subscription. Dropping this value ends the subscription.
#[derive(Debug)]
pub struct Subscription {
    id: Id,
    granted: JsonBuf,
    task: JoinHandle<Result<Message, ClientError>>,
}

impl Client {
    /// Subscribes to changes (modern). `notifications` is the filter, such as
    /// `{"toolsListChanged":true}`. Returns when the server has acknowledged the subscription. In
    /// the legacy era, servers announce list changes without a subscription, and
    /// `resources/subscribe` is a plain request.
    pub async fn listen(&self, notifications: Json<'_>) -> Result<Subscription, ClientError> {
        let method = Method::Listen.name();
        let Some(caller) = &self.caller else {
            let version: Version = self.server.version;
            return Err(ClientError::NotInVersion { method: method.to_owned(), version });
        };
        let params = Object::new().json("notifications", notifications).finish();
        let params = stamp(method, Some(params.as_json()), caller)?;
        let id = self.core.new_id();
        let request = Message::request(&id, method, Some(params.as_json()));
        let acknowledged = self.core.incoming.acknowledgement_of(&id);
        let core = Arc::clone(&self.core);
        let task = tokio::spawn(async move { core.ask_for_ever(&request, &[], OnDrop::Cancel).await });
        // From here on, dropping the subscription ends the request.
        let mut subscription = Subscription { id, granted: JsonBuf::empty_object(), task };
        let deadline = self.core.limits.handshake_deadline;
        let outcome = timeout(deadline, async {
            tokio::select! {
                biased;
                Ok(granted) = acknowledged => Ok(granted),
                ended = &mut subscription.task => Err(ended),
            }
        });
        match outcome.await {
            Ok(Ok(granted)) => subscription.granted = granted,
            Ok(Err(ended)) => {
                flatten(ended)?;
                let what = "a subscription ended before it was acknowledged".to_owned();
                return Err(ClientError::Protocol { what });
            }
            Err(_) => {
                let dropped = self.core.incoming.dropped();
                return Err(ClientError::TimedOut { method: method.to_owned(), after: deadline, dropped });
            }
        }
        Ok(subscription)
    }
}

impl Subscription {
    /// The id that its notifications carry in `_meta`.
    pub fn id(&self) -> &Id {
        &self.id
    }

    /// The part of the filter that the server accepted.
    pub fn granted(&self) -> Json<'_> {
        self.granted.as_json()
    }

    /// Waits for the end of the subscription. Returns `Ok` if the server ended it properly, an
    /// error if the connection broke.
    pub async fn ended(mut self) -> Result<(), ClientError> {
        flatten((&mut self.task).await).map(drop)
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn flatten(
    outcome: Result<Result<Message, ClientError>, tokio::task::JoinError>,
) -> Result<Message, ClientError> {
    outcome.unwrap_or_else(|_| {
        Err(ClientError::Closed {
            reason: "it was given up".into(),
            stderr: String::new(),
            delivery: Delivery::MaybeSent,
        })
    })
}
