//! Everything that opening a conversation needs.
use std::path::{Path, PathBuf};
use std::time::Duration;

use overt_transport::client::{Protocol, Target};
use overt_transport::limits::Limits;

use super::{Env, target};
use crate::args::{Auto, TargetArgs};
use crate::failure::{Complaint, Failure};

/// Which server, and what it may cost us.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) target: Target,
    pub(crate) protocol: Protocol,
    pub(crate) limits: Limits,
    pub(crate) roots: Vec<Root>,
}

/// A directory in which the server may work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Root {
    pub(crate) uri: String,
    pub(crate) name: String,
}

/// `--root` names something that is no directory.
#[derive(Debug, thiserror::Error)]
#[error("`--root {}` is no directory that can be opened", path.display())]
pub(crate) struct RootError {
    path: PathBuf,
    source: std::io::Error,
}

impl Complaint for RootError {}

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

impl Root {
    fn resolve(path: &Path) -> Result<Self, RootError> {
        let error = |source| RootError { path: path.to_owned(), source };
        let absolute = target::absolute(path).map_err(error)?;
        if !absolute.is_dir() {
            return Err(error(std::io::ErrorKind::NotADirectory.into()));
        }
        let name =
            absolute.file_name().map_or_else(|| "/".into(), |name| name.to_string_lossy().into_owned());
        Ok(Self { uri: target::file_uri(&absolute), name })
    }
}
