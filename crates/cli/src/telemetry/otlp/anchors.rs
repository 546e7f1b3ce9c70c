//! Sends checkpoints of the audit log to the collector as log records. There, a program that can
//! write the log cannot reach them.
use std::io;
use std::time::SystemTime;

use overt_state::audit::{Checkpoint, CheckpointSink};
use overt_transport::client::{ClientError, PostOutcome, Poster};
use overt_wire::json::{Array, JsonBuf, Object};
use tokio::runtime::Runtime;

use super::encode::{Resource, attributes, logs, nanos};
use super::export::{POST_DEADLINE, instance};
use crate::settings::OtlpSettings;

/// Posts checkpoints, one at a time, on the audit log's thread for sinks.
pub(crate) struct CollectorAnchors {
    poster: Poster,
    resource: Resource,
    /// A separate runtime, because the program's own may be busy closing the log. `None` until
    /// first used.
    runtime: Option<Runtime>,
}

const INFO: u8 = 9;

impl CollectorAnchors {
    pub(crate) fn new(settings: &OtlpSettings) -> Result<Self, ClientError> {
        let base = settings.url.strip_suffix("/v1/traces").unwrap_or(&settings.url);
        let poster = Poster::new(&format!("{base}/v1/logs"), &settings.headers, POST_DEADLINE)?;
        let resource = Resource { service: settings.service.clone(), instance: instance() };
        Ok(Self { poster, resource, runtime: None })
    }
}

impl CheckpointSink for CollectorAnchors {
    fn publish(&mut self, checkpoint: &Checkpoint) -> io::Result<()> {
        let runtime = match self.runtime.take() {
            Some(runtime) => runtime,
            None => tokio::runtime::Builder::new_current_thread().enable_all().build()?,
        };
        let runtime = self.runtime.insert(runtime);
        let document = logs(&self.resource, &Array::new().json(record(checkpoint).as_json()).finish());
        match runtime.block_on(self.poster.post(document)) {
            PostOutcome::Taken => Ok(()),
            // The next checkpoint also covers what this one covers, so there is no retry.
            PostOutcome::Later(_) => Err(io::Error::other("the collector can't be reached")),
            PostOutcome::Refused(status) => {
                Err(io::Error::other(format!("the collector refused it with {status}")))
            }
        }
    }
}

fn record(checkpoint: &Checkpoint) -> JsonBuf {
    let body = Object::new().string("stringValue", checkpoint.as_str()).finish();
    let facts = [
        ("event.name", "mcp.audit.checkpoint".to_owned()),
        ("mcp.audit.seq", checkpoint.seq.to_string()),
        ("mcp.audit.head", checkpoint.head.to_string()),
    ];
    let now = nanos(SystemTime::now());
    Object::new()
        .string("timeUnixNano", &now)
        .string("observedTimeUnixNano", &now)
        .raw("severityNumber", &INFO.to_string())
        .string("eventName", "mcp.audit.checkpoint")
        .json("body", body.as_json())
        .json("attributes", attributes(&facts).as_json())
        .finish()
}

impl std::fmt::Debug for CollectorAnchors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CollectorAnchors").field("to", &self.poster.shown()).finish_non_exhaustive()
    }
}
