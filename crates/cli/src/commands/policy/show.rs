//! `overt policy show`: all rules, trust and grants that are in force.
use overt_state::grants::SqliteStore;

use super::super::grants::DecisionContext;
use crate::args::ShowPolicyArgs;
use crate::context::CommandContext;
use crate::error::{CommandError, Exit};
use crate::output::{InForce, InForceReport};
use crate::settings::files_in_force;

pub(super) fn show(args: &ShowPolicyArgs, command: &CommandContext) -> Result<Exit, CommandError> {
    let state = command.state()?;
    let context = DecisionContext::new(command, &state, None);
    let files = files_in_force(args.config.as_deref(), &command.env)?;
    let store = context.store()?;
    let trusted = store.as_ref().map_or_else(|| Ok(Vec::new()), SqliteStore::trusted)?;
    let grants = store.as_ref().map_or_else(|| Ok(Vec::new()), SqliteStore::grants)?;
    let in_force = InForce { files: &files, trusted: &trusted, grants: &grants };
    command.report(&InForceReport::new(&in_force))?;
    Ok(Exit::Ok)
}
