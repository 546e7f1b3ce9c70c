//! `--format json` of every command, in success and in failure, byte for byte. Times, paths, ids,
//! digests, process ids and ports are replaced; member names, order and white space are not.
//! The outputs are in `snapshots`, one file per test.
mod transcript; // commands and what they printed, without what differs from run to run
mod activity; // overt log, overt undo, overt policy suggest
mod audit; // overt audit
mod documents; // overt describe, overt card
mod grants; // overt grants, overt trust
mod people; // overt passphrase, overt token, overt login
mod pins; // overt pins
mod policy; // overt policy, overt forbid, overt permit
mod servers; // overt list, overt call, and the settings of overt run and overt fs
mod skills; // overt skill
mod wrap; // overt wrap, overt unwrap, overt doctor
