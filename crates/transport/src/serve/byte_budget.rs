//! A limit on the bytes that a server holds for all clients together.
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The most bytes that may be held, and the bytes that are held now.
#[derive(Debug)]
pub(crate) struct ByteBudget {
    most: usize,
    used: AtomicUsize,
}

/// Counts bytes as held until it is dropped.
#[derive(Debug)]
pub(crate) struct Charge {
    budget: Arc<ByteBudget>,
    bytes: usize,
}

impl ByteBudget {
    pub(crate) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self { most, used: AtomicUsize::new(0) })
    }

    /// Counts bytes that already exist and can't be refused.
    pub(crate) fn charge(self: &Arc<Self>, bytes: usize) -> Charge {
        self.used.fetch_add(bytes, Ordering::Relaxed);
        Charge { budget: Arc::clone(self), bytes }
    }

    /// Whether this many more bytes may be held.
    pub(crate) fn has_room_for(&self, bytes: usize) -> bool {
        self.used().saturating_add(bytes) <= self.most
    }

    pub(crate) fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }
}

impl Charge {
    /// Counts more bytes. If they exceed the budget, counts nothing and returns false.
    pub(crate) fn grow(&mut self, bytes: usize) -> bool {
        let has_room = self.budget.has_room_for(bytes);
        if has_room {
            self.budget.used.fetch_add(bytes, Ordering::Relaxed);
            self.bytes += bytes;
        }
        has_room
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.budget.used.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn g_48_what_is_held_is_counted_until_it_is_dropped() {
        let budget = ByteBudget::new(100);
        let mut small = budget.charge(0);
        assert!(small.grow(60));
        assert!(!small.grow(60));
        let forced = budget.charge(60);
        assert_eq!(budget.used(), 120);
        assert!(!budget.has_room_for(0));
        drop((small, forced));
        assert_eq!(budget.used(), 0);
        assert!(budget.has_room_for(100) && !budget.has_room_for(101));
    }
}
