//! `overt run`: every layer around one upstream, served to clients.
use std::io;
use std::sync::Arc;

use overt_gateway::Gateway;
use overt_transport::http::{BindError, Server};
use overt_transport::stream::Ended;
use overt_transport::{signal, stdio};
use overt_wire::Handler;

use super::session::SetupError;
use crate::failure::{Complaint, Exit, Failure};
use crate::output::{Printer, start_log};
use crate::settings::{Clients, Env, OVERT_LOG, RunSettings, Verbosity};

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
    start_log(&printer, Verbosity::Normal, env.get(OVERT_LOG));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|source| SetupError { what: "the runtime", source })?;
    runtime.block_on(serve(settings, &printer))
}

async fn serve(settings: RunSettings, printer: &Printer) -> Result<Exit, Failure> {
    let stop =
        signal::stop_requested().map_err(|source| SetupError { what: "the signal handlers", source })?;
    let gateway = Gateway::new(settings.target, settings.gateway);
    let handler: Arc<dyn Handler> = overt_layers::open(gateway.clone());
    match settings.clients {
        Clients::Stdio => {
            let ended = stdio::serve(handler, settings.limits, stop).await;
            let ended = ended.map_err(|source| SetupError { what: "standard input and output", source })?;
            tracing::debug!(?ended, "the conversation with the client is over");
            gateway.close().await;
            Ok(if ended == Ended::Stopped { Exit::Interrupted } else { Exit::Ok })
        }
        Clients::Http(address, options) => {
            let server = Server::bind(address, *options).await?;
            printer.note(&format!("listening on {}", server.url()));
            server.serve(handler, stop).await;
            gateway.close().await;
            Ok(Exit::Ok)
        }
    }
}
