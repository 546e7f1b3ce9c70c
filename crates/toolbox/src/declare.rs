//! The declaration of a server, checked completely before it is served.
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::Duration;

use overt_policy::record::Effect;
use overt_wire::json::JsonBuf;
use overt_wire::param_headers::HeaderAnnotations;

use super::announce::Changes;
use super::declared::declared;
use super::endpoint::{ToolServer, ToolboxEndpoint};
use super::outcome::DIFF;
use super::page::PAGE;
use super::review::{self, Artifacts, Origin};
use super::schema::Schema;
use super::served_tool::ServedTool;
use super::task::Tasks;
use super::{App, Prompt, Resource, ResourceTemplate, Server, SkillLibrary, Tool};
use overt_layers::seal::Seal;

/// Collects the parts of a server. [`build`](Self::build) checks them and returns the endpoint.
#[derive(Debug)]
#[must_use]
pub struct Toolbox {
    server: Server,
    tools: Vec<Tool>,
    resources: Vec<Resource>,
    templates: Vec<ResourceTemplate>,
    prompts: Vec<Prompt>,
    apps: Vec<App>,
    skills: Option<Arc<dyn SkillLibrary>>,
    page_size: usize,
    artifact_lifetime: Option<Duration>,
    project: Option<String>,
}

/// All problems of a declaration, each with its place.
#[derive(Debug, thiserror::Error)]
#[error("the declaration of the server is wrong:\n- {}", problems.join("\n- "))]
pub struct DeclarationError {
    pub problems: Vec<String>,
}

impl Toolbox {
    pub fn new(server: Server) -> Self {
        Self {
            server,
            tools: Vec::new(),
            resources: Vec::new(),
            templates: Vec::new(),
            prompts: Vec::new(),
            apps: Vec::new(),
            skills: None,
            page_size: PAGE,
            artifact_lifetime: None,
            project: None,
        }
    }

    pub fn tool(mut self, tool: Tool) -> Self {
        self.tools.push(tool);
        self
    }

    pub fn resource(mut self, resource: Resource) -> Self {
        self.resources.push(resource);
        self
    }

    pub fn template(mut self, template: ResourceTemplate) -> Self {
        self.templates.push(template);
        self
    }

    pub fn prompt(mut self, prompt: Prompt) -> Self {
        self.prompts.push(prompt);
        self
    }

    /// Serves a page that clients show beside the tools that name it ([`Tool::app`]).
    pub fn app(mut self, app: App) -> Self {
        self.resources.push(app.resource());
        self.apps.push(app);
        self
    }

    /// Serves skills (SEP-2640). Clients read their files through resource templates, which must be
    /// declared separately.
    pub fn skills(self, skills: Arc<dyn SkillLibrary>) -> Self {
        Self { skills: Some(skills), ..self }
    }

    /// Sets the number of entries in a page of a list. The default is 100.
    pub fn page_size(self, page_size: usize) -> Self {
        Self { page_size: page_size.max(1), ..self }
    }

    /// Sets how long people can look at the changes of a call. The default is 15 minutes, the
    /// maximum one day.
    pub fn artifact_lifetime(self, lifetime: Duration) -> Self {
        Self { artifact_lifetime: Some(lifetime), ..self }
    }

    /// Sets the project that the server works in. People see it, and their decisions about the
    /// server apply to that project.
    pub fn project(self, project: Option<String>) -> Self {
        Self { project, ..self }
    }

    /// Checks the whole declaration and returns the endpoint.
    pub fn build(mut self) -> Result<Arc<ToolboxEndpoint>, DeclarationError> {
        let title = self.server.title.as_ref().unwrap_or(&self.server.name);
        let origin = Origin { server: title.clone(), project: self.project.clone() };
        let artifacts = Artifacts::new(origin, self.artifact_lifetime);
        let planned = self.tools.iter().filter(|tool| tool.has_plan());
        self.templates.extend(planned.map(|tool| review::template(&tool.name, &artifacts)));
        let mut problems = self.problems();
        let mut entries = Vec::new();
        for tool in self.tools {
            match entry(tool) {
                Ok(entry) => entries.push(Arc::new(entry)),
                Err(problem) => problems.push(problem),
            }
        }
        if !problems.is_empty() {
            return Err(DeclarationError { problems });
        }
        let by_name: HashMap<String, usize> =
            entries.iter().enumerate().map(|(index, entry)| (entry.tool.name.clone(), index)).collect();
        let has_tasks = entries.iter().any(|entry| entry.tool.task.allows_tasks());
        let info = self.server.info();
        let prompt_definitions: Vec<JsonBuf> = self.prompts.iter().map(Prompt::definition).collect();
        let all_resources = (self.resources.as_slice(), self.templates.as_slice());
        let declared = declared(&self.server, &info, &entries, all_resources, &prompt_definitions);
        let server = ToolServer {
            info,
            by_name,
            tools: entries,
            resource_definitions: self.resources.iter().map(Resource::definition).collect(),
            template_definitions: self.templates.iter().map(ResourceTemplate::definition).collect(),
            prompt_definitions,
            resources: self.resources.into_iter().map(|resource| (resource.uri.clone(), resource)).collect(),
            templates: self.templates,
            skills: self.skills,
            has_apps: !self.apps.is_empty(),
            prompts: self.prompts.into_iter().map(|prompt| (prompt.name.clone(), prompt)).collect(),
            server: self.server,
            page_size: self.page_size,
            changes: Changes::default(),
            artifacts,
            tasks: has_tasks.then(Tasks::default),
            seal: Seal::random(),
            generation: AtomicU64::new(0),
        };
        Ok(Arc::new(ToolboxEndpoint::new(server, declared).in_project(self.project)))
    }

    fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        let name = &self.server.name;
        if !is_server_name(name) {
            problems.push(format!("server `{name}`: a name has 1 to 64 of `a-z`, `0-9`, `-`, `_`, `.`"));
        }
        if self.server.instructions.trim().is_empty() {
            problems.push(format!("server `{name}`: the instructions are empty; say how to use the server"));
        }
        for tool in &self.tools {
            let name = &tool.name;
            if !is_tool_name(name) {
                problems
                    .push(format!("tool `{name}`: a name has 1 to 128 of letters, digits, `_`, `-`, `.`"));
            }
            if tool.record.preview && !tool.has_plan() {
                problems.push(format!(
                    "tool `{name}`: declares previews, which only `Tool::mutating` gives; leave `preview` out"
                ));
            }
            if tool.has_plan() && tool.record.effect == Some(Effect::Read) {
                problems.push(format!(
                    "tool `{name}`: has a plan for changes, but declares that it only reads; use `Tool::new`"
                ));
            }
            let output = tool.output.as_ref().filter(|output| tool.has_plan() && !output.is_known());
            if output.is_some_and(|output| output.property(DIFF).is_some()) {
                problems.push(format!(
                    "tool `{name}`: its result has a member `{DIFF}`, where some clients are shown the changes of a plan; rename it"
                ));
            }
            if tool.description.trim().is_empty() {
                problems.push(format!("tool `{name}`: the description is empty; say when to use it"));
            }
        }
        twice("tool", self.tools.iter().map(|tool| &tool.name), &mut problems);
        twice("resource", self.resources.iter().map(|resource| &resource.uri), &mut problems);
        twice("template", self.templates.iter().map(|template| &template.template), &mut problems);
        twice("prompt", self.prompts.iter().map(|prompt| &prompt.name), &mut problems);
        problems.extend(self.apps.iter().filter_map(App::problem));
        for tool in &self.tools {
            let is_known = |uri: &String| self.apps.iter().any(|app| app.uri == *uri);
            if let Some(uri) = tool.app.as_ref().filter(|uri| !is_known(uri)) {
                problems.push(format!("tool `{}`: there is no app `{uri}`", tool.name));
            }
        }
        for template in &self.templates {
            match &template.parsed {
                Err(problem) => problems.push(format!("template `{}`: {problem}", template.template)),
                Ok(parsed) => {
                    for variable in template.completers.keys().filter(|name| !parsed.has_variable(name)) {
                        let template = &template.template;
                        problems.push(format!(
                            "template `{template}`: completes `{variable}`, which it does not have"
                        ));
                    }
                }
            }
        }
        for prompt in &self.prompts {
            for argument in prompt.completers.keys().filter(|name| !prompt.has_argument(name)) {
                let prompt = &prompt.name;
                problems.push(format!("prompt `{prompt}`: completes `{argument}`, which it does not have"));
            }
        }
        problems
    }
}

fn entry(tool: Tool) -> Result<ServedTool, String> {
    let name = tool.name.clone();
    tool.input.check().map_err(|error| format!("tool `{name}`: input schema: {error}"))?;
    let checked = tool.output.as_ref().map_or(Ok(()), Schema::check);
    checked.map_err(|error| format!("tool `{name}`: output schema: {error}"))?;
    let definition: JsonBuf = tool.definition();
    if !tool.input.is_known() {
        let annotations = HeaderAnnotations::of(definition.as_json().get("inputSchema"));
        annotations.arguments().map_err(|error| format!("tool `{name}`: {error}"))?;
    }
    Ok(ServedTool { definition, enabled: AtomicBool::new(true), tool })
}

fn twice<'a>(kind: &str, names: impl Iterator<Item = &'a String>, problems: &mut Vec<String>) {
    let mut seen = HashSet::new();
    for name in names {
        if !seen.insert(name) {
            problems.push(format!("{kind} `{name}` is declared twice"));
        }
    }
}

fn is_server_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.'))
}

fn is_tool_name(name: &str) -> bool {
    (1..=128).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
}
