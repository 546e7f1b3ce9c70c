//! `overt policy show`: all rules, trust and grants that are in force.
use overt_layers::grants::GrantStore;
use overt_state::grants::SqliteStore;

use super::super::grants::DecisionContext;
use crate::args::{Format, ShowPolicyArgs};
use crate::context::CommandContext;
use crate::error::{CommandError, Exit};
use crate::output::{InForce, in_force_json, in_force_text};
use crate::settings::files_in_force;

pub(super) fn show(args: &ShowPolicyArgs, command: &CommandContext) -> Result<Exit, CommandError> {
    let state = command.state()?;
    let context = DecisionContext::new(command, &state, None);
    let files = files_in_force(args.config.as_deref(), &command.env)?;
    let store = context.store()?;
    let trusted = store.as_ref().map_or_else(|| Ok(Vec::new()), SqliteStore::trusted)?;
    let grants = store.as_ref().map_or_else(|| Ok(Vec::new()), GrantStore::grants)?;
    let in_force = InForce { files: &files, trusted: &trusted, grants: &grants };
    match context.format() {
        Format::Json => context.printer().json(in_force_json(&in_force).as_json())?,
        Format::Text => {
            context.printer().text(&in_force_text(&in_force, context.printer().width()))?;
            context.printer().note(match in_force.is_empty() {
                true => NOTHING,
                false => REST,
            });
        }
    }
    Ok(Exit::Ok)
}

const NOTHING: &str = "you have no rules, and allowed and refused nothing yet; a server's first call asks how far you \
                       trust it";
const REST: &str = "what is not decided here depends on how far you trust the server, and for `overt fs` on its folders; \
                    `overt policy explain` says what is decided about a call";
