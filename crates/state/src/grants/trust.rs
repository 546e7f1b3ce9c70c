//! Trust in what servers say about their own tools, and the processes that listen for questions.
use std::collections::HashMap;

use overt_layers::grants::{QuestionId, StoreError, TrustedServer, TrustedServerKey, TrustedTool};
use overt_layers::person::{ForgetTrust, SeenTool, SetTrust, TrustScope};
use overt_wire::Principal;
use rusqlite::{Connection, OptionalExtension as _};

use super::grant_rows::begin;
use super::inner::Inner;
use super::schema::unusable;
use super::store::EndedDecisions;
use super::trust_rows::{key, look_at_trust, read_level, trust_tool};

impl Inner {
    /// Returns the digests of the definitions that the decision covers, by tool.
    pub(super) fn covered(
        &self,
        server: &TrustedServerKey,
    ) -> Result<Option<HashMap<String, String>>, StoreError> {
        let [principal, server, project] = key(server);
        let decision = [principal.as_str(), server.as_str(), project.as_str()];
        let sql = "SELECT 1 FROM trust WHERE principal = ?1 AND server = ?2 AND project = ?3";
        let is_decided = self.db.query_row(sql, decision, |_| Ok(())).optional().map_err(unusable)?;
        if is_decided.is_none() {
            return Ok(None);
        }
        let sql =
            "SELECT tool, digest FROM trusted_tools WHERE principal = ?1 AND server = ?2 AND project = ?3";
        let mut select = self.db.prepare(sql).map_err(unusable)?;
        let rows = select.query_map(decision, |row| Ok((row.get(0)?, row.get(1)?))).map_err(unusable)?;
        rows.collect::<Result<_, _>>().map(Some).map_err(unusable)
    }

    /// Sets how far a server is trusted, and answers the questions that ask this.
    pub(super) fn set_trust(&mut self, decision: &SetTrust, now: u64) -> Result<Vec<QuestionId>, StoreError> {
        let SetTrust { server, trust, seen, scope } = decision;
        let change = begin(&mut self.db)?;
        let whole = TrustedTool { server: server.clone(), tool: String::new(), digest: String::new() };
        match scope {
            TrustScope::Server => trust_tool(&change, &whole, Some(*trust))?,
            // The decision about the server was withdrawn meanwhile.
            TrustScope::SeenTools if look_at_trust(&change, &whole)?.is_none() => return Ok(Vec::new()),
            TrustScope::SeenTools => {}
        }
        for SeenTool { name, digest } in seen {
            let Some(digest) = digest else { continue };
            let tool = TrustedTool { tool: name.clone(), digest: digest.clone(), ..whole.clone() };
            trust_tool(&change, &tool, None)?;
        }
        let answered = Self::settle(&change, decision, now)?;
        change.commit().map_err(unusable)?;
        Ok(answered)
    }

    /// Lists every decision about a server, ordered by server, project and principal.
    pub(super) fn trusted(&self) -> Result<Vec<TrustedServer>, StoreError> {
        let sql = "SELECT server, project, level, principal FROM trust ORDER BY server, project, principal";
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
        let delete = |table: &str| {
            let sql = format!("DELETE FROM {table} WHERE server = ?1 AND project = ?2");
            change.execute(&sql, decision).map_err(unusable)
        };
        delete("trusted_tools")?;
        let forgotten = delete("trust")?;
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
