//! Everything that is needed to open a connection.
use std::time::Duration;

use overt_gateway::pins::Identity;
use overt_operator::server_name::identity;
use overt_secrets::{HIDDEN, hide, is_secret_name};
use overt_transport::client::{Protocol, Target};
use overt_transport::limits::Limits;

use super::name::name;
use super::project::working_directory;
use super::target::Inherit;
use super::{Env, Root, target};
use crate::args::{Auto, TargetArgs};
use crate::error::CommandError;

/// A server, and the limits for using it.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) target: Target,
    /// The server as the user typed it.
    pub(crate) label: String,
    /// The name of the server in scopes, grants and the audit log.
    pub(crate) name: String,
    pub(crate) protocol: Protocol,
    pub(crate) limits: Limits,
    pub(crate) roots: Vec<Root>,
}

impl Connection {
    /// A connection for the user who started this process: a program gets the same environment as
    /// if the user had started it.
    pub(crate) fn resolve(args: &TargetArgs, url: Option<&str>, env: &Env) -> Result<Self, CommandError> {
        Self::resolve_with(args, url, Inherit::All, env)
    }

    pub(super) fn resolve_with(
        args: &TargetArgs,
        url: Option<&str>,
        inherit: Inherit,
        env: &Env,
    ) -> Result<Self, CommandError> {
        Ok(Self {
            target: target::resolve(args, url, inherit, env)?,
            label: label(args, url),
            name: name(args, url),
            protocol: match args.protocol {
                Auto::Auto => Protocol::Auto,
                Auto::Given(version) => Protocol::Only(version),
            },
            limits: args.timeout.map(limits).unwrap_or_default(),
            roots: args.roots.iter().map(|path| Root::resolve(path)).collect::<Result<_, _>>()?,
        })
    }

    /// The identity that distinguishes this server from every other one.
    pub(crate) fn server(&self) -> Identity {
        Identity::of(&self.target, working_directory().as_deref()).named(Some(self.name.clone()))
    }

    /// The name with an id, which distinguishes servers of the same name.
    pub(crate) fn identity(&self) -> String {
        identity(&self.name, &self.server())
    }
}

/// `--timeout` bounds each single wait, including the wait for the first answer.
fn limits(timeout: Duration) -> Limits {
    let default = Limits::default();
    Limits {
        request_deadline: timeout,
        connect_deadline: default.connect_deadline.min(timeout),
        handshake_deadline: default.handshake_deadline.min(timeout),
        // The probe comes before the handshake and must leave time for it.
        probe_deadline: default.probe_deadline.min(timeout / 2),
        ..default
    }
}

/// The name in the file, the host, or the command. Parts of a URL that may be secret are left out.
fn label(args: &TargetArgs, url: Option<&str>) -> String {
    if let Some(url) = url {
        let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        return host.rsplit('@').next().unwrap_or_default().to_owned();
    }
    if let Some(name) = args.mcp_json.as_ref().and_then(|words| words.last()) {
        return name.to_string_lossy().into_owned();
    }
    let words: Vec<_> = args.command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    without_secrets(&words)
}

/// A command line for messages and logs. It omits the values of options that hold secrets, and
/// everything that looks like a secret.
fn without_secrets(words: &[String]) -> String {
    let mut shown: Vec<String> = Vec::with_capacity(words.len());
    let mut is_value = false;
    for word in words {
        let option = word.strip_prefix('-').map(|rest| rest.trim_start_matches('-'));
        let names_secret = |name: &str| is_secret_name(name) || is_secret_name(&name.replace('-', "_"));
        shown.push(match (option, word.split_once('=')) {
            (_, Some((name, _))) if names_secret(name.trim_start_matches('-')) => format!("{name}={HIDDEN}"),
            (None, _) if is_value => HIDDEN.to_owned(),
            _ => hide(word).into_owned(),
        });
        is_value = option.is_some_and(names_secret);
    }
    shown.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn g_59_a_command_line_is_shown_without_secrets() {
        for (line, shown) in [
            ("npx -y server ./dir", "npx -y server ./dir"),
            ("server --token abc --port 1", "server --token [redacted] --port 1"),
            ("server --api-key=abc -v", "server --api-key=[redacted] -v"),
            ("env API_KEY=abc server", "env API_KEY=[redacted] server"),
            ("server postgres://u:p@h/db", "server postgres://[redacted]@h/db"),
            ("server --password --verbose", "server --password --verbose"),
            ("server ghp_0123456789abcdefghij", "server [redacted]"),
        ] {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            assert_eq!(without_secrets(&words), shown);
        }
    }
}
