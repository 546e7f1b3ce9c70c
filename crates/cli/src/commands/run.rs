//! `overt run`: every layer around one upstream, served to clients.
use std::io;
use std::sync::Arc;

use overt_gateway::pins::{Finding, Identity, PinGuard, PinStore, Pinned};
use overt_gateway::{Gateway, Options};
use overt_transport::client::Target;
use overt_transport::http::{BindError, Server};
use overt_transport::limits::Limits;
use overt_transport::signal::{self, HangUp};
use overt_transport::stdio;
use overt_transport::stream::Ended;
use overt_wire::Handler;

use super::control::Controlled;
use super::session::SetupError;
use super::{disclosure, reload};
use crate::failure::{Complaint, Exit, Failure};
use crate::output::{Printer, start_log};
use crate::settings::{Clients, Env, Pins, RunSettings, Verbosity};
use crate::telemetry::{Served, Telemetry};

impl Complaint for BindError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Listen { source, .. } if source.kind() == io::ErrorKind::AddrInUse => {
                Some("another program listens there; choose another port, or port 0 for any".to_owned())
            }
            _ => None,
        }
    }
}

pub(crate) fn run(settings: RunSettings, env: &Env) -> Result<Exit, Failure> {
    let printer = Arc::new(Printer::new(Verbosity::Normal, env));
    start_log(&printer, &settings.telemetry.log);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|source| SetupError { what: "the runtime", source })?;
    runtime.block_on(serve(settings, &printer))
}

async fn serve(settings: RunSettings, printer: &Arc<Printer>) -> Result<Exit, Failure> {
    let hang_up = match settings.control.sources.file() {
        Some(_) => HangUp::GoesOn,
        None => HangUp::Stops,
    };
    let stop = signal::stop_requested_where(hang_up)
        .map_err(|source| SetupError { what: "the signal handlers", source })?;
    let served = match settings.clients {
        Clients::Stdio => Served::Stdio,
        Clients::Http(..) => Served::Http,
    };
    let mut telemetry = Telemetry::start(&settings.telemetry, served)?;
    let pins = guard(&settings.pins, &settings.target, printer);
    let mut stop = std::pin::pin!(stop);
    let disclosure = match &settings.manifest {
        None => None,
        Some(file) => {
            let look = Box::pin(disclosure::look(file, &settings.target, &settings.gateway, printer));
            tokio::select! {
                disclosure = look => Some(disclosure?),
                () = stop.as_mut() => return Ok(Exit::Interrupted),
            }
        }
    };
    let options = Options { pins: pins.clone(), disclosure, ..settings.gateway };
    let gateway = Gateway::new(settings.target, options);
    if let Some(address) = telemetry.serve_status(Arc::new(gateway.clone())).await? {
        printer.note(&format!("health and metrics on http://{address}"));
    }
    let controlled = Controlled::of(&settings.control, settings.telemetry.otlp.as_ref(), printer)?;
    let control = controlled.control.clone();
    control.begin();
    let handler = match pins {
        Some(pins) => overt_layers::build(Pinned::new(pins.clone(), gateway.clone()), control.judge(pins)),
        None => overt_layers::build(gateway.clone(), control),
    };
    let handler = overt_layers::observed(handler, telemetry.observers());
    let serving = serve_clients(handler, settings.clients, settings.limits, stop, printer);
    let exit = match hang_up {
        HangUp::Stops => serving.await,
        HangUp::GoesOn => {
            let reloading =
                reload::on_hang_up(&settings.control.sources, controlled.control.clone(), printer)
                    .map_err(|source| SetupError { what: "the signal handlers", source })?;
            tokio::select! {
                exit = serving => exit,
                never = reloading => match never {},
            }
        }
    };
    gateway.close().await;
    controlled.close();
    telemetry.finish().await;
    exit
}

async fn serve_clients(
    handler: Arc<dyn Handler>,
    clients: Clients,
    limits: Limits,
    stop: impl Future<Output = ()>,
    printer: &Printer,
) -> Result<Exit, Failure> {
    match clients {
        Clients::Stdio => {
            let ended = stdio::serve(handler, limits, stop).await;
            let ended = ended.map_err(|source| SetupError { what: "standard input and output", source })?;
            tracing::debug!(?ended, "the conversation with the client is over");
            Ok(if ended == Ended::Stopped { Exit::Interrupted } else { Exit::Ok })
        }
        Clients::Http(address, options) => {
            let server = Server::bind(address, *options).await?;
            printer.note(&format!("listening on {}", server.url()));
            server.serve(handler, stop).await;
            Ok(Exit::Ok)
        }
    }
}

/// Looks at the tools of the upstream, and says what a person should know about them.
fn guard(pins: &Pins, target: &Target, printer: &Arc<Printer>) -> Option<PinGuard> {
    let Pins::On(mode, state) = pins else { return None };
    let printer = Arc::clone(printer);
    let report = move |finding: &Finding| match finding.is_harmless() {
        true => printer.note(&finding.to_string()),
        false => printer.warn(&finding.to_string()),
    };
    let store = PinStore::new(state.path());
    Some(PinGuard::new(*mode, store, Identity::of(target), Arc::new(report)))
}
