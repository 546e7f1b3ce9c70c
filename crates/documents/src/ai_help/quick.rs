//! The quick reference: the operations in groups, with one line each.
use indexmap::IndexMap;
use serde_json::{Value, json};

use super::help::Part;
use super::section::{Section, capital};
use crate::description::{DescribedTool, Description};
use crate::markdown::{LINE, code, foreign_line, line, name};
use overt_policy::prose::first_sentence;

/// The most operations in a quick reference (D-24).
pub const MOST_OPERATIONS: usize = 20;

/// Operations of one category.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Group {
    pub heading: Option<String>,
    pub operations: Vec<Operation>,
}

/// A name, and a one-line description in plain text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    pub name: String,
    pub text: String,
}

/// Builds the section. `total` is the number of all operations.
pub fn quick_reference(groups: &[Group], total: usize) -> Part {
    let mut text = String::new();
    let mut data = Vec::new();
    let mut room = MOST_OPERATIONS;
    for group in groups {
        let shown = &group.operations[..group.operations.len().min(room)];
        room -= shown.len();
        if shown.is_empty() {
            continue;
        }
        if let Some(heading) = &group.heading {
            text.push_str(&format!("**{}:**\n\n", foreign_line(heading, LINE)));
        }
        for operation in shown {
            text.push_str(&operation.line());
        }
        text.push('\n');
        let operations =
            shown.iter().map(|operation| json!({ "name": operation.name, "description": operation.text }));
        data.push(json!({ "category": group.heading, "operations": operations.collect::<Vec<_>>() }));
    }
    let more = total.saturating_sub(MOST_OPERATIONS - room);
    if total == 0 {
        text.push_str("There are no tools.\n");
    } else if more > 0 {
        text.push_str(&format!("{more} more are in the Tool Reference.\n"));
    }
    Part::new(Section::QuickReference, text.trim_end().to_owned() + "\n", Value::Array(data))
}

impl Operation {
    /// Returns the line in a list.
    pub fn line(&self) -> String {
        if self.text.is_empty() {
            return format!("- {}\n", code(&self.name));
        }
        format!("- {} — {}\n", code(&self.name), foreign_line(&self.text, LINE))
    }

    /// Describes a tool in one line, with its server's words.
    pub(crate) fn of(tool: &DescribedTool) -> Self {
        let words = tool.live.description.as_deref().or(tool.live.title.as_deref()).unwrap_or_default();
        Self { name: name(&tool.live.name), text: line(first_sentence(words.trim()), 160) }
    }
}

/// Groups the tools by category, in the order of first appearance. Tools without a category come
/// last.
pub(super) fn groups(description: &Description) -> Vec<Group> {
    let mut by_category: IndexMap<Option<String>, Vec<Operation>> = IndexMap::new();
    for tool in &description.tools {
        let category = tool.record.as_ref().and_then(|record| record.category.clone());
        by_category.entry(category).or_default().push(Operation::of(tool));
    }
    let rest = by_category.shift_remove(&None);
    let has_groups = !by_category.is_empty();
    let named = by_category.into_iter().map(|(category, operations)| {
        let heading = category.map(|category| capital(&line(&category.replace(['-', '_'], " "), 60)));
        Group { heading, operations }
    });
    let rest = rest.map(|operations| Group { heading: has_groups.then(|| "Other".to_owned()), operations });
    named.chain(rest).collect()
}
