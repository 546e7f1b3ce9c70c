//! Tools that change something, as two functions: one plans, one applies. A preview is the plan
//! alone and a real call runs both, so they can't differ (H-01).
use std::sync::Arc;

use overt_layers::description::{Irreversible, PlanSummary};
use overt_policy::ToolRecord;
use overt_policy::record::Effect;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::change::Change;
use super::content::Content;
use super::context::{Apply, Context, Prepared};
use super::error::ToolError;
use super::outcome::Outcome;
use super::plan_digest::digest;
use super::preview::{IRREVERSIBLE, Mode};
use super::review::{Facts, RenderedChanges};
use super::schema::{Direction, Schema};
use super::tool::{Call, Planner, Tool, read_ref};
use overt_layers::content_digest::ContentDigester;

/// What a call is going to do. Making a plan reads, and changes nothing.
#[derive(Debug, Clone)]
pub struct Plan<P, O> {
    state: P,
    output: O,
    changes: Vec<Change>,
    content: Option<Vec<Content>>,
    change: Option<String>,
    irreversible: Option<Irreversible>,
    /// What the plan is bound to beside the changes.
    seen: ContentDigester,
}

impl Prepared {
    /// Applies the plan, unless only a preview is wanted, and gives the result.
    async fn run(self, context: &Context) -> Result<Outcome, ToolError> {
        let Self { tool, arguments, outcome, rendered, digest, apply, .. } = self;
        if context.mode()? != Mode::Preview && !context.is_planning() {
            apply(context.clone().with_planned(rendered.summary().changes.clone())).await?;
        }
        Ok(context.review(outcome, &tool, arguments, rendered, digest.as_deref()).await)
    }

    /// This plan, for a call with these arguments.
    pub(super) fn given_with(self, given: Arc<Value>) -> Self {
        Self { given, ..self }
    }

    /// What it will change, for people; `facts` are for the page.
    pub(super) fn full_summary(&self, facts: &Facts) -> PlanSummary {
        self.rendered.full_summary(facts)
    }

    /// Why it can't be undone, where that is so.
    fn irreversible(&self) -> Option<&Irreversible> {
        self.rendered.summary().irreversible.as_ref()
    }

    /// What it will change, without the diff and the page.
    pub(super) fn summary(&self) -> PlanSummary {
        self.rendered.summary().clone()
    }
}

impl Tool {
    /// A tool that changes something. `plan` looks at what is there and says what will change;
    /// `apply` does it, with the state that the plan holds. A call with `_meta.preview` ends after
    /// the plan; the result is the same in both cases, and so are the diffs that people get:
    /// `_meta["dev.overt/diff"]` of the result, and resources.
    ///
    /// A call is planned before a person is asked about it, so `plan` only reads, and can't ask the
    /// client anything.
    ///
    /// The world may change between the two: `apply` should check that what it replaces is still
    /// what the plan saw.
    ///
    /// ```
    /// use std::sync::{Arc, Mutex};
    ///
    /// use overt_toolbox::{Change, Plan, Tool};
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Rename {
    ///     title: String,
    /// }
    ///
    /// #[derive(serde::Serialize, schemars::JsonSchema)]
    /// struct Renamed {
    ///     title: String,
    /// }
    ///
    /// let title = Arc::new(Mutex::new("Untitled".to_owned()));
    /// let shown = Arc::clone(&title);
    /// let tool = Tool::mutating(
    ///     "rename",
    ///     "Use to give the document another title.",
    ///     move |input: Rename, _| {
    ///         let before = shown.lock().unwrap().clone();
    ///         async move {
    ///             let change = Change::edited("title", before, input.title.clone());
    ///             Ok(Plan::new(input.title.clone(), Renamed { title: input.title }).change(change))
    ///         }
    ///     },
    ///     move |new: String, _| {
    ///         *title.lock().unwrap() = new;
    ///         async { Ok(()) }
    ///     },
    /// );
    /// ```
    pub fn mutating<I, P, O, F, Planning, G, Applying>(
        name: &str,
        description: &str,
        plan: F,
        apply: G,
    ) -> Self
    where
        I: DeserializeOwned + JsonSchema + Send + 'static,
        P: Send + 'static,
        O: Serialize + JsonSchema + Send + 'static,
        F: Fn(I, Context) -> Planning + Send + Sync + 'static,
        Planning: Future<Output = Result<Plan<P, O>, ToolError>> + Send + 'static,
        G: Fn(P, Context) -> Applying + Send + Sync + 'static,
        Applying: Future<Output = Result<(), ToolError>> + Send + 'static,
    {
        let both = Arc::new((plan, apply));
        let tool = name.to_owned();
        let planner: Planner = Arc::new(move |arguments, context, is_asked| {
            let (both, tool) = (Arc::clone(&both), tool.clone());
            Box::pin(async move {
                let mode = context.mode()?;
                let Plan { state, output, changes, content, change, irreversible, seen } =
                    (both.0)(read_ref(&arguments)?, context.clone()).await?;
                // Serialize the output before the change is applied: what can fail comes first.
                let mut outcome = Outcome::typed(&output)?;
                if let Some(content) = content {
                    outcome = outcome.with_content(content);
                }
                let needs_digest = is_asked || mode.is_bound();
                let weight = changes.iter().map(|change| change.weight(needs_digest)).sum();
                let of = (tool.clone(), Arc::clone(&arguments));
                let compare = move || {
                    let (tool, arguments) = of;
                    let digest = needs_digest.then(|| digest(&tool, &arguments, &changes, &seen));
                    (digest, RenderedChanges::render(&tool, &changes, irreversible))
                };
                let (digest, rendered) = context.artifacts().offload().run(weight, compare).await?;
                mode.check(&tool, digest.as_deref())?;
                let apply: Apply = Box::new(move |context| Box::pin((both.1)(state, context)));
                let given = Arc::clone(&arguments);
                Ok(Some(Prepared { tool, arguments, given, outcome, rendered, digest, change, apply }))
            })
        });
        let prepares = Arc::clone(&planner);
        let call: Call = Arc::new(move |arguments, context| {
            let planner = Arc::clone(&prepares);
            Box::pin(async move {
                // Apply the plan that was decided on; do not plan again.
                let decided = context.take_prepared();
                let is_decided = decided.is_some();
                let prepared = match decided {
                    Some(prepared) => Some(prepared),
                    None => planner(arguments, context.clone(), false).await?,
                };
                match prepared {
                    Some(prepared) => {
                        // A plan that is made only now was not approved by a person.
                        if let Some(irreversible) = prepared.irreversible()
                            && !is_decided
                            && !context.is_preview()
                        {
                            return Err(refused(irreversible));
                        }
                        prepared.run(&context).await
                    }
                    None => Err(ToolError::protocol(overt_wire::ErrorObject::internal())),
                }
            })
        });
        let (input, output) =
            (Schema::of_type::<I>(Direction::Input), Schema::of_type::<O>(Direction::Output));
        let mut tool = Self::with(name, description, input, Some(output), call);
        tool.record = ToolRecord { preview: true, ..ToolRecord::new(Effect::Mutating) };
        tool.planner = Some(planner);
        tool
    }
}

impl<P, O> Plan<P, O> {
    /// `state` is what `apply` needs; `output` is what the call returns, whether it is a preview or
    /// not.
    pub fn new(state: P, output: O) -> Self {
        Self {
            state,
            output,
            changes: Vec::new(),
            content: None,
            change: None,
            irreversible: None,
            seen: ContentDigester::default(),
        }
    }

    /// Something that will change.
    #[must_use]
    pub fn change(mut self, change: Change) -> Self {
        self.changes.push(change);
        self
    }

    /// The name under which the change can be undone, once it is made: the records of the call have
    /// it.
    #[must_use]
    pub fn undo_name(self, change: Option<String>) -> Self {
        Self { change, ..self }
    }

    /// What will change can't be undone: a person is asked about each such call, whatever else is
    /// allowed.
    #[must_use]
    pub fn irreversible(mut self, irreversible: Option<Irreversible>) -> Self {
        if irreversible.is_some() {
            // The approval of a reversible change must not cover this one, so the digests differ.
            self.seen.part("irreversible");
        }
        self.irreversible = irreversible;
        self
    }

    /// Items for the model in place of the JSON text of the output.
    #[must_use]
    pub fn content(self, content: Vec<Content>) -> Self {
        Self { content: Some(content), ..self }
    }

    /// What the plan is made for, so that it no longer holds when that changes: the identity, size
    /// and time of a file, or a digest (FS-34). In an order that is the same each time. It is not
    /// shown, and only its digest is kept.
    #[must_use]
    pub fn saw(mut self, fingerprint: &str) -> Self {
        self.seen.part(fingerprint);
        self
    }
}

/// What can't be undone does not happen unless a person agreed to it.
fn refused(Irreversible { why, instead }: &Irreversible) -> ToolError {
    ToolError::new(format!("{why}, so the change could not be undone; nothing was done"))
        .next(instead.clone())
        .code(IRREVERSIBLE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fs_34_a_digest_is_about_what_the_plan_saw() {
        let saw = |texts: &[&str]| {
            let plan = texts.iter().fold(Plan::new((), ()), |plan, text| plan.saw(text));
            digest("t", &Value::Null, &[], &plan.seen)
        };
        assert_eq!(saw(&["1:2", "3"]), saw(&["1:2", "3"]));
        for other in [saw(&[]), saw(&["1:2"]), saw(&["3", "1:2"]), saw(&["1:23"])] {
            assert_ne!(other, saw(&["1:2", "3"]));
        }
    }
}
