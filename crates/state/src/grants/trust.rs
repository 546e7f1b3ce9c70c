//! Trust in what servers say about their own tools, the reviews of questions, and the processes
//! that listen for questions.
use std::collections::HashMap;

use overt_layers::grants::{QuestionId, Review, StoreError, TrustedServer, TrustedTool};
use overt_policy::Trust;
use overt_policy::word::StringEnum as _;
use rusqlite::{Connection, OptionalExtension as _, params};

use super::inner::{Inner, begin, count};
use super::rows::number;
use super::schema::unusable;
use super::store::EndedDecisions;

impl Inner {
    /// Returns the trust level for a tool whose definition is the same as at its first use under
    /// the decision. If this is the first use, the definition is stored.
    pub(super) fn trust(&mut self, tool: &TrustedTool<'_>) -> Result<Option<Trust>, StoreError> {
        let Some((level, is_first)) = self.look_at_trust(tool)? else { return Ok(None) };
        if is_first {
            let project = tool.project.unwrap_or_default();
            self.db
                .execute(
                    "INSERT OR IGNORE INTO trusted_tools VALUES (?1, ?2, ?3, ?4)",
                    [tool.server, project, tool.tool, tool.digest],
                )
                .map_err(unusable)?;
        }
        Ok(Some(level))
    }

    /// Returns the trust level for this tool, and whether this would be its first use. Does not
    /// count as a use.
    pub(super) fn look_at_trust(&self, tool: &TrustedTool<'_>) -> Result<Option<(Trust, bool)>, StoreError> {
        let project = tool.project.unwrap_or_default();
        let level: Option<String> = self
            .db
            .query_row(
                "SELECT level FROM trust WHERE server = ?1 AND project = ?2",
                [tool.server, project],
                |row| row.get(0),
            )
            .optional()
            .map_err(unusable)?;
        let Some(level) = level else { return Ok(None) };
        let level = read_level(&level)?;
        let digest: Option<String> = self
            .db
            .query_row(
                "SELECT digest FROM trusted_tools WHERE server = ?1 AND project = ?2 AND tool = ?3",
                [tool.server, project, tool.tool],
                |row| row.get(0),
            )
            .optional()
            .map_err(unusable)?;
        Ok(match digest {
            Some(digest) => (digest == tool.digest).then_some((level, false)),
            None => Some((level, true)),
        })
    }

    /// Returns the digests of the definitions that the decision covers, by tool.
    pub(super) fn covered(
        &self,
        server: &str,
        project: Option<&str>,
    ) -> Result<Option<HashMap<String, String>>, StoreError> {
        let decision = [server, project.unwrap_or_default()];
        let sql = "SELECT 1 FROM trust WHERE server = ?1 AND project = ?2";
        let is_decided = self.db.query_row(sql, decision, |_| Ok(())).optional().map_err(unusable)?;
        if is_decided.is_none() {
            return Ok(None);
        }
        let sql = "SELECT tool, digest FROM trusted_tools WHERE server = ?1 AND project = ?2";
        let mut select = self.db.prepare(sql).map_err(unusable)?;
        let rows = select.query_map(decision, |row| Ok((row.get(0)?, row.get(1)?))).map_err(unusable)?;
        rows.collect::<Result<_, _>>().map(Some).map_err(unusable)
    }

    pub(super) fn set_trust(&mut self, tool: &TrustedTool<'_>, trust: Trust) -> Result<(), StoreError> {
        let project = tool.project.unwrap_or_default();
        let change = begin(&mut self.db)?;
        change
            .execute(
                "INSERT OR REPLACE INTO trust VALUES (?1, ?2, ?3)",
                [tool.server, project, trust.as_str()],
            )
            .map_err(unusable)?;
        if !tool.tool.is_empty() {
            change
                .execute(
                    "INSERT OR REPLACE INTO trusted_tools VALUES (?1, ?2, ?3, ?4)",
                    [tool.server, project, tool.tool, tool.digest],
                )
                .map_err(unusable)?;
        }
        count(&change, "answers")?;
        change.commit().map_err(unusable)
    }

    /// Lists every decision about a server, ordered by server and project.
    pub(super) fn trusted(&self) -> Result<Vec<TrustedServer>, StoreError> {
        let sql = "SELECT server, project, level FROM trust ORDER BY server, project";
        let mut select = self.db.prepare(sql).map_err(unusable)?;
        let rows = select
            .query_map([], |row| {
                Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?))
            })
            .map_err(unusable)?;
        rows.map(|row| {
            let (server, project, level) = row.map_err(unusable)?;
            let project = Some(project).filter(|project| !project.is_empty());
            Ok(TrustedServer { server, project, trust: read_level(&level)? })
        })
        .collect()
    }

    /// Revokes the decision. Returns whether there was one.
    pub(super) fn forget_trust(&mut self, server: &str, project: Option<&str>) -> Result<bool, StoreError> {
        let decision = [server, project.unwrap_or_default()];
        let change = begin(&mut self.db)?;
        let delete = |table: &str| {
            let sql = format!("DELETE FROM {table} WHERE server = ?1 AND project = ?2");
            change.execute(&sql, decision).map_err(unusable)
        };
        delete("trusted_tools")?;
        let forgotten = delete("trust")?;
        count(&change, "answers")?;
        change.commit().map_err(unusable)?;
        Ok(forgotten > 0)
    }

    pub(super) fn keep_review(&mut self, id: &QuestionId, review: &Review) -> Result<(), StoreError> {
        let Some(n) = number(&id.0, 'q') else { return Ok(()) };
        self.db
            .execute(
                "INSERT OR REPLACE INTO reviews VALUES (?1, ?2, ?3)",
                params![n, review.diff, review.page],
            )
            .map_err(unusable)?;
        Ok(())
    }

    pub(super) fn review(&self, id: &QuestionId) -> Result<Option<Review>, StoreError> {
        let Some(n) = number(&id.0, 'q') else { return Ok(None) };
        self.db
            .query_row("SELECT diff, page FROM reviews WHERE n = ?1", [n], |row| {
                Ok(Review { diff: row.get(0)?, page: row.get(1)? })
            })
            .optional()
            .map_err(unusable)
    }

    /// Counts an answer, so that waiting calls look again.
    pub(super) fn count_answer(&mut self) -> Result<(), StoreError> {
        count(&self.db, "answers").map(drop)
    }

    pub(super) fn generation(&self) -> Result<u64, StoreError> {
        let sum: i64 = self
            .db
            .query_row("SELECT sum(n) FROM counters WHERE name IN ('changes', 'answers')", [], |row| {
                row.get(0)
            })
            .map_err(unusable)?;
        Ok(u64::try_from(sum).unwrap_or(0))
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

fn read_level(level: &str) -> Result<Trust, StoreError> {
    Trust::parse(level).ok_or_else(|| StoreError {
        why: format!("a server is trusted as `{level}`, which this version does not know"),
    })
}
