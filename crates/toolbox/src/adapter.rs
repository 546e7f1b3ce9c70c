//! Adapts a tool: the adapted tool has other arguments and another result, but keeps the work,
//! plan, scopes and record.
use std::sync::Arc;

use overt_policy::ToolRecord;
use schemars::JsonSchema;
use serde_json::Value;

use super::context::Context;
use super::error::ToolError;
use super::outcome::Outcome;
use super::schema::{Direction, Schema};
use super::tool::{Call, Planner, Tool};

/// The work of a tool, for an adapter to call. The permission for the adapted tool's call covers
/// it, so no new decision is made.
#[derive(Clone)]
pub struct Inner(Call);

impl Inner {
    /// Runs the tool's work. The caller must make sure that the arguments are valid.
    pub async fn call(&self, arguments: Value, context: &Context) -> Result<Outcome, ToolError> {
        (self.0)(Arc::new(arguments), context.clone()).await
    }
}

impl Tool {
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the work of the tool, without its name.
    pub fn inner(&self) -> Inner {
        Inner(Arc::clone(&self.call))
    }

    /// Returns what the author declared about the tool.
    pub fn record(&self) -> &ToolRecord {
        &self.record
    }

    /// Returns this tool with arguments of type `I` and a result of type `O`. `arguments`
    /// translates the new arguments into those of the tool, and leaves arguments of the tool's own
    /// form unchanged. `answer` calls the tool with the translated arguments and converts its
    /// outcome.
    #[must_use]
    pub fn adapted<I, O, F, Fut>(
        self,
        description: &str,
        arguments: impl Fn(&Value) -> Value + Send + Sync + 'static,
        answer: F,
    ) -> Self
    where
        I: JsonSchema,
        O: JsonSchema,
        F: Fn(Value, Value, Context, Inner) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Outcome, ToolError>> + Send + 'static,
    {
        let (inner, located) = (self.inner(), self.scope_arguments.clone());
        let arguments = Arc::new(arguments);
        let translated = Arc::clone(&arguments);
        let call: Call = Arc::new(move |given, context| {
            let ours = translated(&given);
            let is_preview = context.is_preview();
            let answered = answer(Arc::unwrap_or_clone(given), ours, context, inner.clone());
            Box::pin(async move {
                let outcome = answered.await?;
                Ok(if is_preview { outcome.of_preview() } else { outcome })
            })
        });
        let planner = self.planner.clone().map(|planner| {
            let (arguments, call) = (Arc::clone(&arguments), Arc::clone(&call));
            let adapted: Planner = Arc::new(move |given, context, is_asked| {
                let (planner, call, ours) = (Arc::clone(&planner), Arc::clone(&call), arguments(&given));
                Box::pin(async move {
                    match planner(Arc::new(ours), context.clone(), is_asked).await {
                        Ok(prepared) => Ok(prepared),
                        // Let the adapter report the problem in its own words, or find that there
                        // is nothing left to do.
                        Err(_) => call(given, context).await.map(|_| None),
                    }
                })
            });
            adapted
        });
        let mut tool = self;
        description.clone_into(&mut tool.description);
        tool.input = Schema::of_type::<I>(Direction::Input);
        tool.output = Some(Schema::of_type::<O>(Direction::Output));
        tool.leniency = None;
        tool.call = call;
        tool.planner = planner;
        if let Some(located) = located {
            tool = tool.scope_arguments(move |given, settings| located(&arguments(given), settings));
        }
        tool
    }
}

impl Tool {
    /// Returns this tool with reworded errors, for a server that lists other tools beside it.
    #[must_use]
    pub fn reword_errors(mut self, reword: fn(ToolError) -> ToolError) -> Self {
        let call = Arc::clone(&self.call);
        self.call = Arc::new(move |arguments, context| {
            let called = call(arguments, context);
            Box::pin(async move { called.await.map_err(reword) })
        });
        self.planner = self.planner.map(|planner| {
            let reworded: Planner = Arc::new(move |arguments, context, is_asked| {
                let planned = planner(arguments, context, is_asked);
                Box::pin(async move { planned.await.map_err(reword) })
            });
            reworded
        });
        self
    }
}

impl std::fmt::Debug for Inner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Inner")
    }
}
