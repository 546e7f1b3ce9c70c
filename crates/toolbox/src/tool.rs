//! One tool: what it is called, what it takes and returns, and what it does.
use std::collections::BTreeSet;
use std::sync::Arc;

use overt_policy::ToolRecord;
use overt_policy::record::Effect;
use overt_policy::setting::SettingValues;
use overt_wire::BoxFuture;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::content::Content;
use super::context::{Context, Prepared};
use super::error::ToolError;
use super::normalise::Leniency;
use super::outcome::Outcome;
use super::schema::{Direction, Schema};
use super::task::TaskRule;

pub(super) type Call =
    Arc<dyn Fn(Arc<Value>, Context) -> BoxFuture<'static, Result<Outcome, ToolError>> + Send + Sync>;

/// Makes the plan of a call; none where there is nothing left to do. The flag says whether a person
/// will be asked about it.
pub(super) type Planner = Arc<
    dyn Fn(Arc<Value>, Context, bool) -> BoxFuture<'static, Result<Option<Prepared>, ToolError>>
        + Send
        + Sync,
>;

/// A tool, declared once: list entry, checks and result follow from it.
pub struct Tool {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) input: Schema,
    pub(super) output: Option<Schema>,
    pub(super) call: Call,
    pub(super) task: TaskRule,
    /// What it does, declared once: the hints and every document follow from it.
    pub(super) record: ToolRecord,
    /// The codes that it answers with when it says no, if the author names them.
    pub(super) error_codes: Option<BTreeSet<String>>,
    /// Makes the plan of a call, for a tool that was declared as a plan and its application.
    pub(super) planner: Option<Planner>,
    /// Its schemas were made from types.
    pub(super) is_typed: bool,
    /// What is wrong with the arguments of a call that is denied.
    pub(super) explain_denial: Option<ExplainDenial>,
    /// What it takes besides what its schema says.
    pub(super) leniency: Option<Leniency>,
    /// The arguments that scopes are made of.
    pub(super) scope_arguments: Option<ScopeArguments>,
    pub(super) title: Option<String>,
    /// The address of the app that shows what it did.
    pub(super) app: Option<String>,
}

/// From the arguments of a denied call to what is wrong with them.
pub(super) type ExplainDenial = Arc<dyn Fn(&Value) -> Option<ToolError> + Send + Sync>;

/// From the arguments of a call and the settings that hold for it to the arguments that scopes are
/// made of.
pub(super) type ScopeArguments = Arc<dyn Fn(&Value, Option<&SettingValues>) -> Value + Send + Sync>;

impl Tool {
    /// A tool that returns a value. The schemas come from the types; doc comments become
    /// descriptions. The description says when to use the tool, what comes back and how to write
    /// the arguments.
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

    /// A tool that returns content: text, pictures, links.
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

    /// A tool that returns a value for programs, and content for the model in place of the JSON
    /// text: the text of a file, a picture. Without content it is like [`new`](Self::new).
    pub fn value_and_content<I, O, F, Fut>(name: &str, description: &str, run: F) -> Self
    where
        I: DeserializeOwned + JsonSchema + Send + 'static,
        O: Serialize + JsonSchema + Send + 'static,
        F: Fn(I, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(O, Vec<Content>), ToolError>> + Send + 'static,
    {
        let run = Arc::new(run);
        let call: Call = Arc::new(move |arguments, context| {
            let run = Arc::clone(&run);
            Box::pin(async move {
                let (value, content) = run(read(arguments)?, context).await?;
                Ok(Outcome::typed(&value)?.with_content(content))
            })
        });
        let output = Some(Schema::of_type::<O>(Direction::Output));
        Self::with(name, description, Schema::of_type::<I>(Direction::Input), output, call)
    }

    /// A tool with schemas of its own, that gets its arguments as JSON.
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
            title: None,
            app: None,
        }
    }

    /// The schemas of its arguments and its result, as text that was made from the types before: a
    /// server that starts often need not make them each time. A test must compare the texts with
    /// [`schemas`](Self::schemas), and build the server without them.
    #[must_use]
    pub fn known_schemas(mut self, input: &'static str, output: Option<&'static str>) -> Self {
        self.input.known_as(input);
        if let (Some(schema), Some(text)) = (&mut self.output, output) {
            schema.known_as(text);
        }
        self
    }

    /// The schema of its arguments, and that of its result.
    pub fn schemas(&self) -> (&Value, Option<&Value>) {
        (self.input.value(), self.output.as_ref().map(Schema::value))
    }

    /// A name for people.
    #[must_use]
    pub fn title(self, title: &str) -> Self {
        Self { title: Some(title.into()), ..self }
    }

    /// The app that clients show beside what the tool did. [`Toolbox::app`](super::Toolbox::app)
    /// serves it.
    #[must_use]
    pub fn app(self, uri: &str) -> Self {
        Self { app: Some(uri.into()), ..self }
    }

    /// What the tool does, in full: effect, side effects, equivalents, examples, errors, exposure.
    /// Replaces what was said before.
    #[must_use]
    pub fn declare(self, record: ToolRecord) -> Self {
        let preview = record.preview || self.has_plan();
        Self { record: ToolRecord { preview, ..record }, ..self }
    }

    /// The codes that the tool answers with when it says no ([`ToolError::code`]). Named here, each
    /// must be described among the errors of its record, and no other (D-20).
    #[must_use]
    pub fn fails_with<'a>(self, codes: impl IntoIterator<Item = &'a str>) -> Self {
        Self { error_codes: Some(codes.into_iter().map(str::to_owned).collect()), ..self }
    }

    /// What the arguments of a call stand for where its scopes are made of them: relative paths
    /// made whole, what was left out put in. The tool must ask [`Context::allows`] for what it
    /// really opens, because a name may lead elsewhere.
    #[must_use]
    pub fn scope_arguments(
        self,
        scope_arguments: impl Fn(&Value, Option<&SettingValues>) -> Value + Send + Sync + 'static,
    ) -> Self {
        Self { scope_arguments: Some(Arc::new(scope_arguments)), ..self }
    }

    /// What the client of a denied call is told where the arguments themselves are the reason, such
    /// as a path that the server does not serve. Otherwise it hears only that the call is not
    /// allowed.
    #[must_use]
    pub fn explain_denial(
        self,
        explain: impl Fn(&Value) -> Option<ToolError> + Send + Sync + 'static,
    ) -> Self {
        Self { explain_denial: Some(Arc::new(explain)), ..self }
    }

    /// Takes arguments as models write them: under other names (from the other name to the
    /// canonical one), numbers and flags as strings, one value for a list of one. They are
    /// canonical before they are checked, recorded or shown.
    #[must_use]
    pub fn aliases(mut self, aliases: &'static [(&'static str, &'static str)]) -> Self {
        self.leniency = Some(Leniency { aliases, rewrite: self.leniency.and_then(|known| known.rewrite) });
        self
    }

    /// What else of the arguments is rewritten to be canonical, after [`aliases`](Self::aliases).
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

    /// Changes nothing.
    #[must_use]
    pub fn read_only(mut self) -> Self {
        self.record.effect = Some(Effect::Read);
        self
    }

    /// Changes things, and says whether it may destroy something.
    #[must_use]
    pub fn changes(mut self, destructive: Destructive) -> Self {
        self.record.effect = Some(match destructive {
            Destructive::Yes => Effect::Destructive,
            Destructive::No => Effect::Mutating,
        });
        self
    }

    /// Calling it twice with the same arguments does no more than calling it once.
    #[must_use]
    pub fn idempotent(mut self) -> Self {
        self.record.idempotent = Some(true);
        self
    }

    /// Reaches things outside this machine.
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

/// Reads arguments that the schema has passed. What still doesn't fit is said like any other wrong
/// argument.
pub(super) fn read<I: DeserializeOwned>(arguments: Arc<Value>) -> Result<I, ToolError> {
    match Arc::try_unwrap(arguments) {
        Ok(arguments) => serde_json::from_value(arguments).map_err(|error| unreadable(&error)),
        Err(shared) => read_ref(&shared),
    }
}

/// Reads arguments that are needed afterwards.
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
