//! A built toolbox as an endpoint: dispatches each request to a function.
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use overt_policy::scope;
use overt_policy::uri::ResourceScopes;
use overt_wire::era::{Cache, LogLevel, Version};
use overt_wire::json::{Json, JsonBuf, Member, Object};
use overt_wire::{BoxFuture, ErrorObject, Exchange, Kind, Message, Method};
use serde_json::Value;

use super::announce::Changes;
use super::context::{CallConditions, Prepared};
use super::error;
use super::preview::Mode;
use super::questions::{Questions, RunOutcome};
use super::reply::{Answer, Reply};
use super::resource::{asked_uri, not_found};
use super::review::Artifacts;
use super::served_tool::ServedTool;
use super::task::{Link, Tasks};
use super::{
    Context, Prompt, Resource, ResourceTemplate, Server, SkillLibrary, ToolError, arguments, outcome, page,
};
use overt_layers::declared::DeclaredServer;
use overt_layers::description::ServerDescription;
use overt_layers::seal::Seal;
use overt_layers::{Admitted, Conditions, Endpoint, PreparedPlan, unknown_tool};

/// A server that was declared with a [`Toolbox`](super::Toolbox).
#[derive(Debug)]
pub struct ToolboxEndpoint {
    description: ServerDescription,
    server: Arc<ToolServer>,
}

/// A built server: its definitions, handlers and current state.
#[derive(Debug)]
pub struct ToolServer {
    pub(super) server: Server,
    pub(super) info: JsonBuf,
    pub(super) tools: Vec<Arc<ServedTool>>,
    pub(super) by_name: HashMap<String, usize>,
    pub(super) resources: BTreeMap<String, Resource>,
    pub(super) resource_definitions: Vec<JsonBuf>,
    pub(super) templates: Vec<ResourceTemplate>,
    pub(super) template_definitions: Vec<JsonBuf>,
    pub(super) skills: Option<Arc<dyn SkillLibrary>>,
    pub(super) has_apps: bool,
    pub(super) prompts: BTreeMap<String, Prompt>,
    pub(super) prompt_definitions: Vec<JsonBuf>,
    pub(super) page_size: usize,
    pub(super) changes: Changes,
    pub(super) artifacts: Arc<Artifacts>,
    /// `None` if no tool may become a task.
    pub(super) tasks: Option<Tasks>,
    pub(super) seal: Seal,
    /// Counts changes of the list of tools.
    pub(super) generation: AtomicU64,
}

/// How long a client may cache a list. Changes are announced anyway.
pub(super) const LIST: Cache = Cache { ttl_ms: 60_000 };

// === impl ToolServer ===

impl Endpoint for ToolboxEndpoint {
    fn call(&self, admitted: Admitted) -> BoxFuture<'_, Option<Message>> {
        let (exchange, conditions, plan) = admitted.into_parts();
        let conditions = self.server.call_conditions(&conditions, plan.and_then(PreparedPlan::downcast));
        Box::pin(async move {
            if exchange.message.kind() == Kind::Notification {
                if matches!(exchange.message.method(), Some(Method::Initialized | Method::InitializedShort)) {
                    self.server.changes.opened(&exchange.session);
                }
                return None;
            }
            let id = exchange.message.id().cloned()?;
            Some(match self.server.answer(exchange, conditions).await {
                Ok(result) => Message::result_from(&id, result),
                Err(error) => Message::error(Some(&id), &error),
            })
        })
    }

    fn description(&self) -> &ServerDescription {
        &self.description
    }
}

impl std::ops::Deref for ToolboxEndpoint {
    type Target = ToolServer;

    fn deref(&self) -> &ToolServer {
        &self.server
    }
}

impl ToolboxEndpoint {
    pub(super) fn new(server: ToolServer, declared: DeclaredServer) -> Self {
        let server = Arc::new(server);
        let about = &server.server;
        let description = ServerDescription {
            info: server.info.clone(),
            rate_limit: about.record.as_ref().and_then(|record| record.rate_limit),
            settings: about.settings.clone(),
            resource_scopes: Arc::new(ResourceScopes::of(&declared.declaration)),
            declared: Some(Arc::new(declared)),
            tools: Arc::<ToolServer>::clone(&server),
            lifecycle: Arc::<ToolServer>::clone(&server),
            ..ServerDescription::new(&scope::kind_of(&about.name))
        };
        Self { description, server }
    }

    pub(super) fn tool_server(&self) -> Arc<ToolServer> {
        Arc::clone(&self.server)
    }

    /// Sets the project. What a person decides about the server applies to that project.
    #[must_use]
    pub fn in_project(mut self, project: Option<String>) -> Self {
        self.description.project = project;
        self
    }
}

impl ToolServer {
    pub(super) fn entry(&self, tool: &str) -> Option<&Arc<ServedTool>> {
        self.by_name.get(tool).map(|index| &self.tools[*index])
    }

    pub(super) fn call_conditions(
        &self,
        conditions: &Conditions,
        prepared: Option<Prepared>,
    ) -> CallConditions {
        CallConditions {
            settings: conditions.settings.clone().or_else(|| self.server.settings.clone()),
            scopes: conditions.scopes.clone(),
            annotation: Arc::clone(&conditions.annotation),
            arguments: conditions.arguments.clone(),
            prepared: Arc::new(std::sync::Mutex::new(prepared)),
            is_literal: self.server.is_literal,
            is_preview: false,
            planned: None,
            is_planning: false,
        }
    }

    pub(super) fn has_resources(&self) -> bool {
        self.skills.is_some() || !(self.resources.is_empty() && self.templates.is_empty())
    }

    /// Returns the handle that announces changes from outside a call.
    pub fn changes(&self) -> &Changes {
        &self.changes
    }

    /// Shows or hides a tool, and tells every client if the list changed. Returns `false` if the
    /// tool does not exist.
    pub async fn set_enabled(&self, tool: &str, enabled: bool) -> bool {
        let Some(entry) = self.by_name.get(tool).map(|index| &self.tools[*index]) else { return false };
        if entry.enabled.swap(enabled, Ordering::Relaxed) != enabled {
            self.generation.fetch_add(1, Ordering::Relaxed);
            self.changes.tools().await;
        }
        true
    }

    async fn answer(&self, exchange: Exchange, conditions: CallConditions) -> Answer {
        let version = exchange.caller.version;
        let method = exchange.message.method().unwrap_or(Method::Other(""));
        let has_resources = self.has_resources();
        match method {
            Method::Initialize => Ok(self.initialize(version)),
            Method::Discover => Ok(self.discover(version)),
            Method::ToolsList if !self.tools.is_empty() => self.tools_list(&exchange),
            Method::ToolsCall if !self.tools.is_empty() => self.tools_call(exchange, conditions).await,
            Method::ResourcesList if has_resources => self.resources_list(&exchange),
            Method::ResourceTemplatesList if has_resources => {
                self.list(&exchange, "resourceTemplates", &self.template_definitions)
            }
            Method::ResourcesRead if has_resources => self.resources_read(exchange, conditions).await,
            Method::ResourcesSubscribe if has_resources => {
                Box::pin(self.subscribe(exchange, conditions)).await
            }
            Method::ResourcesUnsubscribe if has_resources => {
                self.changes.unsubscribe(&exchange.session, &asked_uri(exchange.message.params())?);
                Ok(JsonBuf::empty_object())
            }
            Method::PromptsList if !self.prompts.is_empty() => {
                self.list(&exchange, "prompts", &self.prompt_definitions)
            }
            Method::PromptsGet if !self.prompts.is_empty() => self.prompts_get(exchange, conditions).await,
            Method::Complete => self.complete(&exchange),
            Method::SetLevel => {
                exchange.session.set_log_level(LogLevel::read(exchange.message.param("level"))?);
                Ok(JsonBuf::empty_object())
            }
            Method::Listen => Box::pin(self.listen(&exchange, &conditions)).await,
            Method::SkillsList | Method::SkillsGet | Method::DirectoryRead => match &self.skills {
                Some(skills) => self.skills_answer(skills.as_ref(), method, &exchange),
                None => Err(ErrorObject::method_not_found(method.name())),
            },
            other => match &self.tasks {
                Some(tasks) => self.tasks_answer(tasks, other, &exchange),
                None => Err(ErrorObject::method_not_found(other.name())),
            },
        }
    }

    fn tools_list(&self, exchange: &Exchange) -> Answer {
        let shown: Vec<Json<'_>> = self
            .tools
            .iter()
            .filter(|entry| entry.enabled.load(Ordering::Relaxed))
            .map(|entry| entry.definition.as_json())
            .collect();
        self.page(exchange, "tools", &shown)
    }

    pub(super) fn list(&self, exchange: &Exchange, name: &str, definitions: &[JsonBuf]) -> Answer {
        let items: Vec<Json<'_>> = definitions.iter().map(JsonBuf::as_json).collect();
        self.page(exchange, name, &items)
    }

    fn page(&self, exchange: &Exchange, name: &str, items: &[Json<'_>]) -> Answer {
        let body = page::page(&exchange.message, name, items, self.page_size)?;
        Ok(Reply::new(body).cached(LIST).finish(exchange.caller.version, &self.info))
    }

    async fn tools_call(&self, exchange: Exchange, conditions: CallConditions) -> Answer {
        let version = exchange.caller.version;
        let Some(name) = exchange.message.name().string() else {
            return Err(ErrorObject::invalid_params("`name` must be a string: the name of a tool"));
        };
        let entry = self.by_name.get(name.as_ref()).map(|index| &self.tools[*index]);
        let Some(entry) = entry.filter(|entry| entry.enabled.load(Ordering::Relaxed)) else {
            return Err(unknown_tool(&name));
        };
        if let Err(error) =
            Mode::read(&exchange.message).and_then(|mode| mode.suits(&entry.tool.name, &entry.tool.record))
        {
            return self.say(version, error);
        }
        let arguments = match (conditions.arguments.clone(), exchange.message.arguments()) {
            // Don't parse the arguments again: they may be large.
            (Some(known), _) => known,
            (None, Member::Absent) => Arc::new(Value::Object(serde_json::Map::new())),
            (None, Member::Value(arguments)) if arguments.is_object() => match arguments.to_value() {
                Ok(arguments) => Arc::new(arguments),
                Err(_) => {
                    return self.say(version, arguments::out_of_range(&entry.tool.name, &entry.tool.input));
                }
            },
            _ => return self.say(version, arguments::not_an_object(&entry.tool.name, &entry.tool.input)),
        };
        // The arguments were checked against the schema before the call was permitted
        // (`described.rs::check_arguments`).
        match self.place(entry, &exchange) {
            Ok(None) => {}
            Ok(Some(open_task)) => {
                return self
                    .call_as_task(open_task, Arc::clone(entry), arguments, exchange, conditions)
                    .await;
            }
            Err(error) => return self.say(version, error),
        }
        let annotation = Arc::clone(&conditions.annotation);
        match self.run(exchange, conditions, |context| entry.start(arguments, context)).await? {
            RunReply::Done(done) => {
                Ok(entry.reply(done, version)?.annotated(&annotation).finish(version, &self.info))
            }
            RunReply::NeedsInput(result) => Ok(result),
        }
    }

    fn say(&self, version: Version, error: ToolError) -> Answer {
        Ok(outcome::failed(error)?.finish(version, &self.info))
    }

    /// Returns the context for one run.
    pub(super) fn context(
        &self,
        exchange: Exchange,
        conditions: CallConditions,
        questions: &Arc<Questions>,
        link: Option<Arc<Link>>,
    ) -> Context {
        let artifacts = Arc::clone(&self.artifacts);
        Context::new(exchange, conditions, Arc::clone(questions), self.changes.clone(), artifacts, link)
    }

    /// Runs the author's code with the answers that the client has given so far.
    pub(super) async fn run<T>(
        &self,
        exchange: Exchange,
        conditions: CallConditions,
        start: impl FnOnce(Context) -> BoxFuture<'static, T>,
    ) -> Result<RunReply<T>, ErrorObject> {
        let questions = Arc::new(Questions::read(&exchange.message, &self.seal)?);
        let message = exchange.message.clone();
        let context = self.context(exchange, conditions, &questions, None);
        let _answering = context.while_answering();
        Ok(match questions.run(start(context)).await {
            RunOutcome::Done(done) => RunReply::Done(done),
            RunOutcome::NeedsInput(open) => {
                RunReply::NeedsInput(questions.to_result(&message, &open, &self.seal, &self.info))
            }
        })
    }
}

/// How a run ended: with its return value, or with a result that asks the client for more input.
pub(super) enum RunReply<T> {
    Done(T),
    NeedsInput(JsonBuf),
}

/// Converts an error of a resource or prompt to a JSON-RPC error, because their results can't carry
/// errors.
pub(super) fn protocol_error(error: ToolError, version: Version, what: &str) -> ErrorObject {
    match error.kind {
        error::Kind::Protocol(error) => error,
        error::Kind::Said { code, .. } if code.as_deref() == Some("NOT_FOUND") => not_found(version, what),
        error::Kind::Said { text, code } => {
            let error = ErrorObject::new(overt_wire::error::code::INTERNAL, text);
            match code {
                Some(code) => error.with_data(Object::new().string("code", &code).finish()),
                None => error,
            }
        }
    }
}
