//! The paths that the program still opens inside the sandbox: the served folders, its own state,
//! and the files that telemetry needs.
use std::fs::{DirBuilder, OpenOptions};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use overt_servers::files::sandbox::SandboxPaths;

use super::super::{ControlPlan, TelemetrySettings};

/// Files that are read to resolve the host name of a collector, including those of the libraries
/// that resolve it.
const NAMES: &[&str] = &[
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/nsswitch.conf",
    "/etc/host.conf",
    "/etc/gai.conf",
    "/etc/services",
    "/etc/ssl",
    "/etc/pki",
    "/etc/ca-certificates",
    "/etc/ld.so.cache",
    "/run/systemd/resolve",
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
];
/// The process's memory use, which its metrics report.
const OWN_STATUS: &str = "/proc/self";

/// The folders that are served, and whether they may be changed.
#[derive(Debug)]
pub(in crate::settings) struct Serves<'a> {
    pub(in crate::settings) folders: Vec<&'a Path>,
    pub(in crate::settings) is_read_only: bool,
}

/// Returns the paths. It creates missing ones first, because a sandbox rule applies only to
/// existing files.
pub(super) fn sandbox_paths(
    serves: &Serves<'_>,
    control: &ControlPlan,
    telemetry: &TelemetrySettings,
) -> SandboxPaths {
    let folders = serves.folders.iter().map(|folder| (*folder).to_owned());
    let (mut read, mut write): (Vec<PathBuf>, Vec<PathBuf>) = match serves.is_read_only {
        true => (folders.collect(), Vec::new()),
        false => (Vec::new(), folders.collect()),
    };
    write.extend(folder(&control.state));
    // The folder contains the logs of other servers too.
    let logs = control.audit.as_deref().and_then(Path::parent);
    write.extend(logs.and_then(folder));
    let files = [telemetry.trace.as_deref(), control.settings.audit.checkpoint_file.as_deref()];
    write.extend(files.into_iter().flatten().filter_map(file));
    read.retain(|path| !write.contains(path));
    let mut read_if_there = Vec::new();
    if telemetry.otlp.is_some() {
        read_if_there.extend(NAMES.iter().map(PathBuf::from));
    }
    if telemetry.status.is_some() {
        read_if_there.push(PathBuf::from(OWN_STATUS));
    }
    SandboxPaths { read, write, read_if_there }
}

/// Creates the folder. On failure, the code that needs the folder reports the error.
fn folder(path: &Path) -> Option<PathBuf> {
    DirBuilder::new().recursive(true).mode(0o700).create(path).ok()?;
    Some(path.to_owned())
}

fn file(path: &Path) -> Option<PathBuf> {
    // Opening a pipe would block.
    if path.metadata().is_ok_and(|found| !found.is_file()) {
        return None;
    }
    OpenOptions::new().create(true).append(true).mode(0o600).open(path).ok()?;
    Some(path.to_owned())
}
