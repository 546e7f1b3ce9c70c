//! Prompts: message templates that a person chooses and fills in.
use std::collections::BTreeMap;
use std::sync::Arc;

use overt_wire::era::Version;
use overt_wire::json::{Array, Json, JsonBuf, Member, Object};
use overt_wire::{BoxFuture, ErrorObject};

use super::content::{Content, Role};
use super::{Context, ToolError};

pub(super) type Completer = Arc<dyn Fn(&str) -> Vec<String> + Send + Sync>;

type Get = Arc<
    dyn Fn(BTreeMap<String, String>, Context) -> BoxFuture<'static, Result<PromptReply, ToolError>>
        + Send
        + Sync,
>;

/// A prompt, as its author declares it.
pub struct Prompt {
    pub(super) name: String,
    title: Option<String>,
    description: String,
    arguments: Vec<Argument>,
    pub(super) get: Get,
    pub(super) completers: BTreeMap<String, Completer>,
}

#[derive(Debug)]
struct Argument {
    name: String,
    description: String,
    required: bool,
}

/// The messages of a prompt.
#[derive(Debug, Default)]
pub struct PromptReply {
    description: Option<String>,
    messages: Vec<(Role, Content)>,
}

impl Prompt {
    /// Declares a prompt. `get` receives the arguments by name; required arguments are always
    /// present.
    pub fn new<F, Fut>(name: &str, description: &str, get: F) -> Self
    where
        F: Fn(BTreeMap<String, String>, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<PromptReply, ToolError>> + Send + 'static,
    {
        Self {
            name: name.into(),
            title: None,
            description: description.into(),
            arguments: Vec::new(),
            get: Arc::new(move |arguments, context| Box::pin(get(arguments, context))),
            completers: BTreeMap::new(),
        }
    }

    #[must_use]
    pub fn title(self, title: &str) -> Self {
        Self { title: Some(title.into()), ..self }
    }

    #[must_use]
    pub fn required(self, name: &str, description: &str) -> Self {
        self.argument(name, description, true)
    }

    #[must_use]
    pub fn optional(self, name: &str, description: &str) -> Self {
        self.argument(name, description, false)
    }

    /// Suggests values for an argument while a person types.
    #[must_use]
    pub fn complete(
        mut self,
        argument: &str,
        suggest: impl Fn(&str) -> Vec<String> + Send + Sync + 'static,
    ) -> Self {
        self.completers.insert(argument.into(), Arc::new(suggest));
        self
    }

    fn argument(mut self, name: &str, description: &str, required: bool) -> Self {
        self.arguments.push(Argument { name: name.into(), description: description.into(), required });
        self
    }

    pub(super) fn definition(&self) -> JsonBuf {
        let object = Object::new()
            .string("name", &self.name)
            .maybe("title", self.title.as_deref())
            .string("description", &self.description);
        if self.arguments.is_empty() {
            return object.finish();
        }
        let mut arguments = Array::new();
        for argument in &self.arguments {
            let argument = Object::new()
                .string("name", &argument.name)
                .string("description", &argument.description)
                .value("required", &argument.required)
                .finish();
            arguments = arguments.json(argument.as_json());
        }
        object.json("arguments", arguments.finish().as_json()).finish()
    }

    pub(super) fn has_argument(&self, name: &str) -> bool {
        self.arguments.iter().any(|argument| argument.name == name)
    }

    /// Reads the arguments of a request and checks that the required ones are present.
    pub(super) fn read(&self, given: Member<'_>) -> Result<BTreeMap<String, String>, ErrorObject> {
        if !given.is_absent() && !given.value().is_some_and(Json::is_object) {
            let message = format!("`arguments` must be an object; prompt `{}`: {}", self.name, self.names());
            return Err(ErrorObject::invalid_params(message));
        }
        let mut arguments = BTreeMap::new();
        for (key, value) in given.value().into_iter().flat_map(Json::members) {
            let name = key.name().into_owned();
            if !self.has_argument(&name) {
                let message = format!("prompt `{}` has no argument `{name}`; {}", self.name, self.names());
                return Err(ErrorObject::invalid_params(message));
            }
            let Some(text) = value.string() else {
                let message = format!("argument `{name}` of prompt `{}` must be a string", self.name);
                return Err(ErrorObject::invalid_params(message));
            };
            arguments.insert(name, text.into_owned());
        }
        match self
            .arguments
            .iter()
            .find(|argument| argument.required && !arguments.contains_key(&argument.name))
        {
            None => Ok(arguments),
            Some(missing) => {
                let message =
                    format!("prompt `{}` needs the argument `{}`; {}", self.name, missing.name, self.names());
                Err(ErrorObject::invalid_params(message))
            }
        }
    }

    fn names(&self) -> String {
        let names: Vec<String> =
            self.arguments.iter().map(|argument| format!("`{}`", argument.name)).collect();
        if names.is_empty() { "it takes none".into() } else { format!("it takes {}", names.join(", ")) }
    }
}

impl PromptReply {
    pub fn new() -> Self {
        Self::default()
    }

    #[must_use]
    pub fn description(self, description: &str) -> Self {
        Self { description: Some(description.into()), ..self }
    }

    #[must_use]
    pub fn message(mut self, role: Role, content: Content) -> Self {
        self.messages.push((role, content));
        self
    }

    pub(super) fn to_object(&self, version: Version) -> Object {
        let mut messages = Array::new();
        for (role, content) in &self.messages {
            let content = content.in_version(version);
            let message =
                Object::new().string("role", role.as_str()).json("content", content.as_json()).finish();
            messages = messages.json(message.as_json());
        }
        Object::new()
            .maybe("description", self.description.as_deref())
            .json("messages", messages.finish().as_json())
    }
}

impl std::fmt::Debug for Prompt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Prompt({})", self.name)
    }
}
