//! Answers the calls of another process (`remote`) with the tools of a server.
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use overt_layers::{Conditions, ScopeCheck};
use overt_policy::scope::{Scope, ScopeSet};
use overt_policy::{Findings, Pointer};
use overt_settings::{Origin, SettingValues};
use overt_wire::era::Caller;
use overt_wire::json::{Json, JsonBuf, Object};
use overt_wire::{BoxFuture, Exchange, Id, Message, NoClient, Principal, Session};
use serde_json::{Map, Value};

use super::context::{CallConditions, Context, Prepared};
use super::endpoint::{ToolServer, ToolboxEndpoint};
use super::error::{Kind, ToolError};
use super::remote::unreadable;
use super::tool::{Call, Planner};

/// Answers the requests of another process with the tools of a server. It may use the granted
/// scopes and no others.
#[derive(Clone)]
pub struct RemoteCalls {
    server: Arc<ToolServer>,
    granted: Arc<ScopeSet>,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    /// The settings that the other process sent last.
    settings: Option<SettingValues>,
    plans: BTreeMap<i64, (Prepared, Context)>,
    last: i64,
}

/// A call that was read from a request.
struct RemoteCall {
    call: Call,
    planner: Option<Planner>,
    arguments: Arc<Value>,
    context: Context,
    noted: Noted,
}

/// The scopes that a plan used or lacks.
type Noted = Arc<Mutex<ScopeSet>>;

/// The most plans that are held. The oldest goes first.
const MOST_PLANS: usize = 16;
/// The most scopes that one plan notes.
const MOST_NOTED: usize = 1_000;

impl RemoteCalls {
    pub fn new(endpoint: &ToolboxEndpoint, granted: ScopeSet) -> Self {
        Self { server: endpoint.tool_server(), granted: Arc::new(granted), state: Arc::default() }
    }

    /// Reads a request at once, in the order in which requests arrive, and returns the answer to
    /// come. Returns `None` for a request without an answer.
    pub fn answer(&self, request: Json<'_>) -> Option<BoxFuture<'static, JsonBuf>> {
        let plan = request.get("plan").value().and_then(Json::integer);
        if let Some(table) = request.get("settings").value().and_then(|table| table.read().ok()) {
            self.take_settings(&table);
        }
        let held = plan.and_then(|plan| self.state().plans.remove(&plan));
        match &*request.get("op").string().unwrap_or_default() {
            "drop" => None,
            "apply" => Some(Box::pin(async move {
                let done = match held {
                    Some((prepared, context)) => prepared.apply_held(context).await,
                    None => Err(unreadable()),
                };
                done.map_or_else(|error| error_answer(&error, &[]), |()| JsonBuf::empty_object())
            })),
            op => {
                let (is_planning, is_asked) =
                    (op == "plan", request.get("asked").value().and_then(Json::bool));
                let call = self.read_call(request, is_planning);
                Some(match call {
                    Some(call) if is_planning => self.plan(call, is_asked.unwrap_or_default()),
                    Some(call) => self.call(call),
                    None => Box::pin(std::future::ready(error_answer(&unreadable(), &[]))),
                })
            }
        }
    }

    /// Whether a plan waits to be applied.
    pub fn holds_plans(&self) -> bool {
        !self.state().plans.is_empty()
    }

    fn take_settings(&self, table: &Map<String, Value>) {
        let mut table = table.clone();
        // The folders that this process serves are its own.
        table.remove("roots");
        let Some(base) = &self.server.server.settings else { return };
        let mut findings = Findings::default();
        let at = Pointer::root();
        let given = base.declared().read(&table, &at, |_| Origin::Default, &mut findings);
        if findings.is_empty() {
            self.state().settings = Some(base.over(given));
        }
    }

    fn read_call(&self, request: Json<'_>, is_planning: bool) -> Option<RemoteCall> {
        let params = request.get("params").value()?;
        let tool = params.get("name").string()?.into_owned();
        let entry = self.server.entry(&tool)?;
        let arguments = Arc::new(params.get("arguments").value()?.to_value().ok()?);
        let message = Message::request(&Id::from(1), "tools/call", Some(params));
        let id = request.get("session").string().unwrap_or_default().into_owned();
        let session = Session::new(id, Principal::local(), Arc::new(NoClient));
        let mut exchange = Exchange::new(message, session, Arc::new(NoClient)).ok()?;
        let info = request.get("client").value().map(Json::to_buf);
        exchange.caller = Arc::new(Caller { info, ..Caller::unknown() });
        let named = request.get("scopes").value().map(|scopes| scopes.elements().collect::<Vec<_>>());
        let allowed: ScopeSet = named
            .unwrap_or_default()
            .into_iter()
            .filter_map(|text| Scope::parse(&text.string()?).ok())
            .collect();
        let noted: Noted = Arc::default();
        let check = self.check(allowed, is_planning.then(|| Arc::clone(&noted)));
        let conditions = CallConditions {
            settings: self.state().settings.clone().or_else(|| self.server.server.settings.clone()),
            scopes: Some(check),
            arguments: Some(Arc::clone(&arguments)),
            is_planning,
            ..self.server.call_conditions(&Conditions::default(), None)
        };
        let context = self.server.context(exchange, conditions, &Arc::default(), None);
        Some(RemoteCall {
            call: Arc::clone(&entry.tool.call),
            planner: entry.tool.planner.clone(),
            arguments,
            context,
            noted,
        })
    }

    /// Returns the check of one call. A plan notes what it uses, because the other process decides
    /// about that before the plan is applied.
    fn check(&self, allowed: ScopeSet, noted: Option<Noted>) -> ScopeCheck {
        let granted = Arc::clone(&self.granted);
        ScopeCheck::new(move |scope| {
            let Some(noted) = &noted else { return granted.covers(scope) && allowed.covers(scope) };
            let mut noted = noted.lock().unwrap_or_else(PoisonError::into_inner);
            if !noted.covers(scope) && noted.len() < MOST_NOTED {
                noted.insert(scope.clone());
            }
            granted.covers(scope) && noted.covers(scope)
        })
    }

    fn call(&self, RemoteCall { call, arguments, context, .. }: RemoteCall) -> BoxFuture<'static, JsonBuf> {
        let work = call(arguments, context);
        Box::pin(async move {
            match work.await {
                Ok(outcome) => Object::new().json("outcome", outcome.write_remote().as_json()).finish(),
                Err(error) => error_answer(&error, &[]),
            }
        })
    }

    fn plan(&self, call: RemoteCall, is_asked: bool) -> BoxFuture<'static, JsonBuf> {
        let RemoteCall { planner, arguments, context, noted, .. } = call;
        let Some(planner) = planner else {
            return Box::pin(std::future::ready(error_answer(&unreadable(), &[])));
        };
        let (calls, kept) = (self.clone(), context.clone());
        Box::pin(async move {
            let planned = planner(arguments, context, is_asked).await;
            let noted: Vec<String> = {
                let noted = noted.lock().unwrap_or_else(PoisonError::into_inner);
                noted.iter().map(Scope::to_text).collect()
            };
            match planned {
                Ok(Some(prepared)) => {
                    let answer = Object::new()
                        .json("outcome", prepared.outcome.write_remote().as_json())
                        .json("rendered", prepared.rendered.write().as_json())
                        .maybe("digest", prepared.digest.as_ref())
                        .maybe("change", prepared.change.as_ref())
                        .value("noted", &noted);
                    answer.value("plan", &calls.keep(prepared, kept)).finish()
                }
                Ok(None) => error_answer(&unreadable(), &noted),
                Err(error) => error_answer(&error, &noted),
            }
        })
    }

    /// Keeps a plan until it is applied or dropped, and returns its number.
    fn keep(&self, prepared: Prepared, context: Context) -> i64 {
        let mut state = self.state();
        state.last += 1;
        let number = state.last;
        state.plans.insert(number, (prepared, context));
        if state.plans.len() > MOST_PLANS {
            state.plans.pop_first();
        }
        number
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for RemoteCalls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteCalls").field("granted", &self.granted).finish_non_exhaustive()
    }
}

/// Returns the answer for a call that failed, with the scopes that its plan used or lacks.
fn error_answer(error: &ToolError, noted: &[String]) -> JsonBuf {
    let said = match &error.kind {
        Kind::Said { text, code } => Object::new()
            .string("text", text)
            .maybe("code", code.as_ref())
            .value("refusal", &error.is_refusal),
        // Only a mistake in the program has no text for the model.
        Kind::Protocol(_) => Object::new(),
    };
    Object::new().json("error", said.finish().as_json()).value("noted", noted).finish()
}
