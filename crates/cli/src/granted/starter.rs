//! The server's side: asks the spawner for workers, and sends calls to them.
use std::io;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use overt_policy::scope::Scope;
use overt_servers::files::{GrantSource, StartedWorker, WorkerStarter};
use overt_settings::SettingValues;
use overt_toolbox::{RemoteWorker, ToolError};
use overt_transport::frames::FrameClient;
use overt_transport::helper::{MessageSocket, start_helper};
use overt_wire::BoxFuture;
use overt_wire::json::JsonBuf;

use super::config::{SpawnerConfig, StartReply, StartRequest, read};
use super::spawner::SPAWNER_ARGUMENT;
use crate::settings::Env;

/// The process that starts workers. It ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Spawner {
    /// `None` after a failure.
    socket: Arc<Mutex<Option<MessageSocket>>>,
    believes_clients: bool,
}

/// How long starting a worker may take.
const STARTING: Duration = Duration::from_secs(10);

impl Spawner {
    /// Starts the process. Call this before the walls of the server go up, because a process that
    /// is started behind them stays behind them.
    pub(crate) fn start(config: &SpawnerConfig) -> io::Result<Self> {
        let believes_clients = config.believes_clients;
        let socket = start_helper(&Env::own_executable(), SPAWNER_ARGUMENT)?;
        let config = JsonBuf::of(config).map_err(io::Error::other)?;
        socket.send(config.as_str().as_bytes(), None)?;
        let socket = Arc::new(Mutex::new(Some(socket.with_timeout(STARTING)?)));
        Ok(Self { socket, believes_clients })
    }
}

impl WorkerStarter for Spawner {
    fn believes_clients(&self) -> bool {
        self.believes_clients
    }

    fn start(&self, source: GrantSource) -> BoxFuture<'static, Result<StartedWorker, String>> {
        let socket = Arc::clone(&self.socket);
        let request = match source {
            GrantSource::Store(id) => StartRequest::Grant(id),
            GrantSource::Client(scopes) => StartRequest::Claim(scopes.iter().map(Scope::to_text).collect()),
        };
        Box::pin(async move {
            let asked = tokio::task::spawn_blocking(move || ask(&socket, &request)).await;
            let (reply, handle) = asked.map_err(|error| error.to_string())??;
            match (reply, handle) {
                (StartReply::Refused { why }, _) => Err(why),
                (StartReply::Started { scopes, is_for_one_call }, Some(handle)) => {
                    let client = FrameClient::new(handle).map_err(|error| error.to_string())?;
                    let connection = Arc::new(Connection { client, sent: Mutex::default() });
                    let scopes = scopes.iter().filter_map(|scope| Scope::parse(scope).ok()).collect();
                    Ok(StartedWorker { scopes, is_for_one_call, connection })
                }
                (StartReply::Started { .. }, None) => Err("its socket is missing".to_owned()),
            }
        })
    }
}

/// Asks for a worker. After a failure, an answer that comes late could be taken for another one, so
/// nothing is asked any more.
fn ask(
    socket: &Mutex<Option<MessageSocket>>,
    request: &StartRequest,
) -> Result<(StartReply, Option<UnixStream>), String> {
    let mut socket = socket.lock().unwrap_or_else(PoisonError::into_inner);
    let asked = socket.as_ref().ok_or_else(|| io::Error::other("the process has ended")).and_then(|socket| {
        let request = JsonBuf::of(request).map_err(io::Error::other)?;
        socket.send(request.as_str().as_bytes(), None)?;
        let (bytes, handle) = socket.receive()?.ok_or_else(|| io::Error::other("the process has ended"))?;
        let reply = read(&bytes).ok_or_else(|| io::Error::other("the answer can't be read"))?;
        Ok((reply, handle.map(UnixStream::from)))
    });
    asked.map_err(|error| {
        *socket = None;
        format!("what starts workers does not answer ({error}); restart the server")
    })
}

/// The connection to one worker.
#[derive(Debug)]
struct Connection {
    client: FrameClient,
    /// The settings that the worker has.
    sent: Mutex<Option<SettingValues>>,
}

impl RemoteWorker for Connection {
    fn ask(&self, request: JsonBuf) -> BoxFuture<'static, Result<JsonBuf, ToolError>> {
        let client = self.client.clone();
        Box::pin(async move {
            let answer = client.ask(request.as_str().as_bytes()).await.map_err(|_| ended())?;
            let text = std::str::from_utf8(&answer)?;
            JsonBuf::parse(text).map_err(|fault| {
                ToolError::new(format!("the answer of the worker can't be read: {fault}"))
                    .next("Ask for less at a time.")
            })
        })
    }

    fn tell(&self, request: JsonBuf) {
        self.client.tell(request.as_str().as_bytes());
    }

    fn is_gone(&self) -> bool {
        self.client.is_gone()
    }

    fn is_news(&self, settings: &SettingValues) -> bool {
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        let is_news = sent.as_ref() != Some(settings);
        if is_news {
            *sent = Some(settings.clone());
        }
        is_news
    }
}

fn ended() -> ToolError {
    ToolError::new("the permission for this place ended while the call ran, so the call was stopped")
        .valid("A change that it was about to make is made whole or not at all.")
        .next("Look at what is there, or ask the user, before you call again.")
        .code("CANCELLED")
}
