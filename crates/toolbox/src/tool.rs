//! One tool: its name, its arguments and result, and what it does.
use std::collections::BTreeSet;
use std::sync::Arc;

use overt_policy::ToolRecord;
use overt_policy::record::Effect;
use overt_settings::SettingValues;
use overt_wire::BoxFuture;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::content::Content;
use super::context::{Context, Prepared};
use super::error::ToolError;
use super::granted_places::GrantedPlaces;
use super::normalise::Leniency;
use super::outcome::{Outcome, TypedOutcome};
use super::schema::{Direction, Schema};
use super::task::TaskRule;

pub(super) type Call =
    Arc<dyn Fn(Arc<Value>, Context) -> BoxFuture<'static, Result<Outcome, ToolError>> + Send + Sync>;

/// Makes the plan of a call, or returns `None` if there is nothing left to do. The flag says
/// whether a person will be asked about the plan.
pub(super) type Planner = Arc<
    dyn Fn(Arc<Value>, Context, bool) -> BoxFuture<'static, Result<Option<Prepared>, ToolError>>
        + Send
        + Sync,
>;

/// A tool. Its list entry, checks and results are all derived from this declaration.
pub struct Tool {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) input: Schema,
    pub(super) output: Option<Schema>,
    pub(super) call: Call,
    pub(super) task: TaskRule,
    /// What the tool does. The hints and all documents are derived from it.
    pub(super) record: ToolRecord,
    /// The error codes of the tool, if the author lists them.
    pub(super) error_codes: Option<BTreeSet<String>>,
    /// Makes the plan of a call, for a tool that was declared as a plan and its application.
    pub(super) planner: Option<Planner>,
    /// The schemas were made from types.
    pub(super) is_typed: bool,
    /// Explains a denial whose cause is in the arguments.
    pub(super) explain_denial: Option<ExplainDenial>,
    /// Alternative forms of the arguments that the tool accepts.
    pub(super) leniency: Option<Leniency>,
    /// Computes the arguments that scopes are derived from.
    pub(super) scope_arguments: Option<ScopeArguments>,
    /// The places that the tool reaches in another process, for a grant.
    pub(super) places: Option<Arc<dyn GrantedPlaces>>,
    pub(super) title: Option<String>,
    /// The address of the app that shows the result.
    pub(super) app: Option<String>,
}

/// Returns what is wrong with the arguments of a denied call, under the settings of that call.
pub(super) type ExplainDenial =
    Arc<dyn Fn(&Value, Option<&SettingValues>) -> Option<ToolError> + Send + Sync>;

/// Converts the arguments of a call, with the settings of that call, to the arguments that scopes
/// are derived from.
pub(super) type ScopeArguments = Arc<dyn Fn(&Value, Option<&SettingValues>) -> Value + Send + Sync>;

impl Tool {
    /// Declares a tool that returns a value. The schemas are made from the types; doc comments
    /// become descriptions. The description says when to use the tool, what it returns and how to
    /// write the arguments.
    pub fn new<I, O, F, Fut>(name: &str, description: &str, run: F) -> Self
    where
        I: DeserializeOwned + JsonSchema + Send + 'static,
        O: Serialize + JsonSchema + Send + 'static,
        F: Fn(I, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<O, ToolError>> + Send + 'static,
    {
        let run = Arc::new(run);
        let call: Call = Arc::new(move |arguments, context| {
            let run = Arc::clone(&run);
            Box::pin(async move {
                let input = read(arguments)?;
                let output = run(input, context).await?;
                Outcome::typed(&output)
            })
        });
        let output = Some(Schema::of_type::<O>(Direction::Output));
        Self::with(name, description, Schema::of_type::<I>(Direction::Input), output, call)
    }

    /// Declares a tool that returns content: text, images, links.
    pub fn content<I, F, Fut>(name: &str, description: &str, run: F) -> Self
    where
        I: DeserializeOwned + JsonSchema + Send + 'static,
        F: Fn(I, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Vec<Content>, ToolError>> + Send + 'static,
    {
        let run = Arc::new(run);
        let call: Call = Arc::new(move |arguments, context| {
            let run = Arc::clone(&run);
            Box::pin(async move { Ok(Outcome::content(run(read(arguments)?, context).await?)) })
        });
        Self::with(name, description, Schema::of_type::<I>(Direction::Input), None, call)
    }

    /// Declares a tool that returns a value for programs, and content for the model instead of the
    /// JSON text, such as the text of a file or an image. Without content it is like
    /// [`new`](Self::new).
    pub fn value_and_content<I, O, F, Fut>(name: &str, description: &str, run: F) -> Self
    where
        I: DeserializeOwned + JsonSchema + Send + 'static,
        O: Serialize + JsonSchema + Send + 'static,
        F: Fn(I, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(O, Vec<Content>), ToolError>> + Send + 'static,
    {
        let run = Arc::new(run);
        Self::with_outcome(name, description, move |input, context| {
            let run = Arc::clone(&run);
            async move {
                let (value, content) = run(input, context).await?;
                Ok(TypedOutcome::of(&value)?.with_content(content))
            }
        })
    }

    /// Declares a tool that decides for each call what the model gets besides the value.
    pub fn with_outcome<I, O, F, Fut>(name: &str, description: &str, run: F) -> Self
    where
        I: DeserializeOwned + JsonSchema + Send + 'static,
        O: Serialize + JsonSchema + Send + 'static,
        F: Fn(I, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<TypedOutcome<O>, ToolError>> + Send + 'static,
    {
        let run = Arc::new(run);
        let call: Call = Arc::new(move |arguments, context| {
            let run = Arc::clone(&run);
            Box::pin(async move { Ok(run(read(arguments)?, context).await?.into_outcome()) })
        });
        let output = Some(Schema::of_type::<O>(Direction::Output));
        Self::with(name, description, Schema::of_type::<I>(Direction::Input), output, call)
    }

    /// Declares a tool with hand-written schemas, which receives its arguments as JSON.
    pub fn raw<F, Fut>(name: &str, description: &str, input: Value, output: Option<Value>, run: F) -> Self
    where
        F: Fn(Value, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Outcome, ToolError>> + Send + 'static,
    {
        let call: Call =
            Arc::new(move |arguments, context| Box::pin(run(Arc::unwrap_or_clone(arguments), context)));
        let (input, output) = (Schema::by_hand(input), output.map(Schema::by_hand));
        Self { is_typed: false, ..Self::with(name, description, input, output, call) }
    }

    pub(super) fn with(
        name: &str,
        description: &str,
        input: Schema,
        output: Option<Schema>,
        call: Call,
    ) -> Self {
        Self {
            name: name.into(),
            description: description.into(),
            input,
            output,
            call,
            task: TaskRule::default(),
            record: ToolRecord::default(),
            error_codes: None,
            planner: None,
            is_typed: true,
            scope_arguments: None,
            explain_denial: None,
            leniency: None,
            places: None,
            title: None,
            app: None,
        }
    }

    /// Sets the schemas as text that was made from the types beforehand, so that a server that
    /// starts often does not compute them each time. A test must compare the texts with
    /// [`schemas`](Self::schemas), and build the server without them, because known schemas are not
    /// checked.
    #[must_use]
    pub fn known_schemas(mut self, input: &'static str, output: Option<&'static str>) -> Self {
        self.input.known_as(input);
        if let (Some(schema), Some(text)) = (&mut self.output, output) {
            schema.known_as(text);
        }
        self
    }

    /// Returns the schema of the arguments and that of the result.
    pub fn schemas(&self) -> (&Value, Option<&Value>) {
        (self.input.value(), self.output.as_ref().map(Schema::value))
    }

    /// Sets the name that people see.
    #[must_use]
    pub fn title(self, title: &str) -> Self {
        Self { title: Some(title.into()), ..self }
    }

    /// Sets the app that clients show beside the result. [`Toolbox::app`](super::Toolbox::app)
    /// serves it.
    #[must_use]
    pub fn app(self, uri: &str) -> Self {
        Self { app: Some(uri.into()), ..self }
    }

    /// Declares in full what the tool does: effect, side effects, equivalents, examples, errors,
    /// exposure. Replaces all earlier declarations.
    #[must_use]
    pub fn declare(self, record: ToolRecord) -> Self {
        let preview = record.preview || self.has_plan();
        Self { record: ToolRecord { preview, ..record }, ..self }
    }

    /// Lists the codes that the tool's errors have ([`ToolError::code`]). The errors of its record
    /// must then describe exactly these codes (D-20).
    #[must_use]
    pub fn fails_with<'a>(self, codes: impl IntoIterator<Item = &'a str>) -> Self {
        Self { error_codes: Some(codes.into_iter().map(str::to_owned).collect()), ..self }
    }

    /// Converts the arguments before scopes are derived from them: makes relative paths absolute
    /// and fills in omitted arguments. The tool must still ask [`Context::allows`] about what it
    /// really opens, because a name may lead elsewhere.
    #[must_use]
    pub fn scope_arguments(
        self,
        scope_arguments: impl Fn(&Value, Option<&SettingValues>) -> Value + Send + Sync + 'static,
    ) -> Self {
        Self { scope_arguments: Some(Arc::new(scope_arguments)), ..self }
    }

    /// Explains a denial whose cause is in the arguments, such as a path that the server does not
    /// serve. Otherwise the client is told only that the call is not allowed.
    #[must_use]
    pub fn explain_denial(
        self,
        explain: impl Fn(&Value, Option<&SettingValues>) -> Option<ToolError> + Send + Sync + 'static,
    ) -> Self {
        Self { explain_denial: Some(Arc::new(explain)), ..self }
    }

    /// Accepts arguments as models write them: under other names (pairs of the other name and the
    /// canonical one), numbers and flags as strings, a single value instead of a list. They are
    /// made canonical before they are checked, recorded or shown.
    #[must_use]
    pub fn aliases(mut self, aliases: &'static [(&'static str, &'static str)]) -> Self {
        self.leniency = Some(Leniency { aliases, rewrite: self.leniency.and_then(|known| known.rewrite) });
        self
    }

    /// Sets a function that rewrites the arguments further, after [`aliases`](Self::aliases).
    #[must_use]
    pub fn rewrite(mut self, rewrite: fn(&mut serde_json::Map<String, Value>)) -> Self {
        let aliases = self.leniency.map_or(&[][..], |known| known.aliases);
        self.leniency = Some(Leniency { aliases, rewrite: Some(rewrite) });
        self
    }

    /// Whether a call is planned before it runs.
    pub(super) fn has_plan(&self) -> bool {
        self.planner.is_some()
    }

    /// Declares that the tool changes nothing.
    #[must_use]
    pub fn read_only(mut self) -> Self {
        self.record.effect = Some(Effect::Read);
        self
    }

    /// Declares that the tool changes things, and whether it may destroy something.
    #[must_use]
    pub fn changes(mut self, destructive: Destructive) -> Self {
        self.record.effect = Some(match destructive {
            Destructive::Yes => Effect::Destructive,
            Destructive::No => Effect::Mutating,
        });
        self
    }

    /// Declares that calling the tool twice with the same arguments has the same effect as calling
    /// it once.
    #[must_use]
    pub fn idempotent(mut self) -> Self {
        self.record.idempotent = Some(true);
        self
    }

    /// Declares that the tool accesses things outside this machine.
    #[must_use]
    pub fn open_world(mut self) -> Self {
        self.record.open_world = Some(true);
        self
    }
}

/// Whether a change may destroy something that was there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Destructive {
    Yes,
    No,
}

/// Reads arguments that the schema has accepted. A remaining mismatch is reported like any other
/// invalid argument.
pub(super) fn read<I: DeserializeOwned>(arguments: Arc<Value>) -> Result<I, ToolError> {
    match Arc::try_unwrap(arguments) {
        Ok(arguments) => serde_json::from_value(arguments).map_err(|error| unreadable(&error)),
        Err(shared) => read_ref(&shared),
    }
}

/// Reads arguments that are still needed afterwards.
pub(super) fn read_ref<I: DeserializeOwned>(arguments: &Value) -> Result<I, ToolError> {
    I::deserialize(arguments).map_err(|error| unreadable(&error))
}

fn unreadable(error: &serde_json::Error) -> ToolError {
    ToolError::new(format!("Invalid arguments: {error}"))
        .next("Correct the arguments and call the tool again.")
        .code(super::arguments::INVALID)
}

impl std::fmt::Debug for Tool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Tool({})", self.name)
    }
}
