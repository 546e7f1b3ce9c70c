//! What undoing a change will do, and what it did.
use super::past_change::PastChange;

/// What undoing a change will do, for display.
#[derive(Debug, Clone)]
pub struct PlannedUndo {
    pub change: PastChange,
    pub lines: Vec<String>,
    /// A unified diff; empty if there is no text to compare.
    pub diff: String,
}

/// A change that was undone.
#[derive(Debug, Clone)]
pub struct UndoneChange {
    pub change: PastChange,
    /// The id of the undoing, which can be undone in turn. `None` if what the change had made was
    /// too large to be kept.
    pub by: Option<String>,
}
