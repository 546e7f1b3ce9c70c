//! Resolves the command line to the settings of `overt skills`.
use std::path::Path;

use overt_servers::skills::{NAME, Options, Root, Serve};
use overt_transport::limits::Limits;

use super::super::fs::sandbox_paths::Serves;
use super::super::fs::{SandboxPlan, enforced};
use super::super::project::served_project;
use super::super::{Clients, ControlPlan, Env, TelemetrySettings};
use crate::args::{ServeForm, SkillsArgs};
use crate::error::{CommandError, user_error};

/// Everything that is needed to serve skills.
#[derive(Debug)]
pub(crate) struct SkillsSettings {
    pub(crate) options: Options,
    /// Whether the index and the files are published beside the endpoint.
    pub(crate) well_known: bool,
    /// Everything that decides about reads.
    pub(crate) control: ControlPlan,
    pub(crate) clients: Clients,
    /// Limits towards the clients.
    pub(crate) limits: Limits,
    pub(crate) telemetry: TelemetrySettings,
    pub(crate) sandbox: SandboxPlan,
    /// The options with which the server was started, to build the command that starts it again.
    pub(crate) flags: Vec<String>,
}

impl SkillsSettings {
    pub(crate) fn resolve(args: &SkillsArgs, env: &Env) -> Result<Self, CommandError> {
        let control = ControlPlan::resolve(&args.control, env, NAME)?;
        let telemetry = TelemetrySettings::resolve(&args.telemetry, env)?;
        let limits = Clients::limits(&args.clients, &Limits::default());
        let roots = args.directories.iter().map(|path| root(path)).collect::<Result<Vec<_>, _>>()?;
        let docs = args.docs.as_deref().map(root).transpose()?;
        let folders = roots.iter().chain(&docs).map(|root| root.path.as_path()).collect();
        let serves = Serves { folders, is_read_only: true };
        let values = control.settings.values.capped_by(&control.settings.ceiling);
        let sandbox = SandboxPlan::resolve(&values, &serves, &control, &telemetry);
        let clients = Clients::resolve(&args.clients, &limits, &control.state);
        let flags = flags(args, docs.as_ref());
        let options = Options {
            roots,
            serve: match args.serve {
                ServeForm::Auto => Serve::Auto,
                ServeForm::Source => Serve::Source,
                ServeForm::Projected => Serve::Projected,
            },
            tools: args.tools,
            prompts: args.prompts,
            docs,
            project: served_project(&args.clients),
            enforced: enforced(&control, NAME),
            ..Options::default()
        };
        Ok(Self { options, well_known: args.well_known, control, clients, limits, telemetry, sandbox, flags })
    }
}

fn flags(args: &SkillsArgs, docs: Option<&Root>) -> Vec<String> {
    let form = match args.serve {
        ServeForm::Auto => None,
        ServeForm::Source => Some("--serve=source"),
        ServeForm::Projected => Some("--serve=projected"),
    };
    let given = [args.tools.then_some("--tools"), args.prompts.then_some("--prompts"), form];
    let docs = docs.map(|docs| format!("--docs={}", docs.path.display()));
    given.into_iter().flatten().map(str::to_owned).chain(docs).chain(args.control.command_line()).collect()
}

fn root(path: &Path) -> Result<Root, CommandError> {
    let hint = "name the directory of a skill, or one with skills in it; `overt skill new` starts one";
    let real = path.canonicalize().map_err(|source| {
        user_error(format!("`{}` can't be opened", path.display())).caused_by(source).hinted(hint)
    })?;
    if !real.is_dir() {
        return Err(user_error(format!("`{}` is not a directory", path.display())).hinted(hint));
    }
    Ok(Root { path: real, shown: path.to_string_lossy().into_owned() })
}
