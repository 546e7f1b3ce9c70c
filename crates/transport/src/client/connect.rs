//! Finds out which era a server speaks, and does the handshake.
//!
//! A modern server answers `server/discover`; any other server gets `initialize`. A server may
//! start slowly, so silence does not end the connection. A late answer to `server/discover` still
//! counts if the server refuses `initialize`.
use std::pin::pin;
use std::sync::{Arc, Mutex};

use overt_wire::era::{Era, Version};
use overt_wire::json::Object;
use overt_wire::{Message, Method};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;

use super::conversation::{Client, stamp};
use super::core::Core;
use super::error::ClientError;
use super::handshake::{DiscoverOutcome, agreed, read_discovery};
use super::http::Http;
use super::incoming::IncomingMessages;
use super::link::{Link, OnDrop};
use super::listener::Listener;
use super::options::{ClientOptions, Protocol, Server};
use super::pipe::Pipe;
use super::target::Target;
use crate::child::Child;
use crate::time_budget::TimeBudget;

impl Client {
    /// Connects to a server and agrees with it on a protocol version.
    pub async fn connect(
        target: &Target,
        options: ClientOptions,
        listener: Arc<dyn Listener>,
    ) -> Result<Self, ClientError> {
        let core = dial(target, &options, &listener)?;
        let greeted = Box::pin(agree(&core, &options)).await;
        let can_start_again = matches!(target, Target::Command(_) | Target::Streams(_));
        match greeted {
            Err(ClientError::Closed { .. }) if can_start_again && options.protocol == Protocol::Auto => {
                // Some legacy servers exit when the first message is not `initialize`.
                tracing::debug!("the program ended when it was asked for its era; trying without asking");
                let core = dial(target, &options, &listener)?;
                let server = initialize(&core, &options, options.legacy_version).await?;
                Ok(Self::new(core, &options, server))
            }
            greeted => Ok(Self::new(core, &options, greeted?)),
        }
    }

    /// Connects over any pair of byte streams with one message per line.
    pub async fn over(
        input: impl AsyncWrite + Send + Unpin + 'static,
        output: impl AsyncRead + Send + Unpin + 'static,
        options: ClientOptions,
        listener: Arc<dyn Listener>,
    ) -> Result<Self, ClientError> {
        let incoming = IncomingMessages::new(listener, &options.limits);
        let link = Pipe::new(input, output, None, Arc::clone(&incoming), &options.limits);
        let core = Core::new(Box::new(link), incoming, options.limits.clone());
        let server = Box::pin(agree(&core, &options)).await?;
        Ok(Self::new(core, &options, server))
    }

    fn new(core: Core, options: &ClientOptions, server: Server) -> Self {
        tracing::debug!(version = %server.version, "connected");
        let caller = (server.version.era() == Era::Modern).then(|| options.caller(server.version));
        Self { core: Arc::new(core), server, caller, mirrored: Mutex::default() }
    }
}

fn dial(target: &Target, options: &ClientOptions, listener: &Arc<dyn Listener>) -> Result<Core, ClientError> {
    let limits = &options.limits;
    let incoming = IncomingMessages::new(Arc::clone(listener), limits);
    let link: Box<dyn Link> = match target {
        Target::Command(command) => {
            let program = || command.program.to_string_lossy().into_owned();
            let listener = Arc::clone(listener);
            let spawned = Child::spawn(command, limits, move |line| listener.stderr(line));
            let (child, input, output) =
                spawned.map_err(|source| ClientError::Start { program: program(), source })?;
            Box::new(Pipe::new(input, output, Some(child), Arc::clone(&incoming), limits))
        }
        Target::Http(target) => Box::new(Http::new(target, Arc::clone(&incoming), limits)?),
        Target::Streams(connector) => {
            let program = || connector.name().to_owned();
            let stream = connector.connect();
            let stream = stream.map_err(|source| ClientError::Start { program: program(), source })?;
            let (output, input) = tokio::io::split(stream);
            Box::new(Pipe::new(input, output, None, Arc::clone(&incoming), limits))
        }
    };
    Ok(Core::new(link, incoming, limits.clone()))
}

/// Agrees on a version and returns what the server said about itself.
async fn agree(core: &Core, options: &ClientOptions) -> Result<Server, ClientError> {
    match options.protocol {
        Protocol::Auto => {
            let mut probe = pin!(discover(core, options, Version::NEWEST));
            match timeout(options.limits.probe_deadline, &mut probe).await {
                Ok(answer) => follow(core, options, read_discovery(answer)).await,
                Err(_) => greet_silent(core, options, probe).await,
            }
        }
        Protocol::Only(version) if version.era() == Era::Modern => {
            let verdict = read_discovery(discover(core, options, version).await);
            follow(core, options, verdict).await
        }
        Protocol::Only(version) => initialize(core, options, version).await,
        Protocol::Legacy => initialize(core, options, options.legacy_version).await,
    }
}

/// Sends `initialize` to a server that has not answered the probe yet. If the server is modern but
/// slow, it answers the probe first and then refuses `initialize`.
async fn greet_silent(
    core: &Core,
    options: &ClientOptions,
    mut probe: impl Future<Output = Result<Message, ClientError>> + Unpin,
) -> Result<Server, ClientError> {
    tracing::debug!("no answer to the probe; greeting the server as a legacy one");
    let mut greeting = pin!(initialize(core, options, options.legacy_version));
    let mut late = None;
    loop {
        tokio::select! {
            biased;
            answer = &mut probe, if late.is_none() => late = Some(read_discovery(answer)),
            outcome = &mut greeting => {
                return match (outcome, late) {
                    (Err(ClientError::Refused(_)), Some(verdict @ DiscoverOutcome::Modern(_))) => {
                        follow(core, options, verdict).await
                    }
                    (outcome, _) => outcome,
                };
            }
        }
    }
}

/// Continues the handshake once the server's era is known.
async fn follow(
    core: &Core,
    options: &ClientOptions,
    verdict: DiscoverOutcome,
) -> Result<Server, ClientError> {
    let verdict = match verdict {
        // Ask once more in the version that the server wants; a second refusal is final.
        DiscoverOutcome::Ask(version) if allows(options, version) => {
            read_discovery(discover(core, options, version).await)
        }
        verdict => verdict,
    };
    match verdict {
        DiscoverOutcome::Modern(server) if allows(options, server.version) => {
            core.link.settle(server.version);
            core.link.open().await;
            Ok(server)
        }
        DiscoverOutcome::Legacy(version) if allows(options, version) => {
            // The server named its newest version; ours may be older.
            let version = if options.protocol == Protocol::Auto {
                version.min(options.legacy_version)
            } else {
                version
            };
            initialize(core, options, version).await
        }
        DiscoverOutcome::Failed(error) => Err(error),
        DiscoverOutcome::Modern(Server { version, .. })
        | DiscoverOutcome::Ask(version)
        | DiscoverOutcome::Legacy(version) => Err(unsupported(options, version.as_str())),
    }
}

async fn discover(core: &Core, options: &ClientOptions, version: Version) -> Result<Message, ClientError> {
    let method = Method::Discover.name();
    let params = stamp(method, None, &options.caller(version))?;
    // It is not cancelled when dropped, because a legacy server does not know the method.
    let budget = TimeBudget::without_pauses(options.limits.handshake_deadline);
    core.ask(method, Some(params.as_json()), &[], budget, OnDrop::Forget).await
}

async fn initialize(core: &Core, options: &ClientOptions, version: Version) -> Result<Server, ClientError> {
    let params = Object::new()
        .string("protocolVersion", version.as_str())
        .json("capabilities", options.capabilities.as_json())
        .json("clientInfo", options.info().as_json())
        .finish();
    let method = Method::Initialize.name();
    let budget = TimeBudget::without_pauses(options.limits.handshake_deadline);
    let answer = core.ask(method, Some(params.as_json()), &[], budget, OnDrop::Forget).await?;
    let server = match agreed(&answer) {
        Ok(server) if allows(options, server.version) => server,
        Ok(server) => return Err(unsupported(options, server.version.as_str())),
        Err(offered) => return Err(unsupported(options, &offered)),
    };
    core.link.settle(server.version);
    core.link.tell(&Message::notification(Method::Initialized.name(), None)).await?;
    core.link.open().await;
    Ok(server)
}

fn allows(options: &ClientOptions, version: Version) -> bool {
    match options.protocol {
        Protocol::Auto => true,
        Protocol::Legacy => version.era() == Era::Legacy,
        Protocol::Only(only) => only == version,
    }
}

fn unsupported(options: &ClientOptions, offered: &str) -> ClientError {
    let supported = match options.protocol {
        Protocol::Auto => Version::ALL.to_vec(),
        Protocol::Legacy => Version::ALL.into_iter().filter(|version| version.era() == Era::Legacy).collect(),
        Protocol::Only(version) => vec![version],
    };
    ClientError::Version { offered: offered.to_owned(), supported }
}
