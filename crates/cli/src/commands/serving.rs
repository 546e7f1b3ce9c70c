//! What every server of ours has around it: signals, telemetry, what decides about calls, and the
//! clients.
use std::io;
use std::sync::Arc;

use overt_transport::http::{BindError, Options, Server};
use overt_transport::limits::Limits;
use overt_transport::signal::{self, HangUp};
use overt_transport::stdio;
use overt_transport::stream::StreamEnd;
use overt_wire::Handler;

use super::control::Controlled;
use super::reload;
use super::session::setup_failed;
use super::workers::start_workers;
use crate::context::CommandContext;
use crate::error::{CommandError, Diagnostic, Exit};
use crate::output::{Printer, start_log};
use crate::settings::{Clients, ControlPlan, LogSettings, TelemetrySettings};
use crate::telemetry::{Gauges, ServedTransport, Telemetry};

impl Diagnostic for BindError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Listen { source, .. } if source.kind() == io::ErrorKind::AddrInUse => {
                Some("another program listens there; choose another port, or port 0 for any".to_owned())
            }
            Self::NotLoopback(_) => Some(
                "other machines reach it through a proxy with TLS: docs/run.md, \"For a team\"".to_owned(),
            ),
            _ => None,
        }
    }
}

/// How a server is served, as the settings say.
#[derive(Debug)]
pub(super) struct ServeConfig<'a> {
    pub(super) control: &'a ControlPlan,
    pub(super) clients: Clients,
    pub(super) limits: Limits,
    pub(super) telemetry: &'a TelemetrySettings,
    /// What was already read from standard input.
    pub(super) read_ahead: Vec<u8>,
}

/// Runs a server to its end, with its messages on standard error. One thread suffices over standard
/// input and output; over HTTP, connections are spread over more (`workers.rs`).
pub(super) fn run_server<F: Future<Output = Result<Exit, CommandError>>>(
    log: &LogSettings,
    context: &CommandContext,
    serve: impl FnOnce(Arc<Printer>) -> F,
) -> Result<Exit, CommandError> {
    start_log(&context.printer, log);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(setup_failed("the runtime"))?;
    runtime.block_on(serve(Arc::clone(&context.printer)))
}

impl ServeConfig<'_> {
    /// Says whether SIGHUP ends the program or makes it read its settings again.
    fn hang_up(&self) -> HangUp {
        match self.control.sources.file() {
            Some(_) => HangUp::GoesOn,
            None => HangUp::Stops,
        }
    }

    /// Returns a future that ends when the program is told to stop. From this call on, signals no
    /// longer kill the process.
    pub(super) fn stop(&self) -> Result<impl Future<Output = ()> + use<>, CommandError> {
        let stop = signal::stop_requested_where(self.hang_up());
        stop.map_err(setup_failed("the signal handlers"))
    }

    pub(super) fn telemetry(&self) -> Result<Telemetry, CommandError> {
        let served = match self.clients {
            Clients::Stdio(_) => ServedTransport::Stdio,
            Clients::Http(..) => ServedTransport::Http,
        };
        Telemetry::start(self.telemetry, served)
    }

    pub(super) fn controlled(&self) -> Result<Controlled, CommandError> {
        let client = match self.clients {
            Clients::Stdio(client) => client,
            Clients::Http(..) => None,
        };
        let controlled = Controlled::of(self.control, client, self.telemetry.otlp.as_ref())?;
        controlled.control.begin();
        Ok(controlled)
    }

    /// Serves clients until they have left or the program is told to end.
    pub(super) async fn serve(
        self,
        handler: Arc<dyn Handler>,
        controlled: &Controlled,
        stop: impl Future<Output = ()> + Send,
        printer: &Printer,
    ) -> Result<Exit, CommandError> {
        let hang_up = self.hang_up();
        let user_file = reload::on_user_file(&self.control.sources, controlled.control.clone(), printer);
        let serving = serve_clients(handler, self.clients, self.limits, self.read_ahead, stop, printer);
        let serving = async {
            tokio::select! {
                exit = serving => exit,
                never = user_file => match never {},
            }
        };
        match hang_up {
            HangUp::Stops => serving.await,
            HangUp::GoesOn => {
                let reloading =
                    reload::on_hang_up(&self.control.sources, controlled.control.clone(), printer)
                        .map_err(setup_failed("the signal handlers"))?;
                tokio::select! {
                    exit = serving => exit,
                    never = reloading => match never {},
                }
            }
        }
    }
}

/// Serves health and metrics if the settings say so, and prints their address.
pub(super) async fn serve_status(
    telemetry: &mut Telemetry,
    gauges: Arc<dyn Gauges>,
    printer: &Printer,
) -> Result<(), CommandError> {
    if let Some(address) = telemetry.serve_status(gauges).await? {
        printer.note(&format!("health and metrics on http://{address}"));
    }
    Ok(())
}

async fn serve_clients(
    handler: Arc<dyn Handler>,
    clients: Clients,
    limits: Limits,
    read_ahead: Vec<u8>,
    stop: impl Future<Output = ()> + Send,
    printer: &Printer,
) -> Result<Exit, CommandError> {
    match clients {
        Clients::Stdio(_) => {
            let ended = stdio::serve_after(read_ahead, handler, limits, stop).await;
            let ended = ended.map_err(setup_failed("standard input and output"))?;
            tracing::debug!(?ended, "the conversation with the client is over");
            Ok(if ended == StreamEnd::Stopped { Exit::Interrupted } else { Exit::Ok })
        }
        Clients::Http(address, options) => {
            let workers = start_workers().map_err(setup_failed("a thread"))?;
            let server = Server::bind(address, Options { workers, ..*options }).await?;
            printer.note(&format!("listening on {}", server.url()));
            server.serve(handler, stop).await;
            Ok(Exit::Ok)
        }
    }
}
