//! Settings of telemetry: logs, the trace, spans, health and metrics.
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use overt_transport::http::Exposure;

use super::{Env, LogSettings};
use crate::args::TelemetryArgs;
use crate::error::{CommandError, user_error};

/// The default destination of spans and the headers to send. OpenTelemetry defines all three names.
const OTEL_ENDPOINT: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";
const OTEL_HEADERS: &str = "OTEL_EXPORTER_OTLP_HEADERS";
const OTEL_SERVICE_NAME: &str = "OTEL_SERVICE_NAME";
/// Turns telemetry off, whatever other variables say.
const OTEL_DISABLED: &str = "OTEL_SDK_DISABLED";

/// Everything that observes a connection.
#[derive(Debug)]
pub(crate) struct TelemetrySettings {
    pub(crate) log: LogSettings,
    pub(crate) trace: Option<PathBuf>,
    pub(crate) otlp: Option<OtlpSettings>,
    pub(crate) status: Option<StatusSettings>,
}

/// The destination of spans.
#[derive(Clone)]
pub(crate) struct OtlpSettings {
    /// The complete URL, including the path that accepts spans.
    pub(crate) url: String,
    /// Headers of each request; they may be secret.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) service: String,
}

/// The address at which health and metrics are served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StatusSettings {
    pub(crate) address: SocketAddr,
    pub(crate) exposure: Exposure,
    pub(crate) hosts: Vec<String>,
}

impl TelemetrySettings {
    pub(crate) fn resolve(args: &TelemetryArgs, env: &Env) -> Result<Self, CommandError> {
        if args.trace.as_deref() == Some(Path::new("-")) {
            return Err(user_error(
                "`--trace -` is not possible: standard output belongs to the conversation",
            )
            .hinted("name a file, such as `--trace trace.jsonl`"));
        }
        Ok(Self {
            log: LogSettings::resolve(args.log.as_deref(), args.log_format, env)?,
            trace: args.trace.clone(),
            otlp: OtlpSettings::resolve(args.otlp.as_deref(), env)?,
            status: args.status.map(|address| StatusSettings {
                address,
                exposure: match args.status_anywhere {
                    true => Exposure::Anywhere,
                    false => Exposure::LoopbackOnly,
                },
                hosts: args.status_hosts.clone(),
            }),
        })
    }
}

impl OtlpSettings {
    fn resolve(asked: Option<&str>, env: &Env) -> Result<Option<Self>, CommandError> {
        let set = |name: &str| env.get(name).map(str::trim).filter(|value| !value.is_empty());
        let disabled = set(OTEL_DISABLED).is_some_and(|value| value.eq_ignore_ascii_case("true"));
        // The command-line option takes precedence over the variable that disables telemetry.
        let endpoint = match (asked, disabled) {
            (Some(asked), _) => asked,
            (None, true) => return Ok(None),
            (None, false) => match set(OTEL_ENDPOINT) {
                Some(endpoint) => endpoint,
                None => return Ok(None),
            },
        };
        let headers = set(OTEL_HEADERS).map_or(Some(Vec::new()), headers);
        let headers = headers.ok_or_else(|| {
            user_error(format!("`{OTEL_HEADERS}` is not a list of headers"))
                .hinted("write it as `name=value,name=value`, with `%20` for a space")
        })?;
        let service = set(OTEL_SERVICE_NAME).unwrap_or("overt").to_owned();
        Ok(Some(Self { url: traces_url(endpoint), headers, service }))
    }
}

impl std::fmt::Debug for OtlpSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The address and the headers may contain keys.
        f.debug_struct("OtlpSettings").field("service", &self.service).finish_non_exhaustive()
    }
}

/// The URL for spans below the address of a collector.
fn traces_url(endpoint: &str) -> String {
    let endpoint = endpoint.trim_end_matches('/');
    if endpoint.ends_with("/v1/traces") { endpoint.to_owned() } else { format!("{endpoint}/v1/traces") }
}

/// Parses `name=value,name=value`, where values may be percent-encoded.
fn headers(text: &str) -> Option<Vec<(String, String)>> {
    let pairs = text.split(',').map(str::trim).filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let (name, value) = pair.split_once('=')?;
            Some((name.trim().to_owned(), decoded(value.trim())?))
        })
        .collect()
}

fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let digits = std::str::from_utf8(after.get(..2)?).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = &after[2..];
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn otlp(asked: Option<&str>, variables: &[(&str, &str)]) -> Option<OtlpSettings> {
        OtlpSettings::resolve(asked, &Env::of(variables)).unwrap()
    }

    #[test]
    fn spans_go_where_the_option_or_the_environment_says() {
        assert!(otlp(None, &[]).is_none());
        let variables = [
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318/"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "api-key=a%20b, x = y"),
            ("OTEL_SERVICE_NAME", "mine"),
        ];
        let from_env = otlp(None, &variables).unwrap();
        assert_eq!(from_env.url, "http://c:4318/v1/traces");
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(from_env.headers, [pair("api-key", "a b"), pair("x", "y")]);
        assert_eq!(from_env.service, "mine");
        let asked = otlp(Some("https://d/v1/traces"), &variables).unwrap();
        assert_eq!(asked.url, "https://d/v1/traces");
        let disabled = [variables[0], ("OTEL_SDK_DISABLED", "TRUE")];
        assert!(otlp(None, &disabled).is_none());
        assert_eq!(otlp(Some("http://e"), &disabled).unwrap().service, "overt");
    }

    #[test]
    fn headers_that_are_none_are_refused_without_showing_them() {
        for bad in ["secret", "a=%zz", "a=%2", "a=%ff"] {
            let variables =
                [("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c"), ("OTEL_EXPORTER_OTLP_HEADERS", bad)];
            let error = OtlpSettings::resolve(None, &Env::of(&variables)).unwrap_err();
            assert!(!error.to_string().contains(bad), "{error}");
        }
    }

    #[test]
    fn the_trace_is_a_file() {
        let args = TelemetryArgs { trace: Some("-".into()), ..TelemetryArgs::default() };
        assert!(TelemetrySettings::resolve(&args, &Env::default()).is_err());
    }
}
