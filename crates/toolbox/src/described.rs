//! A built toolbox as the layers see it: its tools, their plans, and the cleanup when a session
//! ends.
use std::sync::Arc;
use std::sync::atomic::Ordering;

use overt_layers::PreparedPlan;
use overt_layers::ReviewedCall;
use overt_layers::description::{
    CallPlan, FailedResult, Lifecycle, PlanRequest, PlanSummary, ToolFailure, Tools,
};
use overt_layers::grants::Grant;
use overt_policy::ToolRecord;
use overt_settings::SettingValues;
use overt_wire::json::Json;
use overt_wire::{BoxFuture, Session};
use serde_json::Value;

use super::context::CallConditions;
use super::endpoint::ToolServer;
use super::review::Status;
use super::{ToolError, arguments, normalise, outcome};

impl Tools for ToolServer {
    fn record(&self, tool: &str) -> Option<&ToolRecord> {
        let record = &self.entry(tool)?.tool.record;
        (*record != ToolRecord::default()).then_some(record)
    }

    fn generation(&self) -> u64 {
        self.generation.load(Ordering::Relaxed)
    }

    fn exists(&self, tool: &str) -> Option<bool> {
        // A server without tools does not have the method at all; `tools/list` says so.
        (!self.tools.is_empty())
            .then(|| self.entry(tool).is_some_and(|entry| entry.enabled.load(Ordering::Relaxed)))
    }

    fn canonical_arguments(&self, tool: &str, arguments: Json<'_>) -> Option<Value> {
        let tool = &self.entry(tool)?.tool;
        // An author who wrote the schema by hand also reads the arguments by hand.
        if tool.is_typed {
            normalise::canonical(tool.input.value(), tool.leniency.as_ref(), arguments)
        } else {
            None
        }
    }

    fn check_arguments(&self, tool: &str, arguments: Option<&Value>) -> Option<Result<(), ToolFailure>> {
        let entry = self.entry(tool)?;
        let (name, input) = (&entry.tool.name, &entry.tool.input);
        let places = entry.tool.places.as_ref();
        let checked = match arguments {
            Some(arguments) if arguments.is_object() => arguments::check(name, input, arguments)
                .and_then(|()| places.map_or(Ok(()), |places| places.check(arguments))),
            Some(_) => Err(arguments::not_an_object(name, input)),
            None => Err(arguments::out_of_range(name, input)),
        };
        Some(checked.map_err(failure))
    }

    fn scope_arguments(
        &self,
        tool: &str,
        arguments: &Value,
        settings: Option<&SettingValues>,
    ) -> Option<Value> {
        let scope_arguments = self.entry(tool)?.tool.scope_arguments.as_ref()?;
        Some(scope_arguments(arguments, settings.or(self.server.settings.as_ref())))
    }

    fn explain_denial(
        &self,
        tool: &str,
        arguments: &Value,
        settings: Option<&SettingValues>,
    ) -> Option<ToolFailure> {
        let explain = self.entry(tool)?.tool.explain_denial.as_ref()?;
        explain(arguments, settings.or(self.server.settings.as_ref())).map(failure)
    }

    fn needs_grant(&self, tool: &str, located: &Value) -> bool {
        let places = self.entry(tool).and_then(|entry| entry.tool.places.as_ref());
        places.is_some_and(|places| places.needs_grant(located))
    }

    fn open_for<'a>(
        &'a self,
        tool: &str,
        grant: Option<&'a Grant>,
        located: &'a Value,
    ) -> BoxFuture<'a, Result<(), ToolFailure>> {
        match self.entry(tool).and_then(|entry| entry.tool.places.as_ref()) {
            Some(places) => Box::pin(async move { places.open_for(grant, located).await.map_err(failure) }),
            None => Box::pin(std::future::ready(Ok(()))),
        }
    }

    fn has_plan(&self, tool: &str) -> bool {
        self.entry(tool).is_some_and(|entry| entry.tool.has_plan())
    }

    fn plan<'a>(&'a self, request: PlanRequest) -> Option<BoxFuture<'a, Result<CallPlan, ToolFailure>>> {
        let planner = Arc::clone(self.entry(&request.tool)?.tool.planner.as_ref()?);
        let conditions =
            CallConditions { is_planning: true, ..self.call_conditions(&request.conditions, None) };
        let context = self.context(request.exchange, conditions, &Arc::default(), None);
        let facts = request.needs_digest.then(|| context.review_facts(Status::Waiting));
        Some(Box::pin(async move {
            let planned = planner(request.arguments, context, request.needs_digest).await.map_err(failure)?;
            let Some(prepared) = planned else {
                // The call itself will find that there is nothing to do.
                let summary = PlanSummary::default();
                return Ok(CallPlan { digest: None, change: None, summary, prepared: PreparedPlan::new(()) });
            };
            let summary = match &facts {
                Some(facts) => prepared.full_summary(facts),
                None => prepared.summary(),
            };
            let (digest, change) = (prepared.digest.clone(), prepared.change.clone());
            Ok(CallPlan { digest, change, summary, prepared: PreparedPlan::new(prepared) })
        }))
    }

    fn review_origin(&self, uri: &str) -> Option<ReviewedCall> {
        self.origin(uri)
    }
}

impl Lifecycle for ToolServer {
    fn session_closed(&self, session: &Arc<Session>) {
        self.changes.closed(session);
        self.artifacts.closed(session);
    }

    fn shutdown(&self) {
        // End the tasks first, so that listeners hear that they ended.
        if let Some(tasks) = &self.tasks {
            tasks.shutdown();
        }
        self.changes.shutdown();
    }
}

/// Returns what the client gets for a call that failed before it ran.
fn failure(error: ToolError) -> ToolFailure {
    let (reason, is_refusal) = (error.to_string(), error.is_refusal);
    let answer = outcome::failed(error).map(|reply| {
        let (members, meta) = reply.into_parts();
        FailedResult { members, meta }
    });
    ToolFailure { reason, is_refusal, answer }
}
