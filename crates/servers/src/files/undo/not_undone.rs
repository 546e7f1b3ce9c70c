//! Finds the changes that still hold, by the journal alone. An undone change is skipped together
//! with its undoing, unless that was undone in turn.
use std::collections::HashSet;

/// Collects which changes were undone. It must see the changes from the latest to the oldest.
#[derive(Debug, Default)]
pub(crate) struct NotUndone {
    undone: HashSet<String>,
}

impl NotUndone {
    /// Whether the change holds and is not itself an undoing.
    pub(crate) fn holds(&mut self, id: &str, undoes: Option<&str>) -> bool {
        if self.undone.contains(id) {
            return false;
        }
        match undoes {
            Some(earlier) => {
                self.undone.insert(earlier.to_owned());
                false
            }
            None => true,
        }
    }

    /// Whether a later change undid this one, and was not undone itself.
    pub(crate) fn is_undone(&self, id: &str) -> bool {
        self.undone.contains(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_undone_and_done_again_holds() {
        // From the latest on: `d` undid `c`, which had undone `b`; `a` was never undone.
        let mut not_undone = NotUndone::default();
        let changes = [("d", Some("c")), ("c", Some("b")), ("b", None), ("a", None)];
        let taken: Vec<&str> =
            changes.iter().filter(|(id, undoes)| not_undone.holds(id, *undoes)).map(|(id, _)| *id).collect();
        assert_eq!(taken, ["b", "a"]);
        let mut not_undone = NotUndone::default();
        assert!(
            !not_undone.holds("c", Some("b")) && !not_undone.holds("b", None) && not_undone.holds("a", None)
        );
        assert!(not_undone.is_undone("b"));
    }
}
