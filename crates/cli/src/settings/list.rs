//! What `overt list` was told.
use super::{Connection, Env, OutputSettings};
use crate::args::{Format, Kind, ListArgs};
use crate::failure::Failure;

#[derive(Debug)]
pub(crate) struct ListSettings {
    pub(crate) connection: Connection,
    pub(crate) output: OutputSettings,
    pub(crate) lists: ListSelection,
    pub(crate) long: bool,
}

/// Which lists are wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ListSelection {
    /// What the server declares.
    Declared,
    /// These, declared or not.
    Named(Vec<Kind>),
}

impl ListSettings {
    pub(crate) fn resolve(args: &ListArgs, env: &Env) -> Result<Self, Failure> {
        let lists = match args.kinds.as_slice() {
            [] => ListSelection::Declared,
            kinds if kinds.contains(&Kind::All) => ListSelection::Declared,
            kinds => ListSelection::Named(kinds.to_vec()),
        };
        let connection = Connection::resolve(&args.target, args.url.as_deref(), env)?;
        // There is only one way to print JSON, so the long form means text.
        let output = match args.long {
            true => OutputSettings::with_default(&args.output, Format::Text),
            false => OutputSettings::resolve(&args.output, env),
        };
        Ok(Self { connection, output, lists, long: args.long })
    }
}
