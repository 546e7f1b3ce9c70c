//! Starts the telemetry that the settings ask for, and finishes it at the end of a command.
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::SystemTime;

use overt_layers::observe::Observer;
use overt_transport::http::{BindError, PageServer};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::log::RequestLog;
use super::metrics::{Gauges, Metrics, StatusPages};
use super::otlp::{Exporter, Pace};
use super::trace::TraceFile;
use crate::error::{CommandError, user_error};
use crate::settings::{StatusSettings, TelemetrySettings};

/// Everything that observes a command's conversations.
pub(crate) struct Telemetry {
    trace: Option<TraceFile>,
    exporter: Option<Exporter>,
    metrics: Option<Arc<Metrics>>,
    status: Option<StatusSettings>,
    pages: Option<StatusServer>,
    started: SystemTime,
}

/// The transport to clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ServedTransport {
    Stdio,
    Http,
}

struct StatusServer {
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

/// The error for a status address that can't be used.
fn unserved(error: BindError) -> CommandError {
    let is_public = matches!(error, BindError::NotLoopback(_));
    let failed = user_error("can't serve health and metrics").caused_by(error);
    match is_public {
        true => failed.hinted("add `--status-anywhere` if other machines are meant to see it"),
        false => failed,
    }
}

impl Telemetry {
    /// Opens the trace file and starts to send spans. The log is set up already and decides whether
    /// it records requests.
    pub(crate) fn start(settings: &TelemetrySettings, served: ServedTransport) -> Result<Self, CommandError> {
        let transport = match served {
            ServedTransport::Stdio => "pipe",
            ServedTransport::Http => "tcp",
        };
        let trace = settings.trace.as_deref().map(TraceFile::open).transpose()?;
        let exporter = settings.otlp.as_ref();
        let exporter = exporter.map(|otlp| Exporter::start(otlp, transport, Pace::default())).transpose()?;
        Ok(Self {
            trace,
            exporter,
            metrics: settings.status.is_some().then(Arc::default),
            status: settings.status.clone(),
            pages: None,
            started: SystemTime::now(),
        })
    }

    /// The observers for [`overt_layers::observed`]. Empty if no telemetry is on, so that calls
    /// cost nothing extra.
    pub(crate) fn observers(&self) -> Vec<Arc<dyn Observer>> {
        let mut observers: Vec<Arc<dyn Observer>> = Vec::new();
        if let Some(metrics) = &self.metrics {
            observers.push(Arc::<Metrics>::clone(metrics));
        }
        if let Some(log) = RequestLog::if_wanted() {
            observers.push(Arc::new(log));
        }
        if let Some(trace) = &self.trace {
            observers.push(Arc::new(trace.observer()));
        }
        if let Some(exporter) = &self.exporter {
            observers.push(exporter.observer());
        }
        observers
    }

    /// Serves health and metrics if requested, and returns the address.
    pub(crate) async fn serve_status(
        &mut self,
        gauges: Arc<dyn Gauges>,
    ) -> Result<Option<SocketAddr>, CommandError> {
        let (Some(status), Some(metrics)) = (&self.status, &self.metrics) else { return Ok(None) };
        let server = PageServer::bind(status.address, status.exposure, &status.hosts).await;
        let server = server.map_err(unserved)?;
        let address = server.address();
        let pages = StatusPages {
            metrics: Arc::clone(metrics),
            gauges,
            trace: self.trace.as_ref().map(|trace| Arc::clone(trace.drops())),
            spans: self.exporter.as_ref().map(|exporter| Arc::clone(exporter.spans())),
            started: self.started,
        };
        let (stop, stopped) = oneshot::channel();
        let task = tokio::spawn(server.serve(Arc::new(pages), async { drop(stopped.await) }));
        self.pages = Some(StatusServer { stop, task });
        Ok(Some(address))
    }

    /// Writes and sends what remains. Each part has its own deadline.
    pub(crate) async fn finish(self) {
        if let Some(exporter) = self.exporter {
            exporter.finish().await;
        }
        if let Some(trace) = self.trace {
            trace.finish();
        }
        if let Some(StatusServer { stop, task }) = self.pages {
            let _ = stop.send(());
            let _ = task.await;
        }
    }
}
