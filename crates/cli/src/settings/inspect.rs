//! What `overt inspect` was told.
use super::{Connection, Env, UiSettings};
use crate::args::InspectArgs;
use crate::failure::Failure;

#[derive(Debug)]
pub(crate) struct InspectSettings {
    pub(crate) ui: UiSettings,
    pub(crate) connection: Connection,
}

impl InspectSettings {
    pub(crate) fn resolve(args: &InspectArgs, env: &Env) -> Result<Self, Failure> {
        let connection = Connection::resolve(&args.target, args.url.as_deref(), env)?;
        Ok(Self { ui: UiSettings::resolve(args.open, args.listen, &args.answer, env)?, connection })
    }
}
