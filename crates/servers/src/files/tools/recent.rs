//! Remembers files that were read recently, so that a caller whose etag is out of date learns what
//! changed. Bounded, and only in memory.
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// Contents by etag, the latest at the end.
#[derive(Debug, Default)]
pub(crate) struct RecentReads {
    kept: Mutex<RecentContents>,
}

#[derive(Debug, Default)]
struct RecentContents {
    contents: VecDeque<(String, Arc<[u8]>)>,
    bytes: usize,
}

/// Maximum bytes of all contents.
const MOST_BYTES: usize = 2 << 20;
/// Maximum number of contents.
const MOST_CONTENTS: usize = 256;

impl RecentReads {
    pub(crate) fn keep(&self, etag: &str, content: &[u8]) {
        if content.len() > MOST_BYTES / 4 {
            return;
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.contents.iter().any(|(known, _)| known == etag) {
            return;
        }
        kept.bytes += content.len();
        kept.contents.push_back((etag.to_owned(), content.into()));
        while kept.bytes > MOST_BYTES || kept.contents.len() > MOST_CONTENTS {
            let Some((_, oldest)) = kept.contents.pop_front() else { break };
            kept.bytes -= oldest.len();
        }
    }

    pub(crate) fn get(&self, etag: &str) -> Option<Arc<[u8]>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.contents.iter().find(|(known, _)| known == etag).map(|(_, content)| Arc::clone(content))
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
            recent.keep(&format!("s-{number}"), &content);
        }
        assert!(recent.get("s-0").is_none() && recent.get("s-99").is_some());
        recent.keep("s-huge", &vec![0; MOST_BYTES]);
        assert!(recent.get("s-huge").is_none());
        let kept = recent.kept.lock().unwrap();
        assert!(kept.bytes <= MOST_BYTES && kept.contents.len() == 20, "{}", kept.contents.len());
    }
}
