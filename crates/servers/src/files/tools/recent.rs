//! Remembers files that were read recently, so that a caller whose etag is out of date learns what
//! changed. Bounded, and only in memory.
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

#[derive(Debug, Default)]
pub(crate) struct RecentReads {
    kept: Mutex<RecentContents>,
}

#[derive(Debug, Default)]
struct RecentContents {
    by_etag: HashMap<Arc<str>, Arc<Vec<u8>>>,
    /// The etags of all contents, the latest at the end.
    etags: VecDeque<Arc<str>>,
    bytes: usize,
}

/// Maximum bytes of all contents.
const MOST_BYTES: usize = 2 << 20;
/// Maximum number of contents.
const MOST_CONTENTS: usize = 256;

impl RecentReads {
    pub(crate) fn keep(&self, etag: &str, content: Vec<u8>) {
        if content.len() > MOST_BYTES / 4 {
            return;
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.by_etag.contains_key(etag) {
            return;
        }
        let etag: Arc<str> = etag.into();
        kept.bytes += content.len();
        kept.by_etag.insert(Arc::clone(&etag), Arc::new(content));
        kept.etags.push_back(etag);
        while kept.bytes > MOST_BYTES || kept.etags.len() > MOST_CONTENTS {
            let Some(oldest) = kept.etags.pop_front() else { break };
            kept.bytes -= kept.by_etag.remove(&oldest).map_or(0, |content| content.len());
        }
    }

    pub(crate) fn get(&self, etag: &str) -> Option<Arc<Vec<u8>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).by_etag.get(etag).map(Arc::clone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_ones_are_kept_within_bounds() {
        let recent = RecentReads::default();
        let content = vec![b'a'; 100 << 10];
        for number in 0..100 {
            recent.keep(&format!("s-{number}"), content.clone());
        }
        assert!(recent.get("s-0").is_none() && recent.get("s-99").is_some());
        recent.keep("s-huge", vec![0; MOST_BYTES]);
        assert!(recent.get("s-huge").is_none());
        let kept = recent.kept.lock().unwrap();
        assert!(kept.bytes <= MOST_BYTES && kept.etags.len() == 20, "{}", kept.etags.len());
        assert_eq!(kept.by_etag.len(), kept.etags.len());
    }
}
