//! One database connection, and the grants in it. Each method is one transaction on the rows that
//! it is about.
use overt_layers::grants::{
    CandidateQuery, Candidates, Grant, GrantId, GrantLifetime, Holder, Pace, Reliance, StoreError, ToolTrust,
    wider_or_same,
};
use overt_layers::person::GiveGrant;
use rusqlite::{Connection, OptionalExtension as _, params, params_from_iter};

use super::grant_rows::{begin, insert_grant, insert_new};
use super::rows::{self, GRANT, number, seconds};
use super::schema::unusable;
use super::trust_rows::look_at_trust;

#[derive(Debug)]
pub(super) struct Inner {
    pub(super) db: Connection,
    /// The name of this process's run.
    pub(super) run: String,
    pub(super) pace: Pace,
}

/// Counting the grants of a scope ends here.
const MANY: i64 = 1_000;

impl Inner {
    pub(super) fn new(db: Connection, run: String) -> Self {
        Self { db, run, pace: Pace::default() }
    }

    pub(super) fn candidates(&self, query: &CandidateQuery, now: u64) -> Result<Candidates, StoreError> {
        let grants = self.grants_for(query, now).map_err(unusable)?;
        let trust = look_at_trust(&self.db, &query.tool, &query.holder.client)?;
        Ok(Candidates { now, grants, of_token: None, trust })
    }

    /// Reads the grants and refusals that may apply to a call. A grant that covers a set of scopes
    /// covers each of them, so only those for the scope with the fewest are read.
    fn grants_for(&self, query: &CandidateQuery, now: u64) -> rusqlite::Result<Vec<Grant>> {
        let (principal, client) = (query.holder.principal.key(), query.holder.client.to_text());
        let (server, tool) = (&query.tool.server.server, &query.tool.tool);
        let mut found: Vec<Grant> = Vec::new();
        for scopes in &query.wanted {
            let mut fewest: Option<(i64, Vec<String>)> = None;
            for scope in scopes {
                let text = scope.to_string();
                let keys: Vec<String> = wider_or_same(&text).into_iter().map(str::to_owned).collect();
                // Where one scope has many grants, another one is likely to have few.
                let sql = format!(
                    "SELECT count(*) FROM (SELECT 1 FROM granted_scopes WHERE {} LIMIT {MANY})",
                    of_scope(&keys)
                );
                let fixed = [principal.as_str(), server, tool];
                let key = fixed.into_iter().chain(keys.iter().map(String::as_str));
                let many: i64 = self.db.query_row(&sql, params_from_iter(key), |row| row.get(0))?;
                if fewest.as_ref().is_none_or(|(fewest, _)| many < *fewest) {
                    fewest = Some((many, keys));
                }
            }
            let Some((1.., keys)) = fewest else { continue };
            let sql = format!(
                "SELECT {GRANT} FROM grants WHERE n IN (SELECT n FROM granted_scopes WHERE {})
                 AND (expires IS NULL OR expires > {}) AND (run IS NULL OR run = ?{})
                 AND (lasts = 'always' OR session = ?{}) AND (arguments IS NULL OR arguments = ?{})
                 ORDER BY n",
                of_scope(&keys),
                seconds(now),
                keys.len() + 4,
                keys.len() + 5,
                keys.len() + 6,
            );
            let fixed = [principal.as_str(), server, tool];
            let last = [self.run.as_str(), &client, &query.arguments];
            let key = fixed.into_iter().chain(keys.iter().map(String::as_str)).chain(last);
            let mut select = self.db.prepare(&sql)?;
            for grant in select.query_map(params_from_iter(key), rows::grant)? {
                let grant = grant?;
                if found.iter().all(|known| known.id != grant.id) {
                    found.push(grant);
                }
            }
        }
        let sql = format!(
            "SELECT {GRANT} FROM grants WHERE principal = ?1 AND server = ?2 AND tool = ?3 AND lasts = 'never' ORDER BY n"
        );
        let mut select = self.db.prepare(&sql)?;
        for refusal in select.query_map([principal.as_str(), server, tool], rows::grant)? {
            found.push(refusal?);
        }
        Ok(found)
    }

    /// Returns the grant with this id, if this process may use it and it has not expired.
    pub(super) fn usable(&self, id: &GrantId, now: u64) -> Result<Option<Grant>, StoreError> {
        let Some(n) = number(&id.0, 'g') else { return Ok(None) };
        let sql = format!("SELECT {GRANT} FROM grants WHERE n = ?1 AND (run IS NULL OR run = ?2)");
        let grant =
            self.db.query_row(&sql, params![n, self.run], rows::grant).optional().map_err(unusable)?;
        Ok(grant.filter(|grant| !grant.is_over(now)))
    }

    /// Uses what a call depends on, all of it or nothing. Returns the grant that was used up; the
    /// outer `None` means that something no longer exists.
    pub(super) fn spend(
        &mut self,
        reliance: &Reliance,
        now: u64,
    ) -> Result<Option<Option<Grant>>, StoreError> {
        if let Some((tool, client, trust)) = &reliance.trust
            && look_at_trust(&self.db, tool, client)? != ToolTrust::Shown(*trust)
        {
            return Ok(None);
        }
        let live = match &reliance.grant {
            Some(grant) => match self.usable(&grant.id, now)? {
                Some(grant) => Some(grant),
                None => return Ok(None),
            },
            None => None,
        };
        let once = live.filter(|grant| grant.terms.lifetime == GrantLifetime::Once);
        // Most calls depend on nothing that must be written.
        let Some(grant) = once else { return Ok(Some(None)) };
        let removed = self.db.execute("DELETE FROM grants WHERE n = ?1", [number(&grant.id.0, 'g')]);
        // Another process may have taken it a moment ago.
        Ok((removed.map_err(unusable)? > 0).then_some(Some(grant)))
    }

    /// Puts a grant back that was used up for a call that did not go out.
    pub(super) fn give_back(&mut self, grant: &Grant) -> Result<(), StoreError> {
        let Some(n) = number(&grant.id.0, 'g') else { return Ok(()) };
        let change = begin(&mut self.db)?;
        insert_grant(&change, n, grant, Some(&self.run)).map_err(unusable)?;
        change.commit().map_err(unusable)
    }

    pub(super) fn give(&mut self, given: &GiveGrant, now: u64) -> Result<Grant, StoreError> {
        let change = begin(&mut self.db)?;
        let grant = insert_new(&change, &given.holder, given.terms.clone(), &self.run, now)?;
        change.commit().map_err(unusable)?;
        Ok(grant)
    }

    /// Removes a grant. Returns whether it was live; if two processes remove it at the same moment,
    /// only one gets `true`.
    pub(super) fn revoke(&mut self, id: &GrantId, now: u64) -> Result<bool, StoreError> {
        let Some(n) = number(&id.0, 'g') else { return Ok(false) };
        let sql = "DELETE FROM grants WHERE n = ?1 AND (expires IS NULL OR expires > ?2)";
        self.db.execute(sql, params![n, seconds(now)]).map(|removed| removed > 0).map_err(unusable)
    }

    /// Removes what ends with the session of a holder. Returns whether there was anything.
    pub(super) fn session_ended(&mut self, holder: &Holder) -> Result<bool, StoreError> {
        let (principal, session) = (holder.principal.key(), holder.client.to_text());
        let of_session = "run = ?1 AND principal = ?2 AND session = ?3";
        let tables = ["grants", "questions", "never", "trust"];
        let any =
            tables.map(|table| format!("EXISTS (SELECT 1 FROM {table} WHERE {of_session})")).join(" OR ");
        let what = params![self.run, principal, session];
        let kept: bool =
            self.db.query_row(&format!("SELECT {any}"), what, |row| row.get(0)).map_err(unusable)?;
        // Most sessions leave nothing to delete, and then this writes nothing.
        if kept {
            let change = begin(&mut self.db)?;
            for table in tables {
                let what = params![self.run, principal, session];
                change.execute(&format!("DELETE FROM {table} WHERE {of_session}"), what).map_err(unusable)?;
            }
            change.commit().map_err(unusable)?;
        }
        Ok(kept)
    }

    pub(super) fn grants(&self, now: u64) -> Result<Vec<Grant>, StoreError> {
        let sql = format!("SELECT {GRANT} FROM grants WHERE expires IS NULL OR expires > ?1 ORDER BY n");
        let mut select = self.db.prepare(&sql).map_err(unusable)?;
        let grants = select.query_map([seconds(now)], rows::grant).map_err(unusable)?;
        grants.collect::<Result<_, _>>().map_err(unusable)
    }

    /// Deletes everything that belongs to processes that no longer run.
    pub(super) fn delete_ended_runs(&mut self, is_alive: impl Fn(&str) -> bool) -> Result<(), StoreError> {
        let runs = |db: &Connection| -> rusqlite::Result<Vec<String>> {
            let sql = "SELECT run FROM grants WHERE run IS NOT NULL UNION SELECT run FROM questions WHERE run <> '' UNION SELECT run FROM never
                       UNION SELECT run FROM listeners UNION SELECT run FROM trust WHERE run IS NOT NULL";
            db.prepare(sql)?.query_map([], |row| row.get(0))?.collect()
        };
        let mut dead = runs(&self.db).map_err(unusable)?;
        dead.retain(|run| !is_alive(run));
        if dead.is_empty() {
            return Ok(());
        }
        let change = begin(&mut self.db)?;
        for run in dead {
            for table in ["grants", "questions", "never", "listeners", "trust"] {
                change.execute(&format!("DELETE FROM {table} WHERE run = ?1"), [&run]).map_err(unusable)?;
            }
        }
        change.commit().map_err(unusable)
    }
}

/// Returns the condition for grants of a principal, server and tool (the first three parameters)
/// that have one of these scopes.
fn of_scope(keys: &[String]) -> String {
    let marks: Vec<String> = (0..keys.len()).map(|at| format!("?{}", at + 4)).collect();
    format!("principal = ?1 AND server = ?2 AND tool IN (?3, '') AND scope IN ({})", marks.join(","))
}
