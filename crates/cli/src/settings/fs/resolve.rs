//! From the command line, the environment and a file to what `overt fs` does.
use std::path::{Path, PathBuf};

use overt_servers::files::sandbox::Walls;
use overt_servers::files::{NAME, Options};
use overt_spec::control::Regions;
use overt_spec::setting::{List, Values};
use overt_transport::limits::Limits;

use super::super::control::{GRANTABLE, ROOTS, Special};
use super::super::{Clients, ControlPlan, Env, TelemetrySettings};
use super::walls::{Serves, walls};
use crate::args::FsArgs;
use crate::failure::Failure;

/// Everything that serving files needs.
#[derive(Debug)]
pub(crate) struct FsSettings {
    pub(crate) options: Options,
    /// What decides about calls.
    pub(crate) control: ControlPlan,
    pub(crate) clients: Clients,
    /// Limits towards the clients.
    pub(crate) limits: Limits,
    pub(crate) telemetry: TelemetrySettings,
    pub(crate) sandbox: SandboxPlan,
    pub(crate) is_read_only: bool,
    /// What of the roots is left out because it is no files.
    pub(crate) hidden: Vec<String>,
}

/// Whether the kernel is to keep the program to what it serves.
#[derive(Debug)]
pub(crate) enum SandboxPlan {
    Off,
    /// As well as it can.
    Try(Walls),
    /// Or there is no start.
    Require(Walls),
}

impl FsSettings {
    pub(crate) fn resolve(args: &FsArgs, env: &Env) -> Result<Self, Failure> {
        let control = ControlPlan::resolve(&args.control, env, NAME)?;
        let telemetry = TelemetrySettings::resolve(&args.telemetry, env)?;
        let limits = Limits::default();
        let values = control.settings.values.capped_by(&control.settings.ceiling);
        let roots = roots(&values, args.control.given.words(ROOTS).unwrap_or_default());
        let grantable: List = values.get(GRANTABLE).unwrap_or_default();
        let grantable: Vec<PathBuf> = grantable.into_iter().map(PathBuf::from).collect();
        let folders = roots.iter().chain(&grantable).map(PathBuf::as_path).collect();
        let flag = |key| values.get::<bool>(key).unwrap_or_default();
        let is_read_only = flag("read_only");
        let serves = Serves { folders, is_read_only };
        let is_off = values.get::<String>("sandbox").is_some_and(|word| word == "off");
        let sandbox = match (is_off, flag("require_sandbox")) {
            (_, true) => SandboxPlan::Require(walls(&serves, &control, &telemetry)),
            (false, false) => SandboxPlan::Try(walls(&serves, &control, &telemetry)),
            (true, false) => SandboxPlan::Off,
        };
        let hidden = if flag("allow_special") { Vec::new() } else { hidden(&roots) };
        let clients = Clients::resolve(&args.clients, &limits);
        let options = Options { grantable, ..Options::new(roots, values) };
        Ok(Self { options, control, clients, limits, telemetry, sandbox, is_read_only, hidden })
    }
}

/// The roots, the default one first, by the names that they were given on the command line: clients may know them by these.
fn roots(values: &Values, words: &[String]) -> Vec<PathBuf> {
    let regions: Regions = values.get(ROOTS).unwrap_or_default();
    let mut folders: Vec<_> = regions.folders().next().unwrap_or_default();
    folders.sort_by_key(|folder| !folder.is_default);
    let named = |real: &str| {
        let names = words.iter().filter_map(|word| std::path::absolute(word).ok());
        let mut same =
            names.filter(|name| std::fs::canonicalize(name).is_ok_and(|found| found == Path::new(real)));
        same.next().unwrap_or_else(|| PathBuf::from(real))
    };
    folders.iter().map(|folder| named(&folder.path)).collect()
}

fn hidden(roots: &[PathBuf]) -> Vec<String> {
    let special = Special::read();
    let inside = roots.iter().filter_map(|root| root.to_str()).flat_map(|root| special.within(root));
    inside.map(str::to_owned).collect()
}
