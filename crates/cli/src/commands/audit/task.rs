//! Runs the subcommand that was typed.
use overt_state::audit::PublicKey;

use super::unreadable::unreadable;
use super::{find, verify};
use crate::args::{AuditArgs, AuditCommand};
use crate::context::CommandContext;
use crate::error::{CommandError, Exit};

pub(crate) fn audit(args: &AuditArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    match &args.command {
        AuditCommand::Verify(args) => verify::verify(args, context),
        AuditCommand::Query(args) => find::query(args, context),
        AuditCommand::Export(args) => find::export(args, context),
        AuditCommand::Key(_) => {
            let key = PublicKey::of_folder(context.state()?.path()).map_err(unreadable)?;
            context.printer.text(&format!("{key}\n"))?;
            Ok(Exit::Ok)
        }
    }
}
