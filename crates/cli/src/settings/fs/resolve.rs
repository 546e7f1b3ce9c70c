//! Resolves the command line, the environment and a file to the settings of `overt fs`.
use std::ffi::OsStr;
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use overt_clients::ClientFolders;
use overt_policy::record::Audit;
use overt_policy::scope::{Scope, ScopeSet, kind_of};
use overt_servers::files::sandbox::SandboxPaths;
use overt_servers::files::{Compat, NAME, OperatorLimits, Options};
use overt_settings::Regions;
use overt_settings::{List, SettingValues};
use overt_transport::limits::Limits;

use super::super::control::{GRANTABLE, ROOTS, Special};
use super::super::project::served_project;
use super::super::{Clients, ControlPlan, Env, TelemetrySettings};
use super::sandbox_paths::{Serves, sandbox_paths};
use crate::args::FsArgs;
use crate::error::{CommandError, outside_error};
use crate::granted::{CommonConfig, SpawnerConfig, Walls};

/// Everything that is needed to serve files.
#[derive(Debug)]
pub(crate) struct FsSettings {
    pub(crate) options: Options,
    /// Everything that decides about calls.
    pub(crate) control: ControlPlan,
    pub(crate) clients: Clients,
    /// Limits towards the clients.
    pub(crate) limits: Limits,
    pub(crate) telemetry: TelemetrySettings,
    pub(crate) sandbox: SandboxPlan,
    pub(crate) is_read_only: bool,
    /// What starts workers for places outside of the roots; `None` if nothing there is granted.
    pub(crate) spawner: Option<SpawnerConfig>,
    /// What was read from standard input to learn the roots of the client.
    pub(crate) read_ahead: Vec<u8>,
    /// The flags with which the server was started, to build the command that starts it again.
    pub(crate) flags: Vec<String>,
    /// Special file systems inside the roots, which are not served.
    pub(crate) hidden: Vec<String>,
}

/// Whether the kernel confines the program to what it serves.
#[derive(Debug)]
pub(crate) enum SandboxPlan {
    Off,
    /// Confine the program as far as the kernel can.
    Try(SandboxPaths),
    /// Refuse to start if the kernel cannot confine the program.
    Require(SandboxPaths),
}

impl SandboxPlan {
    /// The plan from the settings, for a program that serves these folders.
    pub(in crate::settings) fn resolve(
        values: &SettingValues,
        serves: &Serves<'_>,
        control: &ControlPlan,
        telemetry: &TelemetrySettings,
    ) -> Self {
        let is_off = values.get::<String>("sandbox").is_some_and(|word| word == "off");
        match (is_off, values.get::<bool>("require_sandbox").unwrap_or_default()) {
            (_, true) => Self::Require(sandbox_paths(serves, control, telemetry)),
            (false, false) => Self::Try(sandbox_paths(serves, control, telemetry)),
            (true, false) => Self::Off,
        }
    }
}

/// The value of `compat` that selects the literal forms of seed 002.
const MCP4H: &str = "mcp4h";

impl FsSettings {
    pub(crate) fn resolve(args: &FsArgs, env: &Env) -> Result<Self, CommandError> {
        let control = ControlPlan::resolve(&args.control, env, NAME)?;
        let telemetry = TelemetrySettings::resolve(&args.telemetry, env)?;
        let limits = Clients::limits(&args.clients, &Limits::default());
        let values = control.settings.values.capped_by(&control.settings.ceiling);
        // Where an operator's policy narrows the roots, they are still the folders to open.
        let roots = roots(&control.settings.values, args.control.flags.words(ROOTS).unwrap_or_default());
        let grantable: List = values.get(GRANTABLE).unwrap_or_default();
        let grantable: Vec<PathBuf> = grantable.into_iter().map(PathBuf::from).collect();
        let folders = roots.iter().chain(&grantable).map(PathBuf::as_path).collect();
        let flag = |key| values.get::<bool>(key).unwrap_or_default();
        let is_read_only = flag("read_only");
        let serves = Serves { folders, is_read_only };
        let sandbox = SandboxPlan::resolve(&values, &serves, &control, &telemetry);
        let hidden = if flag("allow_special") { Vec::new() } else { hidden(&roots) };
        let clients = Clients::resolve(&args.clients, &limits, &control.state);
        let keeps = !is_read_only && values.get::<u64>("journal_max_bytes") != Some(0);
        let journal = keeps.then(|| journal(&control.state)).transpose()?;
        let compat = values.get::<String>("compat");
        let is_literal = compat.as_deref() == Some(MCP4H);
        let compat = compat.filter(|_| !is_literal).map(|_| Compat::Official);
        let variable = |name: &str| env.variable(name).map(OsStr::to_owned);
        let moved = ClientFolders::new(variable, None).moved().into_iter();
        let options = Options {
            client_folders: moved.map(|(folder, usual)| (real(&folder), usual)).collect(),
            grantable,
            journal,
            compat,
            project: served_project(&args.clients),
            enforced: enforced(&control, NAME),
            is_literal,
            ..Options::new(roots, values)
        };
        let spawner = spawner(&options, &control, &sandbox);
        let protected = spawner.as_ref().map(|spawner| spawner.protected.clone()).unwrap_or_default();
        let options = Options { protected, ..options };
        let flags = args.control.command_line();
        Ok(Self {
            options,
            control,
            clients,
            limits,
            telemetry,
            sandbox,
            is_read_only,
            spawner,
            read_ahead: Vec::new(),
            flags,
            hidden,
        })
    }
}

/// Returns what the spawner goes by. Folders that were named as grantable are opened by the server
/// itself, and so no others can be granted.
fn spawner(options: &Options, control: &ControlPlan, sandbox: &SandboxPlan) -> Option<SpawnerConfig> {
    let authority = &control.settings.authority;
    let ceiling = authority.grantable.as_ref().filter(|grantable| !grantable.is_empty())?;
    let is_open = options.settings.get::<bool>("allow_all").unwrap_or_default();
    if is_open || !options.grantable.is_empty() {
        return None;
    }
    let special = Special::read();
    let special: Vec<PathBuf> = match options.settings.get::<bool>("allow_special") {
        Some(true) => Vec::new(),
        _ => special.within("/").map(PathBuf::from).collect(),
    };
    let logs = control.audit.as_deref().and_then(Path::parent);
    let own = [Some(&*control.state), logs, control.settings.audit.checkpoint_file.as_deref()];
    let files = [control.sources.file(), control.sources.user_file()];
    let texts = |scopes: &ScopeSet| scopes.iter().map(Scope::to_text).collect();
    Some(SpawnerConfig {
        state: control.state.clone(),
        server: kind_of(NAME),
        project: options.project.clone(),
        ceiling: texts(ceiling),
        denied: texts(&authority.denied),
        believes_clients: options.settings.get::<bool>("trust_grants").unwrap_or_default(),
        protected: own.into_iter().flatten().map(real).chain(special).collect(),
        common: CommonConfig {
            immutable: files.into_iter().flatten().map(real).collect(),
            client_folders: options.client_folders.clone(),
            journal: options.journal.clone(),
            settings: options.settings.to_json().into_iter().filter(|(key, _)| key != ROOTS).collect(),
            is_official: options.compat.is_some(),
            walls: match sandbox {
                SandboxPlan::Off => Walls::Off,
                SandboxPlan::Try(_) => Walls::Try,
                SandboxPlan::Require(_) => Walls::Require,
            },
        },
    })
}

fn real(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// The limits that the layers around the server enforce, for the server's description (D-12, C-09).
pub(in crate::settings) fn enforced(control: &ControlPlan, name: &str) -> OperatorLimits {
    let settings = &control.settings;
    let (rate_limit, tool_rate_limit) = control.strictest_rates();
    let days = settings.audit.retention.map(|time| time.as_secs().div_ceil(24 * 3600));
    OperatorLimits {
        rate_limit,
        tool_rate_limit,
        audit: Audit {
            // The path of the log on this machine is not disclosed; `overt audit` finds the log by
            // the server's name.
            log_uri: control.audit.as_ref().map(|_| format!("overt:audit/{name}")),
            retention_days: days
                .filter(|_| control.audit.is_some())
                .and_then(|days| u32::try_from(days).ok()),
            ..Audit::default()
        },
    }
}

/// Creates the folder of the journal, which keeps the content from before each change. All file
/// servers of a user share it, because the content belongs to the files and not to the roots under
/// which they are served.
fn journal(state: &Path) -> Result<PathBuf, CommandError> {
    let path = state.join("files/journal");
    let made = DirBuilder::new().recursive(true).mode(0o700).create(&path);
    let failed = |source: std::io::Error| {
        outside_error(format!("what was there before a change can't be kept in `{}`", path.display()))
            .caused_by(source)
            .hinted(
                "set `OVERT_STATE_DIR` to a folder of your own; `--journal-max-bytes 0` keeps nothing, and nothing can be undone",
            )
    };
    made.map_err(failed)?;
    Ok(path)
}

/// The roots, the default one first, spelled as on the command line, because clients may know them
/// by these paths.
fn roots(values: &SettingValues, words: &[String]) -> Vec<PathBuf> {
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
