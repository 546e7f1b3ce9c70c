//! The log from outside: written, broken and read again, by the cases AUD-01 to AUD-10.
mod support; // logs to play with
mod write; // records as they are on the disk
mod room; // AUD-01: what the queue has room for
mod tamper; // AUD-03, AUD-04: changed, cut, replaced
mod gather; // records that share a wait for the disk
mod find; // AUD-10: the index says what reading all says
mod newest; // the last records first
mod search; // looking for one thing, with and without the cache
mod crash; // AUD-02: what a crash leaves
mod faults; // AUD-05, AUD-07: full disks, links, pipes, removed folders, retention
mod reconcile; // AUD-01: every call has one intent and one outcome
mod trace; // what a crash or a power cut leaves
mod power; // AUD-02, AUD-05: at every change
mod fixtures; // logs of older versions
mod rewritten; // AUD-04: written anew, or cut
