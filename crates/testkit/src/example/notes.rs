//! Notes in memory. Each tool that changes them has a function that plans and one that applies.
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use overt_toolbox::{Change, Context, Destructive, Plan, Tool, ToolError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::declared;

/// The notes of one server.
#[derive(Debug, Clone, Default)]
struct Notes {
    by_name: Arc<Mutex<BTreeMap<String, String>>>,
}

#[derive(Deserialize, JsonSchema)]
struct Write {
    /// What the note is called.
    name: String,
    /// What it says from now on.
    text: String,
}

#[derive(Deserialize, JsonSchema)]
struct Delete {
    /// The note that nobody needs any more.
    name: String,
}

#[derive(Serialize, JsonSchema)]
struct Written {
    name: String,
    /// Whether there was no such note before.
    created: bool,
    /// Bytes of the text.
    bytes: usize,
}

#[derive(Serialize, JsonSchema)]
struct Deleted {
    name: String,
}

/// What a note is to become: its name, what it said when the plan was made, and what it is to say.
type Edit = (String, Option<String>, Option<String>);

pub(super) fn tools() -> Vec<Tool> {
    let notes = Notes::default();
    let (writes, deletes, applies, removes) = (notes.clone(), notes.clone(), notes.clone(), notes);
    vec![
        Tool::mutating(
            "write_note",
            "Use to write a note, or to replace what it says.",
            move |input, _| std::future::ready(Ok(writes.plan_write(input))),
            move |edit, _: Context| std::future::ready(applies.apply(edit)),
        )
        .declare(declared::write_note()),
        Tool::mutating(
            "delete_note",
            "Use to delete a note.",
            move |input, _| std::future::ready(deletes.plan_delete(input)),
            move |edit, _: Context| std::future::ready(removes.apply(edit)),
        )
        .changes(Destructive::Yes),
    ]
}

impl Notes {
    fn plan_write(&self, input: Write) -> Plan<Edit, Written> {
        let Write { name, text } = input;
        let before = self.lock().get(&name).cloned();
        let change = match &before {
            Some(before) => Change::edited(&name, before, &text),
            None => Change::created(&name, &text),
        };
        let written = Written { name: name.clone(), created: before.is_none(), bytes: text.len() };
        Plan::new((name, before, Some(text)), written).change(change)
    }

    fn plan_delete(&self, input: Delete) -> Result<Plan<Edit, Deleted>, ToolError> {
        let name = input.name;
        let Some(before) = self.lock().get(&name).cloned() else {
            return Err(ToolError::new(format!("there is no note `{name}`"))
                .next("Use the name of a note that was written.")
                .code("NOT_FOUND"));
        };
        let change = Change::deleted(&name, &before);
        Ok(Plan::new((name.clone(), Some(before), None), Deleted { name }).change(change))
    }

    fn apply(&self, (name, before, after): Edit) -> Result<(), ToolError> {
        let mut notes = self.lock();
        // Another call may have changed the note after the plan was made.
        if notes.get(&name) != before.as_ref() {
            return Err(ToolError::new(format!("the note `{name}` has changed meanwhile"))
                .next("Look at it again.")
                .code("CONFLICT"));
        }
        match after {
            Some(text) => notes.insert(name, text),
            None => notes.remove(&name),
        };
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        self.by_name.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
