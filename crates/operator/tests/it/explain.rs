//! What an explanation says about a call is what happens when the call is made.
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;

use overt_layers::decide::CallDecision;
use overt_layers::grants::{QuestionKind, SeenTool, StateStore, ToolTrust};
use overt_operator::decisions::trust_in;
use overt_operator::explain::{CallToExplain, DefinitionDigests};
use overt_policy::{Trust, Verdict};
use overt_state::grants::{SharedStore, SqliteStore};
use overt_testkit::person::authorised;
use proptest::sample::select;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

use super::explain_server::{Outcome, PROJECT, Server, TOOLS, definitions, facts};
use super::explain_situation::{Situation, set};

/// How a decision can come about. The random situations must contain each of them.
const REASONS: [&str; 8] = [
    "allow",
    "allow by a grant",
    "allow by trust in reading",
    "allow by trust without approval",
    "ask about the call",
    "ask about trust",
    "deny",
    "deny by a refusal for good",
];

#[test]
fn a_call_comes_to_what_its_explanation_says() {
    let config = Config { cases: 150, failure_persistence: None, ..Config::default() };
    let arguments = select(vec![
        json!({ "path": "/a/x" }),
        json!({ "path": "/a/secret" }),
        json!({ "path": "/b" }),
        json!({}),
    ]);
    // The suite tries the same situations each time, so that no change fails by chance.
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let bench = Bench::new();
    let reasons = RefCell::<BTreeMap<&str, usize>>::default();
    let tried = runner.run(&(Situation::any(), arguments), |(situation, arguments)| {
        for (tool, explained, outcome) in bench.compare(&situation, &arguments) {
            assert_eq!(said(&explained), outcome, "{tool}: {explained:?}");
            *reasons.borrow_mut().entry(reason(&explained)).or_default() += 1;
        }
        Ok(())
    });
    if let Err(error) = tried {
        panic!("{error}");
    }
    let reasons = reasons.into_inner();
    for reason in REASONS {
        assert!(reasons.get(reason).is_some_and(|times| *times > 3), "`{reason}` is rare: {reasons:?}");
    }
}

/// One store, as a server and a person's commands have it open. Each situation has its own server,
/// so that one does not change the next.
struct Bench {
    person: SqliteStore,
    server: Arc<dyn StateStore>,
    runtime: Runtime,
    situations: Cell<usize>,
    _folder: TempDir,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self {
            person: SqliteStore::open(folder.path()).unwrap(),
            server: Arc::new(SharedStore::new(SqliteStore::open(folder.path()).unwrap())),
            runtime: Builder::new_current_thread().enable_all().build().unwrap(),
            situations: Cell::default(),
            _folder: folder,
        }
    }

    /// Explains a call of each tool, and then makes it.
    fn compare(
        &self,
        situation: &Situation,
        arguments: &Value,
    ) -> Vec<(&'static str, CallDecision, Outcome)> {
        self.situations.update(|number| number + 1);
        let identity = format!("srv#{}", self.situations.get());
        situation.answer(&identity, &self.person);
        let explained = TOOLS.map(|tool| self.explain(&identity, situation, tool, arguments));
        if let Some(trust) = situation.file_trust {
            // The server starts.
            let trust = authorised(trust_in(&identity, Some(PROJECT), trust, &all_shown()));
            self.person.set_trust(&trust).unwrap();
        }
        let meta = json!({ "policy": situation.policy, "granted_scopes": situation.supposed });
        let server = Server::new(&identity);
        let outcome = |tool: &str| {
            let params = json!({ "name": tool, "arguments": arguments, "_meta": meta });
            self.runtime.block_on(server.call(situation.snapshot(), &self.server, &params))
        };
        TOOLS.into_iter().zip(explained).map(|(tool, explained)| (tool, explained, outcome(tool))).collect()
    }

    fn explain(&self, server: &str, situation: &Situation, tool: &str, arguments: &Value) -> CallDecision {
        let call = CallToExplain {
            server,
            project: Some(PROJECT),
            digests: &DefinitionDigests::by_name(&definitions())[tool],
            facts: &facts(tool),
            arguments,
            authority: &situation.authority,
            policies: &situation.policies(),
            supposed: &set(&situation.supposed),
            file_trust: situation.file_trust.map(ToolTrust::Shown),
        };
        call.decide(Some(&self.person)).unwrap()
    }
}

/// Every tool, as its definition is shown to the person.
fn all_shown() -> Vec<SeenTool> {
    let digests = DefinitionDigests::by_name(&definitions());
    digests
        .into_iter()
        .map(|(name, digests)| SeenTool { name, digest: Some(digests.tool().to_owned()) })
        .collect()
}

fn said(explained: &CallDecision) -> Outcome {
    match explained.decision.verdict {
        Verdict::Allow => Outcome::Ran,
        Verdict::NeedsApproval => Outcome::Asked,
        Verdict::Deny => Outcome::Denied,
    }
}

fn reason(explained: &CallDecision) -> &'static str {
    let CallDecision { decision, grant, refusal, trust, kind, .. } = explained;
    match decision.verdict {
        Verdict::Allow if grant.is_some() => "allow by a grant",
        Verdict::Allow => match trust {
            Some(Trust::Changes | Trust::Deletes) => "allow by trust in reading",
            Some(Trust::Nothing) => "allow by trust without approval",
            Some(Trust::Everything) | None => "allow",
        },
        Verdict::NeedsApproval if *kind == QuestionKind::Trust => "ask about trust",
        Verdict::NeedsApproval => "ask about the call",
        Verdict::Deny if refusal.is_some() => "deny by a refusal for good",
        Verdict::Deny => "deny",
    }
}
