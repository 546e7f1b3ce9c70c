//! The endpoint: tools of every kind, a world that changes while they plan, and a list of the calls
//! that reached them.
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use overt_layers::description::{CallPlan, FailedResult, PlanRequest, PlanSummary, ToolFailure, Tools};
use overt_layers::record::{Effect, ToolRecord};
use overt_layers::setting::SettingValues;
use overt_layers::{Admitted, Endpoint, PreparedPlan, ServerDescription};
use overt_policy::scope::Scope;
use overt_wire::era::Era;
use overt_wire::json::{Json, JsonBuf};
use overt_wire::{BoxFuture, Message, Method};
use serde_json::{Value, json};

use super::rules::{LINK, PROJECT, Policy, SERVER, TOOLS, Tool, target};

/// Content that every policy denies.
pub(crate) const SECRET: &str = "TOP-SECRET";
/// The member of `_meta` that identifies a call at both ends.
pub(crate) const NUMBER: &str = "test/number";

#[derive(Debug)]
pub(crate) struct World {
    records: HashMap<&'static str, ToolRecord>,
    inner: Mutex<Inner>,
    /// A counter that orders all events.
    clock: AtomicU64,
    /// How often the tools' generation was queried, which every attempt does.
    looks: AtomicU64,
}

#[derive(Debug)]
struct Inner {
    policy: Policy,
    /// The version of the world, which plans read.
    version: u64,
    /// Whether plans fail.
    is_broken: bool,
    /// Whether the server asks a question of its own before it acts.
    asks: bool,
    definitions: HashMap<&'static str, u64>,
    generation: u64,
    reached: Vec<Reached>,
    planned: Vec<Planned>,
}

/// A call that reached the endpoint.
#[derive(Debug, Clone)]
pub(crate) struct Reached {
    pub(crate) at: u64,
    pub(crate) number: u64,
    pub(crate) tool: Tool,
    pub(crate) path: String,
    /// The policy in force when it went out.
    pub(crate) policy: Policy,
    pub(crate) definition: u64,
    /// The version of the world that its plan saw.
    pub(crate) plan: Option<u64>,
}

/// A plan that was made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Planned {
    pub(crate) tool: Tool,
    pub(crate) policy: Policy,
}

/// The plan that the endpoint made and will apply.
struct Prepared {
    world: u64,
}

#[derive(Debug)]
pub(crate) struct Server {
    world: Arc<World>,
    description: ServerDescription,
}

impl World {
    pub(crate) fn new(policy: Policy) -> Arc<Self> {
        let record = |effect, scope: &str, verb: &str| ToolRecord {
            scopes: vec![scope.to_owned()],
            intent_template: Some(format!("{verb} the file {{path}}")),
            ..ToolRecord::new(effect)
        };
        let records = HashMap::from([
            (Tool::Peek.name(), record(Effect::Read, "read:file:{path}", "read")),
            (Tool::Edit.name(), record(Effect::Mutating, "write:file:{path}", "edit")),
            (Tool::Wipe.name(), record(Effect::Destructive, "write:file:{path}", "wipe")),
            (Tool::Vault.name(), record(Effect::Mutating, "read:vault:{path}", "open")),
        ]);
        let inner = Inner {
            policy,
            version: 1,
            is_broken: false,
            asks: false,
            definitions: TOOLS.iter().map(|tool| (tool.name(), 1)).collect(),
            generation: 1,
            reached: Vec::new(),
            planned: Vec::new(),
        };
        Arc::new(Self {
            records,
            inner: Mutex::new(inner),
            clock: AtomicU64::new(1),
            looks: AtomicU64::new(0),
        })
    }

    pub(crate) fn tick(&self) -> u64 {
        self.clock.fetch_add(1, Ordering::Relaxed)
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap()
    }

    pub(crate) fn looks(&self) -> u64 {
        self.looks.load(Ordering::Relaxed)
    }

    pub(crate) fn policy(&self) -> Policy {
        self.lock().policy
    }

    pub(crate) fn set_policy(&self, policy: Policy) {
        self.lock().policy = policy;
    }

    pub(crate) fn change(&self) {
        self.lock().version += 1;
    }

    pub(crate) fn set_broken(&self, is_broken: bool) {
        self.lock().is_broken = is_broken;
    }

    pub(crate) fn set_asks(&self, asks: bool) {
        self.lock().asks = asks;
    }

    pub(crate) fn redefine(&self, tool: Tool) {
        let mut inner = self.lock();
        *inner.definitions.get_mut(tool.name()).unwrap() += 1;
        inner.generation += 1;
    }

    pub(crate) fn definition(&self, tool: Tool) -> u64 {
        self.lock().definitions[tool.name()]
    }

    pub(crate) fn definitions(&self) -> HashMap<Tool, u64> {
        TOOLS.into_iter().map(|tool| (tool, self.definition(tool))).collect()
    }

    /// Returns the calls that reached the endpoint, from the given position on.
    pub(crate) fn reached(&self, from: usize) -> Vec<Reached> {
        self.lock().reached[from..].to_vec()
    }

    pub(crate) fn planned(&self, from: usize) -> Vec<Planned> {
        self.lock().planned[from..].to_vec()
    }

    /// Returns the current list of tools.
    fn list(&self) -> Value {
        let inner = self.lock();
        let tools = TOOLS.map(|tool| {
            let annotations = match tool {
                Tool::ClaimsRead => json!({ "readOnlyHint": true }),
                Tool::ClaimsWrite => json!({ "readOnlyHint": false }),
                Tool::Contradicts => json!({ "readOnlyHint": true, "destructiveHint": true }),
                _ => json!({}),
            };
            json!({
                "name": tool.name(),
                "description": format!("Definition {}. It is only for tests.", inner.definitions[tool.name()]),
                "inputSchema": { "type": "object", "properties": { "path": { "type": "string" } } },
                "annotations": annotations,
            })
        });
        json!({ "tools": tools })
    }
}

impl Tools for World {
    fn record(&self, tool: &str) -> Option<&ToolRecord> {
        self.records.get(tool)
    }

    fn generation(&self) -> u64 {
        self.looks.fetch_add(1, Ordering::Relaxed);
        self.lock().generation
    }

    fn scope_arguments(&self, tool: &str, arguments: &Value, _: Option<&SettingValues>) -> Option<Value> {
        (tool == Tool::Edit.name()).then(|| arguments.clone())
    }

    fn has_plan(&self, tool: &str) -> bool {
        Tool::named(tool).is_some_and(Tool::has_plan)
    }

    fn plan<'a>(&'a self, request: PlanRequest) -> Option<BoxFuture<'a, Result<CallPlan, ToolFailure>>> {
        let tool = Tool::named(&request.tool).filter(|tool| tool.has_plan())?;
        Some(Box::pin(async move {
            // Planning reads files, so other events happen meanwhile.
            tokio::task::yield_now().await;
            let mut inner = self.lock();
            let policy = inner.policy;
            inner.planned.push(Planned { tool, policy });
            let (world, is_broken) = (inner.version, inner.is_broken);
            drop(inner);
            let path = request.arguments["path"].as_str().unwrap_or_default().to_owned();
            let place = target(world);
            if path == LINK {
                let scope = Scope::parse(&format!("write:file:{place}")).unwrap();
                if !request.conditions.scopes.as_ref().is_none_or(|check| check.allows(&scope)) {
                    return Err(failure("it leads to where nobody may write"));
                }
            }
            if is_broken {
                return Err(failure("there is no such file"));
            }
            let content = if tool == Tool::Vault { SECRET } else { "words" };
            let summary = PlanSummary {
                changed: 1,
                changes: vec![format!("{path} at world {world}. +1 -1 {content}")],
                diff: format!("-{content} before\n+{content} after"),
                ..PlanSummary::default()
            };
            let digest = request.needs_digest.then(|| format!("{} {path} {world}", tool.name()));
            Ok(CallPlan { digest, change: None, summary, prepared: PreparedPlan::new(Prepared { world }) })
        }))
    }
}

impl Server {
    pub(crate) fn new(world: &Arc<World>) -> Self {
        let tools: Arc<dyn Tools> = Arc::<World>::clone(world);
        let project = Some(PROJECT.to_owned());
        let description = ServerDescription { tools, project, ..ServerDescription::new(SERVER) };
        Self { world: Arc::clone(world), description }
    }

    async fn act(&self, admitted: Admitted) -> Option<Message> {
        let (exchange, _, prepared) = admitted.into_parts();
        let params = exchange.message.params();
        let name = params.get("name").string().unwrap().into_owned();
        let path = params.get("arguments").get("path").string().unwrap().into_owned();
        let number = exchange.message.meta().get(NUMBER).value().and_then(Json::integer).unwrap();
        let tool = Tool::named(&name).unwrap();
        let plan = prepared.and_then(PreparedPlan::downcast::<Prepared>).map(|prepared| prepared.world);
        {
            let mut inner = self.world.lock();
            let (policy, definition) = (inner.policy, inner.definitions[tool.name()]);
            let (at, number) = (self.world.tick(), u64::try_from(number).unwrap());
            inner.reached.push(Reached { at, number, tool, path, policy, definition, plan });
        }
        // Takes long enough to be cancelled while it runs.
        tokio::time::sleep(Duration::from_millis(5)).await;
        let text = if tool == Tool::Vault { SECRET } else { "done" };
        let is_modern = exchange.caller.era() == Era::Modern;
        let body = match self.world.lock().asks && is_modern && params.get("inputResponses").is_absent() {
            true => json!({
                "resultType": "input_required",
                "inputRequests": { "own": { "method": "elicitation/create", "params": { "message": "Which?" } } },
                "requestState": "of the server",
            }),
            false => json!({ "content": [{ "type": "text", "text": text }] }),
        };
        Some(Message::result(exchange.message.id()?, JsonBuf::from(&body).as_json()))
    }
}

impl Endpoint for Server {
    fn call(&self, admitted: Admitted) -> BoxFuture<'_, Option<Message>> {
        match admitted.exchange().message.method() {
            Some(Method::ToolsCall) => Box::pin(self.act(admitted)),
            Some(Method::ToolsList) => {
                let list = JsonBuf::from(&self.world.list());
                let id = admitted.exchange().message.id().cloned();
                Box::pin(async move {
                    // A list takes a moment to arrive.
                    tokio::task::yield_now().await;
                    Some(Message::result(&id?, list.as_json()))
                })
            }
            _ => Box::pin(std::future::ready(None)),
        }
    }

    fn description(&self) -> &ServerDescription {
        &self.description
    }
}

fn failure(reason: &str) -> ToolFailure {
    let body = json!({ "content": [{ "type": "text", "text": reason }], "isError": true });
    ToolFailure {
        reason: reason.to_owned(),
        is_refusal: false,
        answer: Ok(FailedResult { members: JsonBuf::from(&body), meta: None }),
    }
}
