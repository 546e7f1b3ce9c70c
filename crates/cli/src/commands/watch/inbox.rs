//! The state of the inbox: the questions, what is selected and marked, and what a key does. Pure:
//! no store, no terminal, no clock.
use std::collections::{BTreeMap, BTreeSet};

use overt_layers::grants::{AnswerKind, PendingQuestion, QuestionId};

use super::details::{Details, Row};
use super::keys::Key;
use overt_operator::inbox::Reply;

#[derive(Debug, Default)]
pub(super) struct Inbox {
    /// Sorted by client and project, then in the order in which they were asked.
    items: Vec<PendingQuestion>,
    /// The index of the selected question; meaningless without questions.
    selected: usize,
    marked: BTreeSet<QuestionId>,
    details: BTreeMap<QuestionId, Details>,
    focus: Focus,
    /// The first visible row of the details.
    scroll: usize,
    /// How many rows of the details fit, and their width, at the last drawing.
    page: usize,
    width: usize,
    is_help: bool,
    /// The last message to the person.
    message: String,
    /// The key that must be pressed again, because its answer is far-reaching.
    confirm: Option<char>,
    /// When the selection last moved without a key, in milliseconds.
    moved: Option<u64>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum Focus {
    #[default]
    List,
    Details,
}

/// What the caller must do after a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Action {
    Answer {
        ids: Vec<QuestionId>,
        reply: Reply,
    },
    /// Take the last answer back.
    TakeBack,
    Redraw,
    Leave,
}

/// The asker of a question: its client and project.
pub(super) type Group<'a> = (&'a str, Option<&'a str>);

/// How many milliseconds answers are rejected after the selection moved without a key: the person
/// must have seen the question that they answer.
const LOOK_AGAIN: u64 = 700;

impl Inbox {
    pub(super) fn items(&self) -> &[PendingQuestion] {
        &self.items
    }

    pub(super) fn selected(&self) -> Option<&PendingQuestion> {
        self.items.get(self.selected)
    }

    pub(super) fn is_marked(&self, id: &QuestionId) -> bool {
        self.marked.contains(id)
    }

    pub(super) fn marked(&self) -> usize {
        self.marked.len()
    }

    pub(super) fn focus(&self) -> Focus {
        self.focus
    }

    pub(super) fn is_help(&self) -> bool {
        self.is_help
    }

    pub(super) fn message(&self) -> &str {
        &self.message
    }

    pub(super) fn say(&mut self, message: String) {
        self.message = message;
    }

    /// Updates the open questions. Returns those that are new.
    pub(super) fn refresh(&mut self, mut open: Vec<PendingQuestion>, now: u64) -> Vec<PendingQuestion> {
        open.sort_by(|one, two| {
            (group(one), one.asked, number(one)).cmp(&(group(two), two.asked, number(two)))
        });
        let is_known = |one: &PendingQuestion| self.items.iter().any(|other| other.id == one.id);
        let new: Vec<PendingQuestion> = open.iter().filter(|one| !is_known(one)).cloned().collect();
        let before = self.selected().map(|open| open.id.clone());
        let at = before.as_ref().and_then(|id| open.iter().position(|open| open.id == *id));
        self.items = open;
        match at {
            Some(at) => self.selected = at,
            None if before.is_some() => {
                self.moved = Some(now);
                self.select(self.selected);
            }
            None => self.select(0),
        }
        let is_open = |id: &QuestionId| self.items.iter().any(|open| open.id == *id);
        self.marked.retain(|id| is_open(id));
        let items = &self.items;
        self.details.retain(|id, _| items.iter().any(|open| open.id == *id));
        new
    }

    /// Returns the selected question if its details are not loaded yet.
    pub(super) fn wants_details(&self) -> Option<&PendingQuestion> {
        self.selected().filter(|open| !self.details.contains_key(&open.id))
    }

    pub(super) fn set_details(&mut self, id: QuestionId, text: String) {
        self.details.insert(id, Details::new(text));
    }

    /// Returns the index of the first visible row of the details, the number of all rows, and the
    /// visible rows. Remembers how many rows fit.
    pub(super) fn visible_details(&mut self, width: usize, height: usize) -> (usize, usize, Vec<Row>) {
        (self.width, self.page) = (width, height);
        let most = self.rows().saturating_sub(height);
        self.scroll = self.scroll.min(most);
        let first = self.scroll;
        let rows = self.selected_rows().iter().skip(first).take(height).cloned().collect();
        (first, self.rows(), rows)
    }

    /// Removes questions that were answered here, before the store reports it.
    pub(super) fn answered(&mut self, ids: &[QuestionId]) {
        let at = self.items.iter().take(self.selected).filter(|open| ids.contains(&open.id)).count();
        let next = self.selected - at;
        self.items.retain(|open| !ids.contains(&open.id));
        self.marked.retain(|id| !ids.contains(id));
        self.select(next);
    }

    /// Handles a key. `now` is in milliseconds; its origin does not matter.
    pub(super) fn press(&mut self, key: Key, now: u64) -> Option<Action> {
        let confirm = self.confirm.take();
        if self.is_help {
            self.is_help = false;
            return (key == Key::Stop).then_some(Action::Leave);
        }
        match key {
            Key::Stop | Key::Char('q') => Some(Action::Leave),
            Key::Redraw => Some(Action::Redraw),
            Key::Char('u') => Some(Action::TakeBack),
            Key::Char(letter) => self.press_letter(letter, confirm, now),
            key => {
                self.move_by(key);
                None
            }
        }
    }

    fn press_letter(&mut self, letter: char, confirm: Option<char>, now: u64) -> Option<Action> {
        match letter {
            '?' => self.is_help = true,
            'j' => self.move_by(Key::Down),
            'k' => self.move_by(Key::Up),
            'd' => self.move_by(Key::Tab),
            ' ' => self.toggle(),
            '*' => self.mark_group(),
            letter => return self.reply(letter, confirm, now),
        }
        None
    }

    /// Answers the marked questions, or else the selected one.
    fn reply(&mut self, letter: char, confirm: Option<char>, now: u64) -> Option<Action> {
        let asked = self.asked();
        let first = asked.first()?;
        let ids: Vec<QuestionId> = asked.iter().map(|open| open.id.clone()).collect();
        let Some(reply) = Reply::of_letter(letter, first.question.kind) else {
            self.message = format!("{letter} is not a key here; ? shows which there are");
            return None;
        };
        if let Some(other) = asked.iter().find(|open| reply.answer(open, 0).is_none()) {
            self.message = format!("{} does not offer that; ? shows what the keys mean", other.id);
            return None;
        }
        if self.moved.take().is_some_and(|moved| now.saturating_sub(moved) < LOOK_AGAIN) {
            self.message = "the question that was here is gone; look at this one first".to_owned();
            return None;
        }
        if reply == Reply::Call(AnswerKind::Everywhere) && confirm != Some(letter) {
            self.confirm = Some(letter);
            self.message = format!("press {letter} again to allow it in every project until you revoke it");
            return None;
        }
        Some(Action::Answer { ids, reply })
    }

    /// Returns the questions that an answer applies to.
    fn asked(&self) -> Vec<&PendingQuestion> {
        match self.marked.is_empty() {
            true => self.selected().into_iter().collect(),
            false => self.items.iter().filter(|open| self.marked.contains(&open.id)).collect(),
        }
    }

    fn toggle(&mut self) {
        let Some(id) = self.selected().map(|open| open.id.clone()) else { return };
        if !self.marked.remove(&id) {
            self.marked.insert(id);
        }
        self.select_further(1);
    }

    /// Marks every question of the selected one's client and project. If all of them are marked
    /// already, unmarks them.
    fn mark_group(&mut self) {
        let Some(selected) = self.selected() else { return };
        let of_group = self.items.iter().filter(|open| group(open) == group(selected));
        let ids: Vec<QuestionId> = of_group.map(|open| open.id.clone()).collect();
        match ids.iter().all(|id| self.marked.contains(id)) {
            true => self.marked.retain(|id| !ids.contains(id)),
            false => self.marked.extend(ids),
        }
    }

    fn move_by(&mut self, key: Key) {
        match (key, self.focus) {
            (Key::Tab | Key::Enter, Focus::List) => self.focus = Focus::Details,
            (Key::Tab | Key::Escape, Focus::Details) => self.focus = Focus::List,
            (Key::Escape, Focus::List) => self.marked.clear(),
            (Key::Up, Focus::List) => self.select(self.selected.saturating_sub(1)),
            (Key::Down, Focus::List) => self.select_further(1),
            (Key::Home, Focus::List) => self.select(0),
            (Key::End, Focus::List) => self.select(usize::MAX),
            (Key::Up, Focus::Details) => self.scroll = self.scroll.saturating_sub(1),
            (Key::Down | Key::Enter, Focus::Details) => self.scroll_further(1),
            (Key::Home, Focus::Details) => self.scroll = 0,
            (Key::End, Focus::Details) => self.scroll_further(usize::MAX),
            // These keys scroll the details, whatever has the focus.
            (Key::PageUp, _) => self.scroll = self.scroll.saturating_sub(self.page.max(1)),
            (Key::PageDown, _) => self.scroll_further(self.page.max(1)),
            (Key::Char(_) | Key::Stop | Key::Redraw, _) => {}
        }
    }

    fn select_further(&mut self, many: usize) {
        self.select(self.selected.saturating_add(many));
    }

    fn select(&mut self, at: usize) {
        let at = at.min(self.items.len().saturating_sub(1));
        self.selected = at;
        self.scroll = 0;
    }

    fn scroll_further(&mut self, many: usize) {
        let most = self.rows().saturating_sub(self.page);
        self.scroll = self.scroll.saturating_add(many).min(most);
    }

    fn rows(&mut self) -> usize {
        self.selected_rows().len()
    }

    fn selected_rows(&mut self) -> &[Row] {
        let (id, width) = (self.items.get(self.selected).map(|open| &open.id), self.width);
        id.and_then(|id| self.details.get_mut(id)).map_or(&[], |details| details.rows(width))
    }
}

/// Returns the asker of a question.
pub(super) fn group(open: &PendingQuestion) -> Group<'_> {
    let client = open.question.shown.client.as_deref().unwrap_or("A client");
    (client, open.question.project.as_deref())
}

/// Returns the number in the id, so that `q-10` is sorted after `q-9`.
fn number(open: &PendingQuestion) -> u64 {
    open.id.0.trim_start_matches("q-").parse().unwrap_or(u64::MAX)
}

#[cfg(test)]
pub(super) mod tests;
