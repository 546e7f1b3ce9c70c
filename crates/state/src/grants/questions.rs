//! Open questions as rows. The limits are those of [`PendingApprovals`], and the rules of answers
//! those of [`PendingQuestion`].
use overt_layers::grants::{
    ANSWERABLE, Answer, AnswerEffects, AskOutcome, DecidedAnswer, GRACE, GivenTrust, Grant, GrantId, Holder,
    PendingApprovals, PendingQuestion, Question, QuestionId, QuestionKind, Review, StoreError,
};
use overt_layers::person::{GiveAnswer, SetTrust};
use overt_layers::seal::digest;
use rusqlite::{Connection, OptionalExtension as _, params};

use super::grant_rows::{begin, count, exists, insert_new, remove, remove_once};
use super::inner::Inner;
use super::rows::{self, QUESTION, number, read_answer, seconds, write_answer, write_kind, write_scopes};
use super::schema::unusable;
use super::trust_rows::{look_at_trust, trust_asked};

/// The limits, as SQLite counts.
const MOST_OPEN: i64 = PendingApprovals::MOST_OPEN as i64;
const MOST_OPEN_PER_SESSION: i64 = PendingApprovals::MOST_OPEN_PER_SESSION as i64;
const MOST_PROPOSED: i64 = PendingApprovals::MOST_PROPOSED as i64;
/// The process of a proposal, which outlives the one that made it.
pub(super) const NO_RUN: &str = "";
const MOST_NEVER: i64 = PendingApprovals::MOST_NEVER as i64;

/// A question that is open already, as far as asking it again depends on it.
struct OpenRow {
    n: i64,
    waiting: u32,
    answer: Option<String>,
    given: Option<i64>,
}

/// What a question has come to, with the grant of its answer.
pub(super) enum LookedAt {
    Open,
    Answered(Answer, Option<GrantId>),
    Unrecorded,
    Gone,
}

/// What became of an answer.
#[expect(clippy::large_enum_variant, reason = "there is one for each answer of a person")]
pub(super) enum DecidedOutcome {
    /// It counts, and gave this grant.
    Taken(Option<Grant>),
    Before(Answer),
    Gone,
}

impl Inner {
    pub(super) fn ask(
        &mut self,
        question: &Question,
        review: Option<&Review>,
        now: u64,
    ) -> Result<AskOutcome, StoreError> {
        let change = begin(&mut self.db)?;
        sweep(&change, now).map_err(unusable)?;
        let holder = &question.holder;
        let until = question.until.min(now.saturating_add(PendingApprovals::LONGEST_WAIT));
        let asked = if is_never(&change, holder).map_err(unusable)? {
            AskOutcome::Never
        } else if let Some(joined) = join(&change, question, (until, now), &self.run)? {
            joined
        } else if has_room(&change, holder).map_err(unusable)? && self.pace.may_ask(&holder.principal, now) {
            let n = count(&change, "questions")?;
            insert(&change, n, question, (until, now), (1, &self.run)).map_err(unusable)?;
            AskOutcome::Open(QuestionId(format!("q-{n}")))
        } else {
            AskOutcome::TooMany
        };
        if let (AskOutcome::Open(id), Some(review)) = (&asked, review) {
            let sql = "INSERT OR REPLACE INTO reviews VALUES (?1, ?2, ?3)";
            change.execute(sql, params![number(&id.0, 'q'), review.diff, review.page]).map_err(unusable)?;
        }
        change.commit().map_err(unusable)?;
        Ok(asked)
    }

    /// Returns the answer to a question.
    pub(super) fn look_at_answer(&self, id: &QuestionId, now: u64) -> Result<LookedAt, StoreError> {
        let Some(n) = number(&id.0, 'q') else { return Ok(LookedAt::Gone) };
        let sql = "SELECT answer, until, given, unrecorded FROM questions WHERE n = ?1";
        let row = |row: &rusqlite::Row<'_>| {
            let (answer, until): (Option<String>, i64) = (row.get(0)?, row.get(1)?);
            Ok((answer, until, row.get::<_, Option<i64>>(2)?, row.get::<_, bool>(3)?))
        };
        let found = self.db.query_row(sql, [n], row).optional().map_err(unusable)?;
        let Some((answer, until, given, is_unrecorded)) = found else { return Ok(LookedAt::Gone) };
        let is_timely = until.saturating_add(seconds(GRACE)) > seconds(now);
        match answer.filter(|_| is_timely) {
            None => Ok(LookedAt::Open),
            Some(_) if is_unrecorded => Ok(LookedAt::Unrecorded),
            Some(answer) => {
                let grant = given.map(|n| GrantId(format!("g-{n}")));
                read_answer(&answer).map(|answer| LookedAt::Answered(answer, grant)).map_err(unusable)
            }
        }
    }

    /// See `StateStore::withdraw`.
    pub(super) fn withdraw(&mut self, id: &QuestionId) -> Result<(), StoreError> {
        let n = number(&id.0, 'q');
        let change = begin(&mut self.db)?;
        // Where no call waits, nobody needs to be told.
        let sql = "DELETE FROM questions WHERE n = ?1 AND answer IS NULL AND waiting = 0";
        change.execute(sql, [n]).map_err(unusable)?;
        let sql = "UPDATE questions SET answer = ?2, unrecorded = 1 WHERE n = ?1 AND answer IS NULL";
        change.execute(sql, params![n, write_answer(Answer::No)]).map_err(unusable)?;
        change.commit().map_err(unusable)
    }

    /// Decides a question and gives what the answer gives, all of it or nothing.
    pub(super) fn answer(&mut self, given: &GiveAnswer, now: u64) -> Result<DecidedOutcome, StoreError> {
        let GiveAnswer { id, question, answer, .. } = given;
        let change = begin(&mut self.db)?;
        sweep(&change, now).map_err(unusable)?;
        let listed = read(&change, id).map_err(unusable)?;
        let listed = listed.filter(|(open, _)| open.question.until > now);
        let unlisted = || {
            let open = || PendingQuestion::unlisted(id.clone(), question.clone(), now);
            given.is_brought().then(|| (open(), self.run.clone()))
        };
        let Some((mut open, run)) = listed.or_else(unlisted) else { return Ok(DecidedOutcome::Gone) };
        let mut is_live = Ok(true);
        let decided = open.decide(*answer, |grant| {
            is_live = exists(&change, grant, now);
            *is_live.as_ref().unwrap_or(&true)
        });
        is_live.map_err(unusable)?;
        let outcome = match decided {
            DecidedAnswer::Before(before) => DecidedOutcome::Before(before),
            DecidedAnswer::Taken(effects) => {
                DecidedOutcome::Taken(put_into_force(&change, &mut open, effects, &run, now)?)
            }
        };
        let written = match given.is_brought() && open.waiting == 0 {
            true => delete(&change, id),
            false => update(&change, &open),
        };
        written.map_err(unusable)?;
        if let (DecidedOutcome::Taken(_), Some(proposal)) = (&outcome, given.proposal(now)) {
            propose(&change, &proposal, now)?;
        }
        change.commit().map_err(unusable)?;
        Ok(outcome)
    }

    /// Ends the wait of one call. A question that was answered ends with the last of them.
    pub(super) fn leave(&mut self, id: &QuestionId, now: u64) -> Result<(), StoreError> {
        let change = begin(&mut self.db)?;
        let n = number(&id.0, 'q');
        let sql = "UPDATE questions SET waiting = max(waiting - 1, 0),
                     until = CASE WHEN waiting > 1 THEN until ELSE min(until, ?2) END
                   WHERE n = ?1";
        change.execute(sql, params![n, seconds(now.saturating_add(ANSWERABLE))]).map_err(unusable)?;
        let sql = "DELETE FROM questions WHERE n = ?1 AND waiting = 0 AND answer IS NOT NULL";
        change.execute(sql, [n]).map_err(unusable)?;
        change.commit().map_err(unusable)
    }

    /// Answers the questions that a decision about a server answers.
    pub(super) fn settle(
        change: &Connection,
        decision: &SetTrust,
        now: u64,
    ) -> Result<Vec<QuestionId>, StoreError> {
        let SetTrust { server, trust, .. } = decision;
        let given = GivenTrust { trust: *trust, is_for_session: false };
        let sql = format!(
            "SELECT {QUESTION} FROM questions WHERE server = ?1 AND project IS ?2
             AND asks <> 'call' AND answer IS NULL AND until > ?3 ORDER BY n"
        );
        let mut select = change.prepare(&sql).map_err(unusable)?;
        let key = params![server.server, server.project, seconds(now)];
        let open = select.query_map(key, rows::open).map_err(unusable)?;
        let open: Vec<PendingQuestion> = open.collect::<Result<_, _>>().map_err(unusable)?;
        let asked = open.into_iter().filter(|open| decision.answers(&open.question));
        asked
            .map(|open| {
                trust_asked(change, &open.question, given, "")?;
                let open = PendingQuestion { answer: Some(Answer::Trust(*trust)), ..open };
                update(change, &open).map_err(unusable)?;
                Ok(open.id)
            })
            .collect()
    }

    /// Returns the questions that still wait for a person.
    pub(super) fn questions(&self, now: u64) -> Result<Vec<PendingQuestion>, StoreError> {
        let sql = format!("SELECT {QUESTION} FROM questions WHERE until > ?1 AND answer IS NULL ORDER BY n");
        let mut select = self.db.prepare(&sql).map_err(unusable)?;
        let open = select.query_map([seconds(now)], rows::open).map_err(unusable)?;
        open.collect::<Result<_, _>>().map_err(unusable)
    }

    pub(super) fn review(&self, id: &QuestionId) -> Result<Option<Review>, StoreError> {
        let sql = "SELECT diff, page FROM reviews WHERE n = ?1";
        let review = |row: &rusqlite::Row<'_>| Ok(Review { diff: row.get(0)?, page: row.get(1)? });
        self.db.query_row(sql, [number(&id.0, 'q')], review).optional().map_err(unusable)
    }
}

fn sweep(db: &Connection, now: u64) -> rusqlite::Result<usize> {
    let sql = "DELETE FROM questions WHERE until + (CASE WHEN answer IS NULL THEN 0 ELSE ?2 END) <= ?1";
    db.execute(sql, params![seconds(now), seconds(GRACE)])
}

fn is_never(db: &Connection, holder: &Holder) -> rusqlite::Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM never WHERE principal = ?1 AND session = ?2)";
    db.query_row(sql, [holder.principal.key(), holder.client.to_text()], |row| row.get(0))
}

/// Joins the question if it is open already. `None` if it must be asked anew.
fn join(
    change: &Connection,
    question: &Question,
    (until, now): (u64, u64),
    run: &str,
) -> Result<Option<AskOutcome>, StoreError> {
    let Some(open) = find_same(change, question, run).map_err(unusable)? else { return Ok(None) };
    if let Some(answer) = open.answer
        && read_answer(&answer).map_err(unusable)?.is_yes()
    {
        let holds = match open.given {
            Some(n) => exists(change, &GrantId(format!("g-{n}")), now).map_err(unusable)?,
            None => {
                let trust = look_at_trust(change, &question.trusted_tool(), &question.holder.client)?;
                trust.covering().is_some()
            }
        };
        if holds {
            return Ok(Some(AskOutcome::Granted));
        }
        // Another call used up what this yes gave.
        change.execute("DELETE FROM questions WHERE n = ?1", [open.n]).map_err(unusable)?;
        return Ok(None);
    }
    if open.waiting >= PendingApprovals::MOST_WAITING {
        return Ok(Some(AskOutcome::TooMany));
    }
    let sql = "UPDATE questions SET waiting = waiting + 1, until = max(until, ?2) WHERE n = ?1";
    change.execute(sql, params![open.n, seconds(until)]).map_err(unusable)?;
    Ok(Some(AskOutcome::Open(QuestionId(format!("q-{}", open.n)))))
}

/// Keeps a proposal, unless the same one is kept, or too many are.
fn propose(change: &Connection, proposal: &Question, now: u64) -> Result<(), StoreError> {
    let sql = "SELECT count(*) FROM questions WHERE server = ?1 AND run = ?2";
    let many: i64 =
        change.query_row(sql, [proposal.server.as_str(), NO_RUN], |row| row.get(0)).map_err(unusable)?;
    let all: i64 =
        change.query_row("SELECT count(*) FROM questions", [], |row| row.get(0)).map_err(unusable)?;
    let is_known = find_same(change, proposal, NO_RUN).map_err(unusable)?.is_some();
    if !is_known && many < MOST_PROPOSED && all < MOST_OPEN {
        let n = count(change, "questions")?;
        insert(change, n, proposal, (proposal.until, now), (0, NO_RUN)).map_err(unusable)?;
    }
    Ok(())
}

/// Puts the effects of an answer into force. Returns the grant that it gave. `run` is the process
/// that asked; what ends with a session ends with it.
fn put_into_force(
    change: &Connection,
    open: &mut PendingQuestion,
    effects: AnswerEffects,
    run: &str,
    now: u64,
) -> Result<Option<Grant>, StoreError> {
    let AnswerEffects { revoke, revoke_unused, give, trust, never_again } = effects;
    let question = &open.question;
    if let Some(grant) = revoke {
        remove(change, &grant).map_err(unusable)?;
    }
    if revoke_unused {
        remove_once(change, question).map_err(unusable)?;
    }
    if let Some(trust) = trust {
        trust_asked(change, question, trust, run)?;
    }
    let grant = give.map(|terms| insert_new(change, &question.holder, terms, run, now)).transpose()?;
    if never_again {
        self::never_again(change, &question.holder, run).map_err(unusable)?;
    }
    open.note_given(grant.as_ref());
    Ok(grant)
}

/// Finds the open question that one answer serves together with this one, as
/// [`Question::is_same`] says, without reading what is shown. Processes share no question, because
/// what a yes gives for a call or a session belongs to the process that asked.
fn find_same(db: &Connection, question: &Question, run: &str) -> rusqlite::Result<Option<OpenRow>> {
    let same_kind = match question.kind {
        QuestionKind::Trust if question.is_redefined() => "AND tool = ?7 AND tool_digest = ?8 AND ?6 = ''",
        QuestionKind::Trust | QuestionKind::Call => "AND same = ?6",
    };
    let sql = format!(
        "SELECT n, waiting, answer, given FROM questions WHERE principal = ?1 AND session = ?2 AND server = ?3 AND project IS ?4
         AND asks = ?5 AND run = ?9 {same_kind} AND ?7 = ?7 AND ?8 = ?8 ORDER BY n LIMIT 1"
    );
    let like = params![
        question.holder.principal.key(),
        question.holder.client.to_text(),
        question.server,
        question.project,
        write_kind(question),
        same(question),
        question.tool,
        question.tool_digest,
        run,
    ];
    let open = |row: &rusqlite::Row<'_>| {
        Ok(OpenRow { n: row.get(0)?, waiting: row.get(1)?, answer: row.get(2)?, given: row.get(3)? })
    };
    db.query_row(&sql, like, open).optional()
}

/// Returns a digest of everything that makes two questions about calls, or about a server, the
/// same. Empty for a question about a tool that is new or changed.
fn same(question: &Question) -> String {
    if question.kind == QuestionKind::Trust {
        return match question.is_redefined() {
            true => String::new(),
            false => digest(&[&serde_json::to_string(&question.shown.definitions).unwrap_or_default()]),
        };
    }
    digest(&[
        &question.tool,
        &question.tool_digest,
        &write_scopes(&question.scopes),
        &write_scopes(&question.wider),
        &serde_json::to_string(&question.broader).unwrap_or_default(),
        &question.arguments,
        if question.plan.is_some() { "plan" } else { "" },
        question.plan.as_deref().unwrap_or_default(),
    ])
}

/// Returns whether one more question fits. To make room, it forgets questions that no call waits
/// for.
fn has_room(db: &Connection, holder: &Holder) -> rusqlite::Result<bool> {
    let (principal, session) = (holder.principal.key(), holder.client.to_text());
    let of_holder = [principal.as_str(), session.as_str()];
    let of_session = "principal = ?1 AND session = ?2";
    let many: i64 =
        db.query_row(&format!("SELECT count(*) FROM questions WHERE {of_session}"), of_holder, |row| {
            row.get(0)
        })?;
    let forget = |which: &str| {
        format!(
            "DELETE FROM questions WHERE n =
               (SELECT min(n) FROM questions WHERE waiting = 0 AND answer IS NULL AND {which})"
        )
    };
    if many >= MOST_OPEN_PER_SESSION && db.execute(&forget(of_session), of_holder)? == 0 {
        return Ok(false);
    }
    let many: i64 = db.query_row("SELECT count(*) FROM questions", [], |row| row.get(0))?;
    Ok(many < MOST_OPEN || db.execute(&forget("1"), [])? > 0)
}

/// Reads a question, with the process that asked it.
fn read(db: &Connection, id: &QuestionId) -> rusqlite::Result<Option<(PendingQuestion, String)>> {
    let Some(n) = number(&id.0, 'q') else { return Ok(None) };
    let sql = format!("SELECT {QUESTION}, run FROM questions WHERE n = ?1");
    db.query_row(&sql, [n], |row| Ok((rows::open(row)?, row.get("run")?))).optional()
}

fn update(db: &Connection, open: &PendingQuestion) -> rusqlite::Result<usize> {
    let sql = "UPDATE questions SET answer = ?2, waiting = ?3, given = ?4, unrecorded = ?5 WHERE n = ?1";
    let given = open.grant.as_ref().and_then(|grant| number(&grant.0, 'g'));
    let answer = open.answer.map(write_answer);
    db.execute(sql, params![number(&open.id.0, 'q'), answer, open.waiting, given, open.is_unrecorded])
}

fn delete(db: &Connection, id: &QuestionId) -> rusqlite::Result<usize> {
    db.execute("DELETE FROM questions WHERE n = ?1", [number(&id.0, 'q')])
}

/// Answers all questions of the session with a no, and remembers that it must not ask again. What
/// it was given for one call, and no call has used, ends.
fn never_again(db: &Connection, holder: &Holder, run: &str) -> rusqlite::Result<()> {
    let (principal, session) = (holder.principal.key(), holder.client.to_text());
    // The entry must end with the process that owns the session, which is the one that asked.
    let sql = "INSERT OR IGNORE INTO never
               SELECT ?1, ?2, coalesce((SELECT run FROM questions WHERE principal = ?1 AND session = ?2), ?3)
               WHERE (SELECT count(*) FROM never) < ?4";
    db.execute(sql, params![principal, session, run, MOST_NEVER])?;
    let sql = "UPDATE questions SET answer = ?3, given = NULL WHERE principal = ?1 AND session = ?2";
    db.execute(sql, params![principal, session, write_answer(Answer::NoThisSession)])?;
    let sql = "DELETE FROM grants WHERE principal = ?1 AND session = ?2 AND lasts = 'once'";
    db.execute(sql, params![principal, session])?;
    Ok(())
}

fn insert(
    db: &Connection,
    n: i64,
    question: &Question,
    (until, now): (u64, u64),
    (waiting, run): (u32, &str),
) -> rusqlite::Result<usize> {
    db.execute(
        "INSERT INTO questions VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, NULL, ?19, ?16, ?17, ?18, NULL, 0)",
        params![
            n,
            question.holder.principal.key(),
            question.holder.client.to_text(),
            question.server,
            question.project,
            question.tool,
            question.tool_digest,
            write_kind(question),
            write_scopes(&question.scopes),
            write_scopes(&question.wider),
            question.arguments,
            question.plan,
            serde_json::to_string(&question.shown).unwrap_or_default(),
            seconds(until),
            seconds(now),
            run,
            serde_json::to_string(&question.broader).unwrap_or_default(),
            same(question),
            waiting,
        ],
    )
}
