//! Tools that change something, as two functions: one plans, one applies. A preview is the plan
//! alone and a real call runs both, so they can't differ (H-01).
use std::sync::Arc;

use overt_layers::description::{Irreversible, PlanSummary};
use overt_policy::ToolRecord;
use overt_policy::record::Effect;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::change::Change;
use super::content::Content;
use super::context::{Apply, Context, Prepared};
use super::error::ToolError;
use super::outcome::Outcome;
use super::plan_digest::digest;
use super::preview::{GUARDED, IRREVERSIBLE, Mode, NEEDS_APPROVAL};
use super::review::{Facts, RenderedChanges};
use super::schema::{Direction, Schema};
use super::tool::{Call, Planner, Tool, read_ref};
use overt_layers::content_digest::ContentDigester;

/// What a call is going to do. Making a plan only reads.
#[derive(Debug, Clone)]
pub struct Plan<P, O> {
    state: P,
    output: O,
    changes: Vec<Change>,
    content: Option<Vec<Content>>,
    change: Option<String>,
    /// What the tool says about the plan, apart from its changes.
    summary: PlanSummary,
    /// Digests the fingerprints to which the plan is bound in addition to its changes.
    fingerprints: ContentDigester,
}

impl Prepared {
    /// Applies the plan, unless the call is a preview or is only being planned. Returns the result.
    async fn run(self, context: &Context) -> Result<Outcome, ToolError> {
        let Self { tool, arguments, outcome, rendered, digest, apply, .. } = self;
        if context.mode()? != Mode::Preview && !context.is_planning() {
            apply(context.clone().with_planned(rendered.summary().changes.clone())).await?;
        }
        Ok(context.review(outcome, &tool, arguments, rendered, digest.as_deref()).await)
    }

    /// Applies a plan that another process rendered.
    pub(super) async fn apply_held(self, context: Context) -> Result<(), ToolError> {
        let changes = self.rendered.summary().changes.clone();
        (self.apply)(context.with_planned(changes)).await
    }

    /// Returns what the plan will change, with diff and page. `facts` are for the page.
    pub(super) fn full_summary(&self, facts: &Facts) -> PlanSummary {
        self.rendered.full_summary(facts)
    }

    /// Returns what the plan will change, without diff and page.
    pub(super) fn summary(&self) -> PlanSummary {
        self.rendered.summary().clone()
    }
}

impl Tool {
    /// Declares a tool that changes something. `plan` reads the current state and says what will
    /// change; `apply` makes the change, with the state that the plan holds. A call with
    /// `_meta.preview` ends after the plan. The result is the same in both cases, and so are the
    /// diffs for people: `_meta["dev.overt/diff"]` of the result, and resources.
    ///
    /// A call is planned before a person is asked about it, so `plan` must only read, and can't ask
    /// the client anything.
    ///
    /// Other programs may change the same content between the two. `apply` should check that what
    /// it replaces is still what the plan saw.
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
                let Plan { state, output, changes, content, change, summary, fingerprints } =
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
                    let digest = needs_digest.then(|| digest(&tool, &arguments, &changes, &fingerprints));
                    (digest, RenderedChanges::render(&tool, &changes, summary))
                };
                let (digest, rendered) = context.artifacts().offload().run(weight, compare).await?;
                mode.check(&tool, digest.as_deref())?;
                let apply: Apply = Box::new(move |context| Box::pin((both.1)(state, context)));
                Ok(Some(Prepared { tool, arguments, outcome, rendered, digest, change, apply }))
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
                    Some(prepared) if is_decided => prepared.run(&context).await,
                    Some(prepared) => run_undecided(prepared, &context).await,
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
    /// Makes a plan without changes. `state` is what `apply` needs; `output` is what the call
    /// returns, whether it is a preview or not.
    pub fn new(state: P, output: O) -> Self {
        Self {
            state,
            output,
            changes: Vec::new(),
            content: None,
            change: None,
            summary: PlanSummary::default(),
            fingerprints: ContentDigester::default(),
        }
    }

    /// Adds a change.
    #[must_use]
    pub fn change(mut self, change: Change) -> Self {
        self.changes.push(change);
        self
    }

    /// Sets the name under which the change can be undone after it is made. The records of the call
    /// contain it.
    #[must_use]
    pub fn undo_name(self, change: Option<String>) -> Self {
        Self { change, ..self }
    }

    /// Declares that the changes can't be undone, if there is a reason why. Then each such call
    /// requires a person's approval, whatever else is allowed.
    #[must_use]
    pub fn irreversible(mut self, irreversible: Option<Irreversible>) -> Self {
        if irreversible.is_some() {
            // The approval of a reversible change must not cover this one, so the digests differ.
            self.fingerprints.part("irreversible");
        }
        self.summary.irreversible = irreversible;
        self
    }

    /// Declares that a person is asked about each such call, whatever else is allowed, if there is
    /// a reason why. The reason is part of a sentence.
    #[must_use]
    pub fn asked_each_time(mut self, why: Option<String>) -> Self {
        if why.is_some() {
            self.fingerprints.part("each time");
        }
        self.summary.each_time = why;
        self
    }

    /// Names the tool of the same server that does by declaration what this call does. What denies
    /// that tool denies this call.
    #[must_use]
    pub fn acts_as(mut self, tool: Option<&str>) -> Self {
        self.summary.acts_as = tool.map(str::to_owned);
        self
    }

    /// Declares the changed files that can start programs or permit tools, as part of a sentence,
    /// if there are any. Then each such call requires a person's approval outside of the client,
    /// whatever else is allowed.
    #[must_use]
    pub fn guarded(mut self, guarded: Option<String>) -> Self {
        if guarded.is_some() {
            self.fingerprints.part("guarded");
        }
        self.summary.guarded = guarded;
        self
    }

    /// Sets items for the model that replace the JSON text of the output.
    #[must_use]
    pub fn content(self, content: Vec<Content>) -> Self {
        Self { content: Some(content), ..self }
    }

    /// Adds a fingerprint of what the plan read, such as the identity, size and time of a file, or
    /// a digest (FS-34). The plan no longer holds when a fingerprint changes. Add fingerprints in
    /// the same order each time. They are not shown to people, and only their digest is kept.
    #[must_use]
    pub fn with_fingerprint(mut self, fingerprint: &str) -> Self {
        self.fingerprints.part(fingerprint);
        self
    }
}

/// Applies a plan that was made only now, so that no person approved it.
pub(super) async fn run_undecided(prepared: Prepared, context: &Context) -> Result<Outcome, ToolError> {
    let summary = prepared.rendered.summary();
    match (&summary.irreversible, &summary.each_time, &summary.guarded) {
        (Some(irreversible), ..) if !context.is_preview() => Err(refused(irreversible)),
        (None, Some(why), _) if !context.is_preview() => {
            Err(ToolError::new(format!("a person must agree to this call: {why}; nothing was done"))
                .next("Ask the user to make the change.")
                .code(NEEDS_APPROVAL))
        }
        (None, None, Some(what)) if !context.is_preview() => Err(ToolError::new(format!(
            "{what}, so a person must agree to this call first; nothing was done"
        ))
        .next("Ask the user to make the change.")
        .code(GUARDED)),
        _ => prepared.run(context).await,
    }
}

/// Returns the error for an irreversible change that no person approved.
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
            let plan = texts.iter().fold(Plan::new((), ()), |plan, text| plan.with_fingerprint(text));
            digest("t", &serde_json::Value::Null, &[], &plan.fingerprints)
        };
        assert_eq!(saw(&["1:2", "3"]), saw(&["1:2", "3"]));
        for other in [saw(&[]), saw(&["1:2"]), saw(&["3", "1:2"]), saw(&["1:23"])] {
            assert_ne!(other, saw(&["1:2", "3"]));
        }
    }
}
