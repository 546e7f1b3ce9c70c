//! Both stores behind one interface that a test can call without waiting.
use std::collections::HashMap;
use std::task::{Context, Poll, Waker};

use overt_layers::grants::{
    CandidateQuery, Candidates, Grant, Holder, HolderClient, MemoryStore, Need, Reliance, StateStore,
    StoreFuture, Terms, TrustedServerKey, TrustedTool,
};
use overt_policy::Trust;
use overt_testkit::person::{giving, revoking, trusting};
use overt_wire::Principal;

use super::super::SqliteStore;

pub(super) trait Probe {
    fn candidates(&self, query: &CandidateQuery) -> Candidates;
    fn spend(&self, reliance: Reliance) -> bool;
    fn give(&self, holder: &Holder, terms: Terms) -> (Grant, String);
    fn revoke(&self, grant: &Grant) -> bool;
    fn grants(&self) -> Vec<Grant>;
    fn session_ended(&self, holder: &Holder);
    fn set_trust(&self, tool: &TrustedTool, trust: Trust);
    fn covered(&self, server: &TrustedServerKey) -> Option<HashMap<String, String>>;

    /// Looks up what may matter for a call.
    fn find(&self, need: &Need<'_>, token: Option<&str>) -> Candidates {
        self.candidates(&CandidateQuery {
            holder: need.holder.clone(),
            tool: TrustedTool {
                server: TrustedServerKey {
                    principal: need.holder.principal.clone(),
                    server: need.server.to_owned(),
                    project: need.project.map(str::to_owned),
                },
                tool: need.tool.to_owned(),
                digest: need.tool_digest.to_owned(),
            },
            wanted: vec![need.scopes.to_vec()],
            arguments: need.arguments.to_owned(),
            token: token.map(str::to_owned),
        })
    }

    fn covering(&self, need: &Need<'_>) -> Option<Grant> {
        self.find(need, None).covering(need).cloned()
    }

    fn refusing(&self, need: &Need<'_>) -> Option<Grant> {
        self.find(need, None).refusing(need).cloned()
    }

    /// Returns the grant of a token, if it permits the call.
    fn of_token(&self, token: &str, need: &Need<'_>) -> Option<Grant> {
        let found = self.find(need, Some(token));
        found.of_token.filter(|grant| grant.permits(need, found.now))
    }

    fn spend_grant(&self, grant: &Grant) -> bool {
        self.spend(Reliance { grant: Some(grant.clone()), trust: None })
    }

    /// Returns how far the tool is trusted, and uses it.
    fn use_trusted(&self, tool: &TrustedTool) -> Option<Trust> {
        let query = CandidateQuery {
            holder: Holder::any_client(tool.server.principal.clone()),
            tool: tool.clone(),
            wanted: Vec::new(),
            arguments: String::new(),
            token: None,
        };
        let trust = self.candidates(&query).trust.covering()?;
        let reliance = (tool.clone(), HolderClient::Any, trust);
        assert!(self.spend(Reliance { grant: None, trust: Some(reliance) }));
        Some(trust)
    }
}

pub(super) fn trusted(project: Option<&str>, tool: &str, digest: &str) -> TrustedTool {
    let server = TrustedServerKey {
        principal: Principal::local(),
        server: "notes#0a1b2c3d".to_owned(),
        project: project.map(str::to_owned),
    };
    TrustedTool { server, tool: tool.to_owned(), digest: digest.to_owned() }
}

/// Returns the result of an operation that never waits.
fn now<T>(mut operation: StoreFuture<'_, T>) -> T {
    match operation.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(done) => done.unwrap(),
        Poll::Pending => panic!("the store in memory waits"),
    }
}

impl Probe for SqliteStore {
    fn candidates(&self, query: &CandidateQuery) -> Candidates {
        self.candidates(query).unwrap()
    }

    fn spend(&self, reliance: Reliance) -> bool {
        self.spend(&reliance).unwrap().is_some()
    }

    fn give(&self, holder: &Holder, terms: Terms) -> (Grant, String) {
        let given = self.give(&giving(holder, terms)).unwrap();
        (given.grant, given.token)
    }

    fn revoke(&self, grant: &Grant) -> bool {
        self.revoke(&revoking(grant)).unwrap()
    }

    fn grants(&self) -> Vec<Grant> {
        self.grants().unwrap()
    }

    fn session_ended(&self, holder: &Holder) {
        self.session_ended(holder).unwrap();
    }

    fn set_trust(&self, tool: &TrustedTool, trust: Trust) {
        self.set_trust(&trusting(tool, trust)).unwrap();
    }

    fn covered(&self, server: &TrustedServerKey) -> Option<HashMap<String, String>> {
        self.covered(server, &HolderClient::Any).unwrap()
    }
}

impl Probe for MemoryStore {
    fn candidates(&self, query: &CandidateQuery) -> Candidates {
        now(StateStore::candidates(self, query.clone()))
    }

    fn spend(&self, reliance: Reliance) -> bool {
        now(StateStore::spend(self, reliance)).map(overt_layers::grants::Spent::keep).is_some()
    }

    fn give(&self, holder: &Holder, terms: Terms) -> (Grant, String) {
        let given = now(StateStore::give(self, giving(holder, terms)));
        (given.grant, given.token)
    }

    fn revoke(&self, grant: &Grant) -> bool {
        now(StateStore::revoke(self, revoking(grant)))
    }

    fn grants(&self) -> Vec<Grant> {
        now(StateStore::grants(self))
    }

    fn session_ended(&self, holder: &Holder) {
        StateStore::session_ended(self, holder);
    }

    fn set_trust(&self, tool: &TrustedTool, trust: Trust) {
        now(StateStore::set_trust(self, trusting(tool, trust)));
    }

    fn covered(&self, server: &TrustedServerKey) -> Option<HashMap<String, String>> {
        now(StateStore::covered(self, server.clone(), HolderClient::Any))
    }
}
