//! Everything that opening a conversation needs.
use std::time::Duration;

use overt_transport::client::{Protocol, Target};
use overt_transport::limits::Limits;

use super::{Env, Root, target};
use crate::args::{Auto, TargetArgs};
use crate::failure::Failure;

/// Which server, and what it may cost us.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) target: Target,
    pub(crate) protocol: Protocol,
    pub(crate) limits: Limits,
    pub(crate) roots: Vec<Root>,
}

impl Connection {
    pub(super) fn resolve(args: &TargetArgs, url: Option<&str>, env: &Env) -> Result<Self, Failure> {
        Ok(Self {
            target: target::resolve(args, url, env)?,
            protocol: match args.protocol {
                Auto::Auto => Protocol::Auto,
                Auto::Given(version) => Protocol::Only(version),
            },
            limits: args.timeout.map(limits).unwrap_or_default(),
            roots: args.roots.iter().map(|path| Root::resolve(path)).collect::<Result<_, _>>()?,
        })
    }
}

/// `--timeout` bounds every single wait, the first answer included.
fn limits(timeout: Duration) -> Limits {
    let default = Limits::default();
    Limits {
        request_deadline: timeout,
        connect_deadline: default.connect_deadline.min(timeout),
        handshake_deadline: default.handshake_deadline.min(timeout),
        // The probe comes before the handshake and must leave it time.
        probe_deadline: default.probe_deadline.min(timeout / 2),
        ..default
    }
}
