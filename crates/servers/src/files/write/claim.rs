//! Which call may change which paths at the moment. A change claims its paths before it reads them
//! and until it is made, so that no two changes of this process see the same old content. A claim
//! on a folder excludes every claim inside it.
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

use super::super::access::AbsolutePath;
use super::super::error::{FileError, code};

/// Most claims that are held or waiting.
const MOST_CLAIMS: usize = 4096;

/// All claims of a server.
#[derive(Debug, Clone, Default)]
pub(crate) struct Claims(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    queue: Mutex<ClaimQueue>,
    /// Notifies waiters that a claim was dropped.
    moved: Notify,
}

/// The queue of claims, in order of arrival. A claim is held once no earlier claim overlaps it. So
/// no claim overtakes another one, and claims can't deadlock.
#[derive(Debug, Default)]
struct ClaimQueue {
    next: u64,
    claims: VecDeque<(u64, Vec<AbsolutePath>)>,
}

/// A claim in the queue. Dropping it releases its paths.
#[derive(Debug)]
pub(crate) struct Claim {
    inner: Arc<Inner>,
    number: u64,
}

impl Claims {
    /// Adds a claim to the queue.
    pub(crate) fn claim(&self, paths: Vec<AbsolutePath>) -> Result<Claim, FileError> {
        let mut queue = self.0.lock();
        if queue.claims.len() >= MOST_CLAIMS {
            return Err(FileError::new(
                code::BUSY,
                format!("{MOST_CLAIMS} other changes are being made or wait for their turn"),
                "Call again when some of them are done.",
            ));
        }
        let number = queue.next;
        queue.next += 1;
        queue.claims.push_back((number, paths));
        Ok(Claim { inner: Arc::clone(&self.0), number })
    }
}

impl Claim {
    /// Waits until no earlier claim overlaps this one.
    pub(crate) async fn wait_until_held(&self) {
        loop {
            let moved = self.inner.moved.notified();
            tokio::pin!(moved);
            // Registered before the check, so that no drop goes unnoticed.
            moved.as_mut().enable();
            if self.is_held() {
                return;
            }
            moved.await;
        }
    }

    /// Whether no earlier claim overlaps this one.
    pub(crate) fn is_held(&self) -> bool {
        let queue = self.inner.lock();
        let Some(own) = queue.claims.iter().find(|(number, _)| *number == self.number) else { return false };
        let mut before = queue.claims.iter().take_while(|(number, _)| *number != self.number);
        !before.any(|(_, paths)| paths.iter().any(|one| own.1.iter().any(|other| touches(one, other))))
    }

    /// Whether this claim is for exactly these paths.
    pub(crate) fn covers(&self, paths: &[AbsolutePath]) -> bool {
        self.inner.lock().claims.iter().any(|(number, own)| *number == self.number && own == paths)
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.inner.lock().claims.retain(|(number, _)| *number != self.number);
        self.inner.moved.notify_waiters();
    }
}

impl Inner {
    fn lock(&self) -> std::sync::MutexGuard<'_, ClaimQueue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn touches(one: &AbsolutePath, other: &AbsolutePath) -> bool {
    one.inner(other).is_some() || other.inner(one).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(texts: &[&str]) -> Vec<AbsolutePath> {
        texts.iter().map(|text| AbsolutePath::from_system(text).unwrap()).collect()
    }

    #[tokio::test]
    async fn a_claim_excludes_what_it_touches_in_the_order_of_arrival() {
        let claims = Claims::default();
        let claim = |texts: &[&str]| claims.claim(paths(texts)).unwrap();
        let file = claim(&["/r/a/x"]);
        let beside = claim(&["/r/a/y"]);
        let folder = claim(&["/r/a", "/r/b"]);
        let later = claim(&["/r/b/z"]);
        let elsewhere = claim(&["/r/ab"]);
        let held = [&file, &beside, &folder, &later, &elsewhere].map(Claim::is_held);
        assert_eq!(held, [true, true, false, false, true]);
        drop(file);
        assert!(!folder.is_held());
        let waiting = tokio::spawn(async move {
            folder.wait_until_held().await;
            folder
        });
        tokio::task::yield_now().await;
        drop(beside);
        drop(waiting.await.unwrap());
        later.wait_until_held().await;
    }

    #[test]
    fn the_line_is_bounded() {
        let claims = Claims::default();
        let all: Vec<_> = (0..MOST_CLAIMS).map(|_| claims.claim(paths(&["/r"])).unwrap()).collect();
        assert_eq!(claims.claim(paths(&["/q"])).unwrap_err().code, code::BUSY);
        drop(all);
        assert!(claims.claim(paths(&["/q"])).unwrap().is_held());
    }
}
