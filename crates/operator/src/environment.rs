//! What the caller of an operator knows.
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::not_answerer::NotAnswerer;

/// The servers of clients' files by name, each with its identities (`name#id`). The set is empty if
/// only the client knows how to start the server.
pub type ServerIdentities = BTreeMap<String, BTreeSet<String>>;

/// What the caller of an operator knows: the terminal, the variables, and the clients' files.
pub trait OperatorEnvironment: fmt::Debug {
    /// Returns whether standard input is a terminal.
    fn reads_terminal(&self) -> bool;

    /// Returns whether an environment variable is set and not empty.
    fn is_set(&self, variable: &str) -> bool;

    /// Returns whether a passphrase comes with the command, from a script of the person.
    fn brings_passphrase(&self) -> bool;

    /// Returns whether somebody can be asked for a passphrase, or one is brought.
    fn can_give_passphrase(&self) -> bool;

    /// Reads the passphrase. `why` tells the person what it is needed for.
    fn passphrase(&self, why: &str) -> Result<String, NotAnswerer>;

    /// Reads which servers the clients are configured to start.
    fn configured_servers(&self) -> ServerIdentities;
}
