//! What all changing tools share: they claim the paths of a plan, and make one change.
use std::sync::Arc;

use overt_policy::record::{Effect, PiiExposure, SecretsExposure, ToolRecord};
use overt_toolbox::{Change, Context, Plan, Tool, ToolError};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::super::FileServer;
use super::super::error::{FileError, code};
use super::super::file_digest::FileDigest;
use super::super::journal::Origin;
use super::super::work::Stop;
use super::super::write::{Act, Job, Judging, PlanClaim, Unplanned};
use super::known_errors::described;
use super::planning::{CallSettings, Planning};
use super::shown::MOST_SHOWN;

/// What planning a change yields.
pub(crate) struct PlannedChange<O> {
    pub(crate) act: Act,
    pub(crate) output: O,
    pub(crate) changes: Vec<Change>,
    /// State that the plan is bound to, in addition to the changes.
    pub(crate) fingerprints: Vec<String>,
    /// The earlier change that this one undoes.
    pub(crate) undoes: Option<Undoing>,
}

/// The undoing of an earlier change.
pub(crate) struct Undoing {
    /// The id of the earlier change.
    pub(crate) change: String,
    /// The tool that does what the undoing does.
    pub(crate) acts_as: &'static str,
}

/// Most attempts to plan, after which the call fails. Other calls could claim a path first each
/// time.
const MOST_TURNS: usize = 64;

/// Builds a tool that makes one change. `plan_change` plans the change; the rest is the same for
/// all tools.
pub(crate) fn tool<I, O>(
    server: &Arc<FileServer>,
    name: &'static str,
    description: &str,
    plan_change: impl Fn(&Planning<'_>, &I) -> Result<PlannedChange<O>, Unplanned> + Send + Sync + 'static,
) -> Tool
where
    I: DeserializeOwned + JsonSchema + Send + Sync + 'static,
    O: Serialize + JsonSchema + Send + 'static,
{
    let (planning, applying, plan_change) = (Arc::clone(server), Arc::clone(server), Arc::new(plan_change));
    Tool::mutating(
        name,
        description,
        move |input: I, context| {
            let (server, plan_change) = (Arc::clone(&planning), Arc::clone(&plan_change));
            async move { plan(&server, name, &context, move |planning| plan_change(planning, &input)).await }
        },
        move |mut job: Job, context| {
            let server = Arc::clone(&applying);
            job.origin.changes = context.planned_changes().to_vec();
            async move { apply(&server, job).await }
        },
    )
}

/// Plans one change. `plan_change` finds the paths and claims them. If it has to wait for a path or
/// for memory, it runs again afterwards.
async fn plan<O: Send + 'static>(
    server: &Arc<FileServer>,
    tool: &'static str,
    context: &Context,
    plan_change: impl Fn(&Planning<'_>) -> Result<PlannedChange<O>, Unplanned> + Send + Sync + 'static,
) -> Result<Plan<Job, O>, ToolError> {
    let view = server.view(context)?;
    let settings = Arc::new(CallSettings::of(server, context)?);
    let mut plan_claim = PlanClaim::new(&server.claims);
    let plan_change = Arc::new(plan_change);
    for _ in 0..MOST_TURNS {
        let job = {
            let (server, view) = (Arc::clone(server), view.clone());
            let (plan_change, settings) = (Arc::clone(&plan_change), Arc::clone(&settings));
            move |stop: &Stop| {
                let planned = plan_change(&Planning {
                    server: &server,
                    view: &view,
                    stop,
                    claim: &plan_claim,
                    settings: &settings,
                });
                let judging = Judging {
                    view: &view,
                    journal: server.journal.as_deref(),
                    client_folders: &server.client_folders,
                    stop,
                };
                let judged = planned.and_then(|planned| Ok((judging.judge(&planned.act)?, planned)));
                Ok::<_, FileError>((judged, plan_claim))
            }
        };
        let (planned, claimed) = server.workers.run(job).await?;
        match planned {
            Ok((guarded, PlannedChange { act, output, changes, fingerprints, undoes })) => {
                let undo_name = settings.change.clone();
                let (undoes, acts_as) = undoes.map(|undoing| (undoing.change, undoing.acts_as)).unzip();
                let (origin, lost) = (origin(server, context), act.lost().cloned());
                let (claim, room) = claimed.into_parts();
                let job = Job { tool, id: settings.change.clone(), undoes, origin, act, view, claim, room };
                let plan = Plan::new(job, output).undo_name(undo_name).irreversible(lost);
                let plan = plan.guarded(guarded).acts_as(acts_as);
                let shown = changes.into_iter().map(|change| change.at_most(MOST_SHOWN));
                let plan = shown.fold(plan, Plan::change);
                return Ok(fingerprints
                    .iter()
                    .fold(plan, |plan, fingerprint| plan.with_fingerprint(fingerprint)));
            }
            Err(Unplanned::Waits(claim)) => {
                // A plan that waits for a claim gives up its memory.
                drop(claimed);
                claim.wait_until_held().await;
                plan_claim = PlanClaim::with_claim(&server.claims, claim);
            }
            Err(Unplanned::NeedsRoom(bytes)) => {
                plan_claim = claimed.with_room(server.workers.content_room(bytes).await?);
            }
            Err(Unplanned::Failed(error)) => return Err(error.into()),
        }
    }
    Err(FileError::new(code::BUSY, "other calls keep changing the same files", "Call again later.").into())
}

/// Returns who makes the change. The list of changes is added when the plan is applied.
fn origin(server: &FileServer, context: &Context) -> Origin {
    let client = context.caller().info.as_ref().and_then(|info| {
        let info = info.as_json();
        let (name, version) = (info.get("name").string()?, info.get("version").string().unwrap_or_default());
        Some(format!("{name} {version}").trim_end().chars().take(MOST_CLIENT).collect())
    });
    let session =
        FileDigest::of(context.session_id().as_bytes()).hex().chars().take(SESSION_DIGITS).collect();
    Origin {
        client,
        project: server.project().map(str::to_owned),
        session: Some(session),
        roots: server.roots.served().map(|root| root.path().to_string()).collect(),
        changes: Vec::new(),
    }
}

/// Most characters of a client's name and version.
const MOST_CLIENT: usize = 200;
/// Characters of the session's digest.
const SESSION_DIGITS: usize = 8;

/// Makes the planned change.
async fn apply(server: &Arc<FileServer>, job: Job) -> Result<(), ToolError> {
    let own = Arc::clone(server);
    server.workers.run(move |stop| job.make(&own, stop)).await.map_err(|error: FileError| error.into())
}

/// Returns the declaration that all these tools share. `errors` are those that not every tool has.
pub(crate) fn record(server: &FileServer, effect: Effect, errors: &[&'static str]) -> ToolRecord {
    let is_kept = server.journal.is_some();
    let mut side_effects = Vec::new();
    if is_kept {
        side_effects.push("keeps the previous state in the journal".to_owned());
    }
    ToolRecord {
        idempotent: Some(false),
        idempotent_with_key: Some(false),
        reversible: Some(is_kept),
        reverse_method: is_kept.then(|| "revert_change".to_owned()),
        side_effects,
        open_world: Some(false),
        category: Some("files".to_owned()),
        pii_exposure: Some(PiiExposure::Low),
        secrets_exposure: Some(SecretsExposure::None),
        errors: described(errors),
        refusal_modes: Some(vec![
            "the path is outside of every root, hidden or immutable".to_owned(),
            "the file was changed by somebody else between the plan and the change".to_owned(),
        ]),
        ..ToolRecord::new(effect)
    }
}
