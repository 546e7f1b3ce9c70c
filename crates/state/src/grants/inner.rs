//! One database connection. It caches grants and notices when the cache is stale. It reads the
//! questions into a `PendingApprovals`, changes that and writes it back under a lock.
use std::collections::HashSet;
use std::time::Duration;

use overt_layers::grants::{
    Grant, GrantId, GrantIndex, GrantLifetime, Holder, Need, Pace, PendingApprovals, PendingQuestion,
    QuestionId, StoreError, Terms,
};
use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior, params};

use super::pending::{read_pending, write_pending};
use super::rows::{self, GRANT, QUESTION, number, seconds, write_lifetime, write_scopes, write_tools};
use super::schema::{BUSY, is_busy, unusable};

#[derive(Debug)]
pub(super) struct Inner {
    pub(super) db: Connection,
    /// The name of this process's run.
    pub(super) run: String,
    cache: Cache,
    pub(super) pace: Pace,
}

/// The grants for some tools, as of one value of `changes`.
#[derive(Debug, Default)]
struct Cache {
    index: GrantIndex,
    /// The tools whose grants are in the index, as (principal, server, tool).
    tools: HashSet<(String, String, String)>,
    /// Changes with every write by another process.
    data_version: i64,
    /// Changes with every write of a grant.
    changes: i64,
}

/// The cache is emptied when it holds more grants or tools than this.
const MOST_CACHED: usize = 200_000;
const MOST_GRANTS: i64 = 1_000_000;

impl Inner {
    pub(super) fn new(db: Connection, run: String) -> Self {
        Self { db, run, cache: Cache::default(), pace: Pace::default() }
    }

    /// Returns whether a change could be made now without waiting for another process.
    pub(super) fn is_free(&mut self) -> Result<bool, StoreError> {
        self.db.busy_timeout(Duration::ZERO).map_err(unusable)?;
        let begun = self.db.transaction_with_behavior(TransactionBehavior::Immediate).map(drop);
        self.db.busy_timeout(BUSY).map_err(unusable)?;
        match begun {
            Ok(()) => Ok(true),
            Err(error) if is_busy(&error) => Ok(false),
            Err(error) => Err(unusable(error)),
        }
    }

    pub(super) fn covering(&mut self, need: &Need<'_>, now: u64) -> Result<Option<Grant>, StoreError> {
        self.load_for(need)?;
        Ok(self.cache.index.covering(need, now).cloned())
    }

    pub(super) fn refusing(&mut self, need: &Need<'_>, now: u64) -> Result<Option<Grant>, StoreError> {
        self.load_for(need)?;
        Ok(self.cache.index.refusing(need, now).cloned())
    }

    fn load_for(&mut self, need: &Need<'_>) -> Result<(), StoreError> {
        self.refresh()?;
        self.load((need.holder.principal.clone(), need.server.to_owned(), need.tool.to_owned()))
    }

    /// Returns the grant with this id, if this process may use it and it has not expired.
    pub(super) fn usable(&mut self, id: &GrantId, now: u64) -> Result<Option<Grant>, StoreError> {
        self.refresh()?;
        if let Some(grant) = self.cache.index.get(id) {
            return Ok(Some(grant.clone()).filter(|grant| !grant.is_over(now)));
        }
        let Some(n) = number(&id.0, 'g') else { return Ok(None) };
        let sql = format!("SELECT {GRANT} FROM grants WHERE n = ?1 AND (run IS NULL OR run = ?2)");
        let grant =
            self.db.query_row(&sql, params![n, self.run], rows::grant).optional().map_err(unusable)?;
        Ok(grant.filter(|grant| !grant.is_over(now)))
    }

    pub(super) fn give(&mut self, holder: &Holder, terms: Terms, now: u64) -> Result<Grant, StoreError> {
        terms.check()?;
        self.refresh()?;
        self.load((holder.principal.clone(), terms.server.clone(), write_tools(&terms.tools).1.to_owned()))?;
        let unnamed = Grant { id: GrantId(String::new()), holder: holder.clone(), terms, issued_at: now };
        if let Some(existing) =
            self.cache.index.find_equal(&unnamed).filter(|existing| !existing.is_over(now))
        {
            return Ok(existing.clone());
        }
        let run = (unnamed.terms.lifetime != GrantLifetime::Always).then(|| self.run.clone());
        let change = begin(&mut self.db)?;
        change.execute("DELETE FROM grants WHERE expires <= ?1", [seconds(now)]).map_err(unusable)?;
        let many: i64 =
            change.query_row("SELECT count(*) FROM grants", [], |row| row.get(0)).map_err(unusable)?;
        if many >= MOST_GRANTS {
            return Err(StoreError { why: format!("there are {MOST_GRANTS} grants already; revoke some") });
        }
        let n = count(&change, "grants")?;
        let grant = Grant { id: GrantId(format!("g-{n}")), ..unnamed };
        insert_grant(&change, n, &grant, run.as_deref()).map_err(unusable)?;
        self.cache.changes_by(change)?;
        self.cache.index.insert(grant.clone());
        Ok(grant)
    }

    /// Removes a grant. Returns whether it existed; if two processes remove it at the same moment,
    /// only one gets `true`.
    pub(super) fn remove(&mut self, id: &GrantId, now: u64) -> Result<bool, StoreError> {
        let Some(n) = number(&id.0, 'g') else { return Ok(false) };
        self.refresh()?;
        let change = begin(&mut self.db)?;
        let removed = change
            .execute(
                "DELETE FROM grants WHERE n = ?1 AND (expires IS NULL OR expires > ?2)",
                params![n, seconds(now)],
            )
            .map_err(unusable)?;
        if removed > 0 {
            self.cache.changes_by(change)?;
        }
        self.cache.index.remove(id);
        Ok(removed > 0)
    }

    pub(super) fn session_ended(&mut self, session: &str) -> Result<(), StoreError> {
        let run = self.run.clone();
        let what = params![run, session];
        let kept: bool = self
            .db
            .query_row(
                "SELECT EXISTS (SELECT 1 FROM grants WHERE run = ?1 AND session = ?2)
                     OR EXISTS (SELECT 1 FROM questions WHERE run = ?1 AND session = ?2)
                     OR EXISTS (SELECT 1 FROM never WHERE run = ?1 AND session = ?2)",
                what,
                |row| row.get(0),
            )
            .map_err(unusable)?;
        // Most sessions leave nothing to delete, and then this writes nothing.
        if !kept {
            return Ok(());
        }
        self.refresh()?;
        let change = begin(&mut self.db)?;
        for table in ["grants", "questions", "never"] {
            change
                .execute(&format!("DELETE FROM {table} WHERE run = ?1 AND session = ?2"), what)
                .map_err(unusable)?;
        }
        self.cache.changes_by(change)?;
        self.cache.index.remove_if(|grant| grant.is_of_session(session));
        Ok(())
    }

    pub(super) fn grants(&self, now: u64) -> Result<Vec<Grant>, StoreError> {
        let sql = format!("SELECT {GRANT} FROM grants WHERE expires IS NULL OR expires > ?1 ORDER BY n");
        let mut select = self.db.prepare(&sql).map_err(unusable)?;
        let grants = select.query_map([seconds(now)], rows::grant).map_err(unusable)?;
        grants.collect::<Result<_, _>>().map_err(unusable)
    }

    /// Reads one question without reading the others.
    pub(super) fn question(&self, id: &QuestionId) -> Result<Option<PendingQuestion>, StoreError> {
        let Some(n) = number(&id.0, 'q') else { return Ok(None) };
        let sql = format!("SELECT {QUESTION} FROM questions WHERE n = ?1");
        self.db.query_row(&sql, [n], rows::open).optional().map_err(unusable)
    }

    pub(super) fn questions(&self) -> Result<PendingApprovals, StoreError> {
        read_pending(&self.db).map_err(unusable)
    }

    /// Runs `happen` on the questions while no other process can change them, and writes what it
    /// changed. `happen` also gets the id of the next question.
    pub(super) fn with_pending<T>(
        &mut self,
        happen: impl FnOnce(&mut PendingApprovals, &mut Pace, QuestionId) -> T,
    ) -> Result<T, StoreError> {
        let change = begin(&mut self.db)?;
        let before = read_pending(&change).map_err(unusable)?;
        let next = counted(&change, "questions")? + 1;
        let mut after = before.clone();
        let result = happen(&mut after, &mut self.pace, QuestionId(format!("q-{next}")));
        if after != before {
            write_pending(&change, &before, &after, &self.run).map_err(unusable)?;
            change.commit().map_err(unusable)?;
        }
        Ok(result)
    }

    /// Deletes everything that belongs to processes that no longer run.
    pub(super) fn delete_ended_runs(&mut self, is_alive: impl Fn(&str) -> bool) -> Result<(), StoreError> {
        let runs = |db: &Connection| -> rusqlite::Result<Vec<String>> {
            let sql = "SELECT run FROM grants WHERE run IS NOT NULL UNION SELECT run FROM questions UNION SELECT run FROM never
                       UNION SELECT run FROM listeners";
            db.prepare(sql)?.query_map([], |row| row.get(0))?.collect()
        };
        let mut dead = runs(&self.db).map_err(unusable)?;
        dead.retain(|run| !is_alive(run));
        if dead.is_empty() {
            return Ok(());
        }
        self.refresh()?;
        let change = begin(&mut self.db)?;
        for run in dead {
            for table in ["grants", "questions", "never", "listeners"] {
                change.execute(&format!("DELETE FROM {table} WHERE run = ?1"), [&run]).map_err(unusable)?;
            }
        }
        self.cache.changes_by(change)
    }

    /// Empties the cache if another process gave or revoked a grant.
    fn refresh(&mut self) -> Result<(), StoreError> {
        let data_version: i64 =
            self.db.query_row("PRAGMA data_version", [], |row| row.get(0)).map_err(unusable)?;
        if data_version == self.cache.data_version {
            return Ok(());
        }
        let changes = counted(&self.db, "changes")?;
        if changes != self.cache.changes || self.cache.index.len() > MOST_CACHED {
            self.cache = Cache { changes, ..Cache::default() };
        }
        self.cache.data_version = data_version;
        Ok(())
    }

    /// Caches the grants that apply to a tool, including those that cover several tools, unless
    /// they are cached already.
    fn load(&mut self, tool: (String, String, String)) -> Result<(), StoreError> {
        if self.cache.tools.contains(&tool) {
            return Ok(());
        }
        if self.cache.tools.len() >= MOST_CACHED {
            self.cache.tools.clear();
            self.cache.index = GrantIndex::new();
        }
        let sql = format!(
            "SELECT {GRANT} FROM grants
             WHERE principal = ?1 AND server = ?2 AND tool IN (?3, '') AND (run IS NULL OR run = ?4)"
        );
        let mut select = self.db.prepare(&sql).map_err(unusable)?;
        let grants =
            select.query_map(params![tool.0, tool.1, tool.2, self.run], rows::grant).map_err(unusable)?;
        for grant in grants {
            self.cache.index.insert(grant.map_err(unusable)?);
        }
        self.cache.tools.insert(tool);
        Ok(())
    }
}

impl Cache {
    /// Commits a change of grants. If another process changed grants since the cache was filled,
    /// this empties the cache.
    fn changes_by(&mut self, change: Transaction<'_>) -> Result<(), StoreError> {
        let changes = count(&change, "changes")?;
        change.commit().map_err(unusable)?;
        if changes != self.changes + 1 {
            *self = Self { data_version: self.data_version, ..Self::default() };
        }
        self.changes = changes;
        Ok(())
    }
}

pub(super) fn begin(db: &mut Connection) -> Result<Transaction<'_>, StoreError> {
    db.transaction_with_behavior(TransactionBehavior::Immediate).map_err(unusable)
}

fn counted(db: &Connection, what: &str) -> Result<i64, StoreError> {
    db.query_row("SELECT n FROM counters WHERE name = ?1", [what], |row| row.get(0)).map_err(unusable)
}

pub(super) fn count(db: &Connection, what: &str) -> Result<i64, StoreError> {
    db.query_row("UPDATE counters SET n = n + 1 WHERE name = ?1 RETURNING n", [what], |row| row.get(0))
        .map_err(unusable)
}

fn insert_grant(db: &Connection, n: i64, grant: &Grant, run: Option<&str>) -> rusqlite::Result<usize> {
    let Grant { holder, terms, issued_at, .. } = grant;
    let (tools, tool) = write_tools(&terms.tools);
    db.execute(
        "INSERT INTO grants VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)",
        params![
            n,
            holder.principal,
            holder.session,
            terms.server,
            terms.project,
            tool,
            write_scopes(&terms.scopes),
            write_lifetime(terms),
            terms.arguments,
            terms.expires.map(seconds),
            seconds(*issued_at),
            run,
            terms.tool_digest,
            terms.plan,
            tools,
            terms.client,
        ],
    )
}
