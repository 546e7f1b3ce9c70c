//! Tests the log from outside: it is written, damaged and read again, by the cases AUD-01 to
//! AUD-10.
mod support; // helpers to create logs
mod write; // records as they are on disk
mod room; // AUD-01: the room in the queue
mod tamper; // AUD-03, AUD-04: changed, cut and replaced logs
mod gather; // records that share one sync
mod find; // AUD-10: a search finds what reading everything finds
mod newest; // records, newest first
mod search; // the search with and without the cache
mod crash; // AUD-02: recovery after a crash
mod faults; // AUD-05, AUD-07: full disks, links, pipes, removed folders, retention
mod reconcile; // AUD-01: every call has one intent and one outcome
mod trace; // a record of all changes, and what a crash or a power cut leaves
mod power; // AUD-02, AUD-05: a crash or a failure at every change
mod rewritten; // AUD-04: rewritten and cut logs
