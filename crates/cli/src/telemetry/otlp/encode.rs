//! Encodes spans and log records as the JSON documents of OTLP, in which ids are hexadecimal and
//! 64-bit numbers are strings.
use std::time::{SystemTime, UNIX_EPOCH};

use overt_wire::hex::hex;
use overt_wire::json::{Array, JsonBuf, Object};

use super::span::Finished;

/// The sender of the document.
#[derive(Debug, Clone)]
pub(super) struct Resource {
    pub(super) service: String,
    /// Distinguishes processes of the same service.
    pub(super) instance: String,
}

const SERVER: u8 = 2;
const ERROR: u8 = 2;

/// Returns one document with all spans.
pub(super) fn document(resource: &Resource, spans: &[Finished]) -> String {
    let spans = spans.iter().fold(Array::new(), |all, finished| all.json(span(finished).as_json())).finish();
    envelope(resource, ["resourceSpans", "scopeSpans", "spans"], &spans)
}

/// Returns one document with all log records.
pub(super) fn logs(resource: &Resource, records: &JsonBuf) -> String {
    envelope(resource, ["resourceLogs", "scopeLogs", "logRecords"], records)
}

/// Wraps the items in a description of their sender.
fn envelope(resource: &Resource, names: [&str; 3], items: &JsonBuf) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let attributes = attributes(&[
        ("service.name", resource.service.clone()),
        ("service.version", version.to_owned()),
        ("service.instance.id", resource.instance.clone()),
    ]);
    let scope = Object::new().string("name", "overt").string("version", version).finish();
    let of_scope = Object::new().json("scope", scope.as_json()).json(names[2], items.as_json()).finish();
    let resource = Object::new().json("attributes", attributes.as_json()).finish();
    let of_resource = Object::new()
        .json("resource", resource.as_json())
        .json(names[1], Array::new().json(of_scope.as_json()).finish().as_json())
        .finish();
    let all = Array::new().json(of_resource.as_json()).finish();
    Object::new().json(names[0], all.as_json()).finish().into_string()
}

fn span(finished: &Finished) -> JsonBuf {
    let own = &finished.span.trace_parent;
    let mut span = Object::new()
        .string("traceId", &hex(&own.trace_id))
        .string("spanId", &hex(&own.span_id))
        .string("name", &finished.name)
        .raw("kind", &SERVER.to_string())
        .string("startTimeUnixNano", &nanos(finished.span.started))
        .string("endTimeUnixNano", &nanos(finished.ended))
        .json("attributes", attributes(&finished.attributes).as_json());
    if let Some(parent) = &finished.span.parent {
        span = span.string("parentSpanId", &hex(parent));
    }
    if let Some(state) = &finished.span.trace_state {
        span = span.string("traceState", state);
    }
    let status = Object::new();
    let status = if finished.failed { status.raw("code", &ERROR.to_string()) } else { status };
    span.json("status", status.finish().as_json()).finish()
}

pub(super) fn attributes(pairs: &[(&str, String)]) -> JsonBuf {
    let attribute = |(name, value): &(&str, String)| {
        let value = Object::new().string("stringValue", value).finish();
        Object::new().string("key", name).json("value", value.as_json()).finish()
    };
    pairs.iter().fold(Array::new(), |all, pair| all.json(attribute(pair).as_json())).finish()
}

pub(super) fn nanos(moment: SystemTime) -> String {
    moment.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos().to_string()
}
