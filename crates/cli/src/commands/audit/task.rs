//! Runs the subcommand that was typed.
use overt_state::audit::PublicKey;

use super::unreadable::unreadable;
use super::{find, verify};
use crate::args::{AuditArgs, AuditCommand};
use crate::failure::{Exit, Failure};
use crate::output::Printer;
use crate::settings::{Env, StateDir, Verbosity};

pub(crate) fn audit(args: &AuditArgs, env: &Env) -> Result<Exit, Failure> {
    match &args.command {
        AuditCommand::Verify(args) => verify::verify(args, env),
        AuditCommand::Query(args) => find::query(args, env),
        AuditCommand::Export(args) => find::export(args, env),
        AuditCommand::Key(_) => {
            let key = PublicKey::of_folder(StateDir::resolve(env)?.path()).map_err(unreadable)?;
            Printer::new(Verbosity::Normal, env).text(&format!("{key}\n"))?;
            Ok(Exit::Ok)
        }
    }
}
