//! Calls that run in another process, which answers them with `remote_calls`. This process decides,
//! records and renders; the other one runs the author's code. A plan stays in the other process
//! until it is applied or dropped.
use std::sync::Arc;

use overt_policy::mark::request as mark;
use overt_policy::scope::{Action, Scope};
use overt_wire::ErrorObject;
use overt_wire::json::{Json, JsonBuf, Object};
use serde_json::Value;

use super::context::{Apply, Context, Prepared};
use super::error::{Kind, ToolError};
use super::granted_places::{GrantedPlaces, RemoteWorker};
use super::outcome::Outcome;
use super::plan;
use super::preview::Mode;
use super::review::RenderedChanges;
use super::tool::{Call, Planner, Tool};

impl Tool {
    /// Runs calls that name places of `places` in the process that was opened for them.
    #[must_use]
    pub fn granted_places(mut self, places: &Arc<dyn GrantedPlaces>) -> Self {
        let has_plan = self.has_plan();
        let route = {
            let (name, places) = (self.name.clone(), Arc::clone(places));
            let locate = self.scope_arguments.clone();
            move |arguments: &Value, context: &Context| {
                let located = locate.as_ref()?(arguments, context.settings());
                let action = if has_plan && !context.is_preview() { Action::Write } else { Action::Read };
                let (worker, scopes) = places.worker_of(&located, action)?;
                let arguments = Arc::new(places.absolute(arguments));
                Some(Route { tool: name.clone(), arguments, worker, scopes })
            }
        };
        let route = Arc::new(route);
        let (local, routed) = (Arc::clone(&self.call), Arc::clone(&route));
        let call: Call = Arc::new(move |arguments, context| {
            // A plan that was made elsewhere is applied there.
            if context.has_prepared() {
                return local(arguments, context);
            }
            match routed(&arguments, &context) {
                None => local(arguments, context),
                Some(route) if has_plan => Box::pin(async move {
                    let prepared = route.plan(&context, false).await?;
                    plan::run_undecided(prepared, &context).await
                }),
                Some(route) => Box::pin(async move { route.call(&context).await }),
            }
        });
        self.call = call;
        if let Some(local) = self.planner.take() {
            let planner: Planner =
                Arc::new(move |arguments, context, is_asked| match route(&arguments, &context) {
                    None => local(arguments, context, is_asked),
                    Some(route) => Box::pin(async move { route.plan(&context, is_asked).await.map(Some) }),
                });
            self.planner = Some(planner);
        }
        self.places = Some(Arc::clone(places));
        self
    }
}

/// A call of a tool that runs elsewhere.
struct Route {
    tool: String,
    arguments: Arc<Value>,
    worker: Arc<dyn RemoteWorker>,
    scopes: Vec<Scope>,
}

impl Route {
    async fn call(&self, context: &Context) -> Result<Outcome, ToolError> {
        let allowed = self.scopes.iter().filter(|scope| context.allows(scope, false));
        let request = self.request("call", context).list("scopes", |list| {
            allowed
                .fold(list, |list, scope| list.json(JsonBuf::from(&Value::from(scope.to_text())).as_json()))
        });
        let answer = self.worker.ask(request.finish()).await?;
        let answer = answer.as_json();
        error_of(answer)?;
        answer.get("outcome").value().map(Outcome::read_remote).ok_or_else(unreadable)
    }

    async fn plan(&self, context: &Context, is_asked: bool) -> Result<Prepared, ToolError> {
        let request = self.request("plan", context).value("asked", &is_asked).finish();
        let answer = self.worker.ask(request).await?;
        let answer = answer.as_json();
        // Decides about what the plan reads and changes, as if it had been made here.
        let noted = answer.get("noted").value().map(|noted| noted.elements().collect::<Vec<_>>());
        for text in noted.unwrap_or_default().into_iter().filter_map(Json::string) {
            let scope = Scope::parse(&text).map_err(|_| unreadable())?;
            if !context.allows(&scope, false) {
                return Err(ToolError::new(format!("the call needs `{text}`, which is not allowed"))
                    .next("Do without it, or ask the user.")
                    .code("PERMISSION_DENIED")
                    .refusal());
            }
        }
        error_of(answer)?;
        let text = |name| answer.get(name).string().map(String::from);
        let number = answer.get("plan").value().and_then(Json::integer).ok_or_else(unreadable)?;
        let held = HeldPlan { worker: Arc::clone(&self.worker), number: Some(number) };
        let apply: Apply = Box::new(move |_| Box::pin(held.apply()));
        Ok(Prepared {
            tool: self.tool.clone(),
            arguments: Arc::clone(&self.arguments),
            outcome: answer.get("outcome").value().map(Outcome::read_remote).ok_or_else(unreadable)?,
            rendered: answer
                .get("rendered")
                .value()
                .and_then(RenderedChanges::read)
                .ok_or_else(unreadable)?,
            digest: text("digest"),
            change: text("change"),
            apply,
        })
    }

    fn request(&self, op: &str, context: &Context) -> Object {
        let mut meta = Object::new();
        match context.mode() {
            Ok(Mode::Preview) => meta = meta.raw(mark::PREVIEW, "true"),
            Ok(Mode::Real { plan: Some(plan) }) => meta = meta.string(mark::PLAN, &plan),
            Ok(Mode::Real { plan: None }) | Err(_) => {}
        }
        let params = Object::new().string("name", &self.tool).value("arguments", &*self.arguments);
        let params = params.json("_meta", meta.finish().as_json()).finish();
        let info = context.caller().info.as_ref().map_or_else(JsonBuf::empty_object, Clone::clone);
        let request = Object::new()
            .string("op", op)
            .json("params", params.as_json())
            .json("client", info.as_json())
            .string("session", context.session_id());
        match context.settings().filter(|settings| self.worker.is_news(settings)) {
            Some(settings) => request.value("settings", &settings.to_json()),
            None => request,
        }
    }
}

/// A plan that the other process holds. Dropping it gives it up there too.
struct HeldPlan {
    worker: Arc<dyn RemoteWorker>,
    number: Option<i64>,
}

impl HeldPlan {
    async fn apply(mut self) -> Result<(), ToolError> {
        let number = self.number.take().ok_or_else(unreadable)?;
        let request = Object::new().string("op", "apply").value("plan", &number).finish();
        let answer = self.worker.ask(request).await?;
        error_of(answer.as_json())
    }
}

impl Drop for HeldPlan {
    fn drop(&mut self) {
        if let Some(number) = self.number {
            self.worker.tell(Object::new().string("op", "drop").value("plan", &number).finish());
        }
    }
}

fn error_of(answer: Json<'_>) -> Result<(), ToolError> {
    let Some(error) = answer.get("error").value() else { return Ok(()) };
    let Some(text) = error.get("text").string() else {
        return Err(ToolError::protocol(ErrorObject::internal()));
    };
    let code = error.get("code").string().map(String::from);
    let is_refusal = error.get("refusal").value().and_then(Json::bool).unwrap_or_default();
    Err(ToolError { kind: Kind::Said { text: text.into_owned(), code }, is_refusal })
}

pub(super) fn unreadable() -> ToolError {
    tracing::error!("a worker gave an answer that can't be read");
    ToolError::protocol(ErrorObject::internal())
}
