//! Settings of the program's own log.
use tracing_subscriber::EnvFilter;

use super::{Env, OVERT_LOG, Verbosity};
use crate::args::LogFormat;
use crate::error::{CommandError, user_error};

/// Which of our events become log lines, and in which form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LogSettings {
    /// A filter in the syntax of `tracing-subscriber`.
    pub(crate) filter: String,
    pub(crate) format: LogFormat,
    /// Whether lines of text begin with the time; JSON lines always contain it.
    pub(crate) times: LogTimes,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LogTimes {
    Shown,
    /// For commands that end soon.
    LeftOut,
}

/// The crates to which a bare level applies. Events of other crates would drown ours, and may show
/// what is sent over the network.
const OURS: [&str; 5] = ["overt", "overt_transport", "overt_layers", "overt_auth", "overt_gateway"];
const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

impl LogSettings {
    /// For a command that serves. The option takes precedence over the environment; the default is
    /// warnings.
    pub(super) fn resolve(asked: Option<&str>, format: LogFormat, env: &Env) -> Result<Self, CommandError> {
        let text = asked.or_else(|| env.get(OVERT_LOG)).unwrap_or("warn");
        let filter = directives(text);
        EnvFilter::builder()
            .parse(&filter)
            .map_err(|source| {
                user_error(format!("`{text}` is not a log filter")).caused_by(source).hinted(
                    "use a level (off, error, warn, info, debug, trace) or directives such as `warn,overt_gateway=debug`",
                )
            })?;
        Ok(Self { filter, format, times: LogTimes::Shown })
    }

    /// For a command that runs once. The environment takes precedence over the verbosity.
    pub(crate) fn of_verbosity(verbosity: Verbosity, env: &Env) -> Self {
        let level = match verbosity {
            Verbosity::Quiet => "off",
            Verbosity::Normal => "warn",
            Verbosity::Verbose => "info",
            Verbosity::Debug => "debug",
        };
        let filter = directives(env.get(OVERT_LOG).unwrap_or(level));
        Self { filter, format: LogFormat::Text, times: LogTimes::LeftOut }
    }
}

/// Turns a bare level into directives for our own crates; leaves everything else unchanged.
fn directives(text: &str) -> String {
    let text = text.trim();
    if !LEVELS.iter().any(|level| text.eq_ignore_ascii_case(level)) {
        return text.to_owned();
    }
    OURS.map(|target| format!("{target}={text}")).join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_mean_our_own_crates() {
        let env = Env::of(&[("OVERT_LOG", "info")]);
        let asked = LogSettings::resolve(Some("debug"), LogFormat::Json, &env).unwrap();
        assert!(asked.filter.starts_with("overt=debug,overt_transport=debug,"));
        assert!(LogSettings::resolve(None, LogFormat::Text, &env).unwrap().filter.starts_with("overt=info,"));
        let default = LogSettings::resolve(None, LogFormat::Text, &Env::default()).unwrap();
        assert!(default.filter.starts_with("overt=warn,"));
        let filter = LogSettings::resolve(Some("warn,hyper=trace"), LogFormat::Text, &env).unwrap().filter;
        assert_eq!(filter, "warn,hyper=trace");
    }

    #[test]
    fn a_filter_that_means_nothing_is_refused() {
        for bad in ["overt=loud", "a=b=c", "overt["] {
            assert!(LogSettings::resolve(Some(bad), LogFormat::Text, &Env::default()).is_err(), "{bad}");
        }
    }
}
