//! Trust in what servers say about their own tools, and the processes that listen for questions.
use std::collections::HashMap;

use overt_layers::grants::{HolderClient, QuestionId, StoreError, TrustedServer, TrustedServerKey};
use overt_layers::person::{ForgetTrust, SetTrust, TrustScope};
use overt_wire::Principal;
use rusqlite::{Connection, params};

use super::grant_rows::begin;
use super::inner::Inner;
use super::schema::unusable;
use super::store::EndedDecisions;
use super::trust_rows::{LASTING, forget_sessions, is_decided, key, read_level, trust_seen};

impl Inner {
    /// Returns the digests of the definitions that the decisions cover, by tool.
    pub(super) fn covered(
        &self,
        server: &TrustedServerKey,
        client: &HolderClient,
    ) -> Result<Option<HashMap<String, String>>, StoreError> {
        let [principal, server, project] = key(server);
        let session = match client {
            HolderClient::Session(session) => session,
            HolderClient::Profile(_) | HolderClient::Any => LASTING,
        };
        let decisions = params![principal, server, project, session];
        let of_server = "(principal, server, project) = (?1, ?2, ?3) AND session IN ('', ?4)";
        let sql = format!("SELECT EXISTS (SELECT 1 FROM trust WHERE {of_server})");
        let is_decided: bool = self.db.query_row(&sql, decisions, |row| row.get(0)).map_err(unusable)?;
        if !is_decided {
            return Ok(None);
        }
        // What lasts comes last, so that it counts where both know a tool.
        let sql = format!("SELECT tool, digest FROM trusted_tools WHERE {of_server} ORDER BY session DESC");
        let mut select = self.db.prepare(&sql).map_err(unusable)?;
        let rows = select.query_map(decisions, |row| Ok((row.get(0)?, row.get(1)?))).map_err(unusable)?;
        rows.collect::<Result<_, _>>().map(Some).map_err(unusable)
    }

    /// Sets how much is asked about a server, and answers the questions that ask this.
    pub(super) fn set_trust(&mut self, decision: &SetTrust, now: u64) -> Result<Vec<QuestionId>, StoreError> {
        let SetTrust { server, trust, seen, scope } = decision;
        let change = begin(&mut self.db)?;
        // The decision about the server was withdrawn meanwhile.
        if *scope == TrustScope::SeenTools && !is_decided(&change, server)? {
            return Ok(Vec::new());
        }
        trust_seen(&change, server, None, *trust, seen)?;
        if *scope == TrustScope::Server {
            forget_sessions(&change, server)?;
        }
        let answered = Self::settle(&change, decision, now)?;
        change.commit().map_err(unusable)?;
        Ok(answered)
    }

    /// Lists every decision about a server, ordered by server, project and principal.
    pub(super) fn trusted(&self) -> Result<Vec<TrustedServer>, StoreError> {
        let sql = "SELECT server, project, level, principal FROM trust WHERE session = '' ORDER BY server, project, principal";
        let mut select = self.db.prepare(sql).map_err(unusable)?;
        let rows = select
            .query_map([], |row| {
                let text = |at| row.get::<_, String>(at);
                Ok((text(0)?, text(1)?, text(2)?, text(3)?))
            })
            .map_err(unusable)?;
        rows.map(|row| {
            let (server, project, level, principal) = row.map_err(unusable)?;
            let project = Some(project).filter(|project| !project.is_empty());
            let principal = Principal::from_key(&principal);
            Ok(TrustedServer { principal, server, project, trust: read_level(&level)? })
        })
        .collect()
    }

    /// Revokes the decision of every principal. Returns whether there was one.
    pub(super) fn forget_trust(&mut self, forget: &ForgetTrust) -> Result<bool, StoreError> {
        let decision = [forget.server.as_str(), forget.project.as_deref().unwrap_or_default()];
        let change = begin(&mut self.db)?;
        let sql = "DELETE FROM trust WHERE server = ?1 AND project = ?2";
        let forgotten = change.execute(sql, decision).map_err(unusable)?;
        change.commit().map_err(unusable)?;
        Ok(forgotten > 0)
    }

    /// Returns what a migration of the tables ended, to the first caller only.
    pub(super) fn take_ended(&mut self) -> Result<Option<EndedDecisions>, StoreError> {
        let read = "SELECT (SELECT n FROM counters WHERE name = 'ended_grants'), (SELECT n FROM counters WHERE name = 'ended_trust')";
        let read = |db: &Connection| -> rusqlite::Result<EndedDecisions> {
            db.query_row(read, [], |row| {
                let number = |at| row.get::<_, i64>(at).map(|number| u64::try_from(number).unwrap_or(0));
                Ok(EndedDecisions { grants: number(0)?, trust: number(1)? })
            })
        };
        let is_some = |ended: &EndedDecisions| ended.grants + ended.trust > 0;
        // Almost always there is nothing to report, and then nothing is written.
        if !is_some(&read(&self.db).map_err(unusable)?) {
            return Ok(None);
        }
        let change = begin(&mut self.db)?;
        let ended = read(&change).map_err(unusable)?;
        change
            .execute("UPDATE counters SET n = 0 WHERE name IN ('ended_grants', 'ended_trust')", [])
            .map_err(unusable)?;
        change.commit().map_err(unusable)?;
        Ok(Some(ended).filter(is_some))
    }

    pub(super) fn listen(&mut self) -> Result<(), StoreError> {
        self.db
            .execute("INSERT OR IGNORE INTO listeners VALUES (?1)", [&self.run])
            .map_err(unusable)
            .map(drop)
    }

    /// The runs of the processes that listen for questions, including those that have ended.
    pub(super) fn listeners(&self) -> Result<Vec<String>, StoreError> {
        let mut select = self.db.prepare("SELECT run FROM listeners").map_err(unusable)?;
        let runs = select.query_map([], |row| row.get(0)).map_err(unusable)?;
        runs.collect::<Result<_, _>>().map_err(unusable)
    }
}
