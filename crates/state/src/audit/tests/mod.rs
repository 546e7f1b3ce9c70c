//! The log from outside: written, broken and read again, by the cases AUD-01 to AUD-10.
mod support; // logs to play with
mod write; // records as they are on the disk
mod tamper; // AUD-03, AUD-04: changed, cut, replaced
