//! The settings of `overt run`.
use std::time::Duration;

use overt_gateway::pins::Identity;
use overt_gateway::{GatewayLimits, Options, Questions};
use overt_policy::scope;
use overt_transport::client::Target;
use overt_transport::limits::Limits;

use super::file_trust::{FileTrust, launch_of_run};
use super::project::served_project;
use super::state::OVERT_STATE_DIR;
use super::target::{Inherit, wrong_option};
use super::{Clients, Connection, ControlPlan, Env, ManifestFile, Pins, TelemetrySettings};
use crate::args::RunArgs;
use crate::error::CommandError;

/// Everything that is needed to run in front of a server.
#[derive(Debug)]
pub(crate) struct RunSettings {
    pub(crate) target: Target,
    /// The identity that distinguishes this server from every other one.
    pub(crate) server: Identity,
    pub(crate) gateway: Options,
    pub(crate) pins: Pins,
    /// The description that clients see of the server.
    pub(crate) manifest: Option<ManifestFile>,
    /// Everything that decides about calls.
    pub(crate) control: ControlPlan,
    pub(crate) clients: Clients,
    /// Limits towards the clients.
    pub(crate) limits: Limits,
    pub(crate) telemetry: TelemetrySettings,
}

/// Added to the deadlines towards clients, so that the gateway's deadline passes first and the
/// client gets the gateway's better explanation.
const GRACE: Duration = Duration::from_secs(2);

/// Upstream sessions reserved for clients without a session, and for sessions that are just ending.
const WITHOUT_SESSION: usize = 32;

impl RunSettings {
    /// The connection to the server behind this `overt run`.
    pub(super) fn connection(args: &RunArgs, env: &Env) -> Result<Connection, CommandError> {
        let inherit = if args.clients.http.is_some() { Inherit::Harmless } else { Inherit::All };
        let mut connection = Connection::resolve_with(&args.target, args.url.as_deref(), inherit, env)?;
        if let Some(name) = &args.name {
            connection.name = scope::kind_of(name);
        }
        Ok(connection)
    }

    pub(crate) fn resolve(args: &RunArgs, env: &Env) -> Result<Self, CommandError> {
        let env = &args.state_dir.as_ref().map_or_else(|| env.clone(), |dir| env.with(OVERT_STATE_DIR, dir));
        let connection = Self::connection(args, env)?;
        if !connection.roots.is_empty() {
            let needs = "talked to by this command itself; here the client says which roots there are";
            return Err(wrong_option("--root", needs));
        }
        let upstream_limits = Clients::limits(&args.clients, &connection.limits);
        let limits = Limits {
            request_deadline: upstream_limits.request_deadline.saturating_add(GRACE),
            longest_request: upstream_limits.longest_request.saturating_add(GRACE),
            drain: upstream_limits.drain,
            max_sessions: GatewayLimits::default().max_sessions.saturating_sub(WITHOUT_SESSION),
            ..Limits::default()
        };
        let server = connection.server();
        let gateway = Options {
            identity: connection.identity(),
            limits: upstream_limits,
            protocol: connection.protocol,
            one_client: args.clients.http.is_none(),
            shared: args.share,
            probed: args.telemetry.status.is_some(),
            questions: Questions { unasked: args.allow_unasked, secrets: args.allow_secret_forms },
            name: connection.name.clone(),
            project: served_project(&args.clients),
            ..Options::new(connection.label)
        };
        let pins = Pins::resolve(args.pin, env)?;
        let mut control = ControlPlan::resolve(&args.control, env, &connection.name)?;
        let clients = Clients::resolve(&args.clients, &limits, &control.state);
        let project = served_project(&args.clients);
        control.file_trust = launch_of_run(args).and_then(|(name, started)| {
            FileTrust::find((name, &started), gateway.identity.clone(), project, &control.state, env)
        });
        let manifest = args.manifest.as_deref().map(ManifestFile::named).transpose()?;
        let telemetry = TelemetrySettings::resolve(&args.telemetry, env)?;
        Ok(Self {
            target: connection.target,
            server,
            gateway,
            pins,
            manifest,
            control,
            clients,
            limits,
            telemetry,
        })
    }
}
