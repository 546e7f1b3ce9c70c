//! Patterns that hold in every folder: what is not there, and what can't be changed. They are made ready once for as long as they stay
//! the same, which is nearly always.
use std::sync::{Arc, Mutex, PoisonError};

use overt_spec::control::Regions;
use overt_spec::setting::List;
use serde_json::{Value, json};

use super::path::Whole;

/// The patterns that were last asked for.
#[derive(Debug, Default)]
pub(super) struct Everywhere(Mutex<Option<Ready>>);

#[derive(Debug)]
struct Ready {
    hidden: List,
    immutable: List,
    regions: Arc<Regions>,
}

impl Everywhere {
    /// What the patterns leave of these folders; none where there are no patterns. Patterns were read without a mistake before: one
    /// that can't be used hides everything.
    pub(super) fn patterns<'a>(
        &self,
        hidden: List,
        immutable: List,
        folders: impl Iterator<Item = &'a Whole>,
    ) -> Option<Arc<Regions>> {
        if hidden.is_empty() && immutable.is_empty() {
            return None;
        }
        let mut ready = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(ready) =
            ready.as_ref().filter(|ready| ready.hidden == hidden && ready.immutable == immutable)
        {
            return Some(Arc::clone(&ready.regions));
        }
        let region =
            |folder: &Whole| json!({ "path": folder.as_str(), "deny": hidden, "immutable": immutable });
        let regions = Regions::parse(&Value::Array(folders.map(region).collect()));
        let nothing = || Regions::parse(&json!([])).unwrap_or_default();
        let regions = Arc::new(regions.unwrap_or_else(|_| nothing()));
        *ready = Some(Ready { hidden, immutable, regions: Arc::clone(&regions) });
        Some(regions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(patterns: &[&str]) -> List {
        patterns.iter().map(|&pattern| pattern.to_owned()).collect()
    }

    #[test]
    fn they_hold_in_every_folder() {
        let everywhere = Everywhere::default();
        let folders = ["/a", "/b/c"].map(|path| Whole::from_system(path).unwrap());
        assert_eq!(everywhere.patterns(List::new(), List::new(), folders.iter()), None);
        let patterns =
            || everywhere.patterns(list(&["**/.env", "keys"]), list(&["vendor/**"]), folders.iter()).unwrap();
        let left = patterns();
        assert!(left.visible("/a/x") && left.writable("/b/c/x"));
        assert!(!left.visible("/a/.env") && !left.visible("/b/c/sub/.env") && !left.visible("/b/c/keys/k"));
        assert!(left.visible("/a/vendor/x") && !left.writable("/a/vendor/x"));
        assert!(Arc::ptr_eq(&left, &patterns()));
        assert!(!everywhere.patterns(list(&["["]), List::new(), folders.iter()).unwrap().visible("/a/x"));
    }
}
