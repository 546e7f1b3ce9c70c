//! Plays a plan, and compares the tree after each step with the model.
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;

use super::super::super::write::fault::FaultAction;
use super::super::super::write::tests::stage::Answer;
use super::expect::{Expected, expected, place_of};
use super::killed::call_in_child;
use super::others::{do_it, save};
use super::place::{Ground, Place};
use super::plan::{Event, Op, Plan, Saved, Step};
use super::tree::{Tree, What, differing, has_content, is_as_wanted, is_within, read};
use super::{resolve, tree};

/// A change that was made, with the trees before and after it.
struct Made {
    id: String,
    before: Tree,
    after: Tree,
    /// The number of steps, by anyone, that had changed something by then.
    moment: usize,
}

struct Play {
    place: Place,
    made: Vec<Made>,
    moment: usize,
}

/// The difference between the model and the tree, if there is one.
type Verdict = Result<(), String>;

pub(super) fn play(plan: &Plan, ground: Ground) -> Verdict {
    let mut play = Play { place: Place::new(plan.journal, ground), made: Vec::new(), moment: 0 };
    for (number, step) in plan.steps.iter().enumerate() {
        let outcome = match step {
            Step::Other(other) => {
                do_it(&play.place.path, other, &format!("o{number};"));
                play.moment += 1;
                Ok(())
            }
            Step::Call(op, event) => play.call(op, event, number),
        };
        outcome.map_err(|why| format!("step {number}, {step:?}: {why}"))?;
    }
    Ok(())
}

impl Play {
    fn call(&mut self, op: &Op, event: &Event, number: usize) -> Verdict {
        let before = self.read();
        let (tool, arguments) = op.call(number, |path| content(&before, path), |back| self.id_of(back));
        match event {
            Event::Killed(calls) => {
                let ended = call_in_child(&self.place, tool, &arguments, *calls);
                self.place.restart();
                self.moment += 1;
                self.after_kill(op, number, &before, ended)
            }
            Event::Saved(calls, saved) => {
                let path = match saved {
                    Saved::Same => op.path().unwrap_or("a"),
                    Saved::Other(path) => path,
                };
                let has_saved = Arc::new(AtomicBool::new(false));
                let (saved, place) = (Arc::clone(&has_saved), self.place.path.clone());
                let theirs = format!("o{number};");
                let text = theirs.clone();
                let other = move || saved.store(save(&place, path, &text), Ordering::SeqCst);
                self.place.server.disk.fault.arm(*calls, FaultAction::Do(Arc::new(other)));
                let answer = self.place.call(tool, &arguments);
                self.place.server.disk.fault.disarm();
                self.moment += 1;
                match has_saved.load(Ordering::SeqCst) {
                    true => self.after_save(&before, &answer, path, &theirs),
                    false => self.after(op, number, &before, &answer),
                }
            }
            Event::Fails(calls, errno) => {
                self.place.server.disk.fault.arm(*calls, FaultAction::Fail(*errno));
                let answer = self.place.call(tool, &arguments);
                let has_failed = self.place.server.disk.fault.disarm();
                self.moment += 1;
                match has_failed {
                    true => self.after_failure(op, number, &before, &answer),
                    false => self.after(op, number, &before, &answer),
                }
            }
            Event::Nothing => {
                let answer = self.place.call(tool, &arguments);
                self.moment += 1;
                self.after(op, number, &before, &answer)
            }
        }
    }

    fn read(&self) -> Tree {
        read(&self.place.root())
    }

    fn id_of(&self, back: usize) -> Option<String> {
        self.made.iter().rev().nth(back).map(|made| made.id.clone())
    }

    /// Returns the outcome of a call, according to the model and the earlier changes.
    fn expected(&self, op: &Op, number: usize, before: &Tree) -> Expected {
        let Op::Undo(back) = op else { return expected(before, op, number) };
        match self.made.iter().rev().nth(*back) {
            None => Expected::Refused,
            // Nothing happened since, so undoing must succeed.
            Some(made) if made.moment + 1 == self.moment && *before == made.after => {
                Expected::Done(made.before.clone())
            }
            Some(made) => Expected::Either(undone(made, before)),
        }
    }

    /// Checks a call that nothing interfered with.
    fn after(&mut self, op: &Op, number: usize, before: &Tree, answer: &Answer) -> Verdict {
        let after = self.read();
        match (self.expected(op, number, before), answer.is_error()) {
            (Expected::Refused | Expected::Either(_), true) => same(&after, before, answer),
            (Expected::Done(wanted) | Expected::Either(wanted), false) => {
                as_wanted(&after, &wanted, answer)?;
                self.note(answer, before, after);
                Ok(())
            }
            (Expected::Done(_), true) => Err(format!("it was refused: {}", answer.0)),
            (Expected::Refused, false) => Err(format!("it was done: {}", answer.0)),
        }
    }

    /// Checks a call in which a system call failed: all of it is done, or nothing.
    fn after_failure(&mut self, op: &Op, number: usize, before: &Tree, answer: &Answer) -> Verdict {
        let after = self.read();
        let is_made = answer.text().contains("was changed, but the disk did not confirm it");
        match self.expected(op, number, before) {
            Expected::Done(wanted) | Expected::Either(wanted) if is_made || !answer.is_error() => {
                as_wanted(&after, &wanted, answer)?;
                if !answer.is_error() {
                    self.note(answer, before, after);
                }
                Ok(())
            }
            _ if answer.is_error() => same(&after, before, answer),
            _ => Err(format!("it was done: {}", answer.0)),
        }
    }

    /// Checks a call whose process was killed, after the next one has started: all of it is done,
    /// or nothing, and what was done can be undone.
    fn after_kill(&mut self, op: &Op, number: usize, before: &Tree, ended: bool) -> Verdict {
        let after = self.read();
        if after == *before {
            return Ok(());
        }
        let (wanted, is_certain) = match self.expected(op, number, before) {
            Expected::Done(wanted) => (wanted, true),
            Expected::Either(wanted) => (wanted, false),
            Expected::Refused => {
                return Err(format!("something was changed: {:?}", differing(&after, before)));
            }
        };
        if !is_as_wanted(&after, &wanted) {
            return Err(format!("neither old nor new (it ended: {ended}): {after:#?}\nnot {wanted:#?}"));
        }
        let Some(path) = place_of(before, op).filter(|_| is_certain) else { return Ok(()) };
        let path = self.place.root().join(path);
        let undone = self.place.call("revert_change", &json!({ "path": path }));
        self.moment += 1;
        if undone.is_error() {
            return Err(format!("what the killed process did can't be undone: {}", undone.0));
        }
        as_wanted(&self.read(), before, &undone)
    }

    /// Checks a call during which another program saved a file: its content is there, or comes back
    /// when the change is undone.
    fn after_save(&mut self, before: &Tree, answer: &Answer, path: &str, theirs: &str) -> Verdict {
        let after = self.read();
        let is_there = has_content(&after, theirs);
        if answer.is_error() {
            if !is_there {
                return Err(format!("what somebody else wrote is lost: {}", answer.0));
            }
            let is_half = answer.text().contains("stays as it is now");
            let differ = differing(&after, before);
            let only_theirs =
                differ.iter().all(|differs| is_within(differs, path) || is_within(path, differs));
            return match only_theirs || is_half || answer.text().contains("did not confirm it") {
                true => Ok(()),
                false => Err(format!("{differ:?} were changed by what failed: {}", answer.0)),
            };
        }
        // The result of the call and the other program's change can't be told apart, so this change
        // is not undone later.
        if is_there {
            return Ok(());
        }
        let change = answer.ok()["change"].clone();
        let undone = self.place.call("revert_change", &json!({ "change": change }));
        self.moment += 1;
        match has_content(&self.read(), theirs) {
            true => Ok(()),
            false => Err(format!("what somebody else wrote is lost: {}\n{}", answer.0, undone.0)),
        }
    }

    fn note(&mut self, answer: &Answer, before: &Tree, after: Tree) {
        let moment = self.moment;
        self.made.push(Made { id: answer.change(), before: before.clone(), after, moment });
    }
}

/// Returns the content of the file that a path leads to.
fn content(tree: &Tree, path: &str) -> Option<String> {
    match &tree.get(&resolve::file(tree, path)?)?.what {
        What::File(text) => Some(text.clone()),
        What::Link(_) | What::Folder => None,
    }
}

/// Returns the tree after undoing a change that is not the latest: its paths are as before,
/// everything else stays.
fn undone(made: &Made, now: &Tree) -> Tree {
    let mut after = now.clone();
    for path in differing(&made.before, &made.after) {
        match made.before.get(path) {
            Some(node) => {
                // Another program may have changed mode and label since. New content keeps them.
                let known = now.get(path).filter(|known| matches!(known.what, What::File(_)));
                let node = tree::Node {
                    what: node.what.clone(),
                    mode: known.map_or(node.mode, |known| known.mode),
                    label: known.map_or_else(|| node.label.clone(), |known| known.label.clone()),
                };
                after.insert(path.to_owned(), node);
            }
            None => drop(after.remove(path)),
        }
    }
    after
}

fn same(after: &Tree, before: &Tree, answer: &Answer) -> Verdict {
    if after == before {
        return Ok(());
    }
    Err(format!("it failed and changed {:?}: {}", differing(after, before), answer.0))
}

fn as_wanted(after: &Tree, wanted: &Tree, answer: &Answer) -> Verdict {
    if is_as_wanted(after, wanted) {
        return Ok(());
    }
    let differ = differing(after, wanted);
    let at = |tree: &Tree| format!("{:?}", differ.iter().map(|path| tree.get(*path)).collect::<Vec<_>>());
    Err(format!("{differ:?}\nare    {}\nwanted {}\n{}", at(after), at(wanted), answer.0))
}
