//! The roots that a client names before it is served (H-15). With `--allow-client-config`, the
//! client that started the server over standard input and output chooses its roots, within `roots`
//! of the operator's policy. So the first message is read before the walls go up. Later
//! configurations can only narrow: the walls stand.
use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::AsFd as _;

use overt_layers::configure::client_configuration;
use overt_settings::Regions;
use overt_settings::region::Case;
use overt_wire::era::{Caller, Era};
use overt_wire::json::Limits;
use overt_wire::{Message, Method};
use serde_json::Value;

use super::super::control::ROOTS;
use super::super::{Clients, Env};
use super::resolve::FsSettings;
use crate::args::FsArgs;
use crate::error::CommandError;

/// The longest first message that is read for its configuration. A longer one is served without.
const LONGEST: usize = 1 << 20;

impl FsSettings {
    /// Resolves the settings, with the client's own roots where it may name them.
    pub(crate) fn resolve_with_client(args: &FsArgs, env: &Env) -> Result<Self, CommandError> {
        let settings = Self::resolve(args, env)?;
        let Some(ceiling) = settings.ceiling_of_clients(args) else { return Ok(settings) };
        // An error ends the input, which the server then sees itself.
        let read_ahead = first_line().unwrap_or_default();
        let wanted = configured_roots(&read_ahead).filter(|roots| are_within(roots, &ceiling));
        let chosen = wanted.and_then(|roots| {
            let settings = Self::resolve(args, &env.with("OVERT_ROOTS", roots.to_string())).ok()?;
            // A link may lead out.
            settings.options.roots.iter().all(|root| is_within(root.to_str(), &ceiling)).then_some(settings)
        });
        // What is not chosen here is refused where every other configuration is.
        Ok(Self { read_ahead, ..chosen.unwrap_or(settings) })
    }

    /// Returns the operator's policies about roots, if a client may choose its roots. Roots on the
    /// command line are fixed.
    fn ceiling_of_clients(&self, args: &FsArgs) -> Option<Vec<Regions>> {
        let control = &self.control.settings;
        let may_choose = control.allow_client_config
            && matches!(self.clients, Clients::Stdio(_))
            && args.control.flags.words(ROOTS).is_none();
        let policies = control.ceiling.domain.get(ROOTS).filter(|_| may_choose)?;
        policies.iter().map(|policy| Regions::parse(policy).ok()).collect()
    }
}

/// Reads the first line, and whatever comes with it.
fn first_line() -> io::Result<Vec<u8>> {
    // A handle without a buffer, in which something could stay behind.
    let mut input = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let mut bytes = Vec::new();
    let mut chunk = [0; 4096];
    while !bytes.contains(&b'\n') && bytes.len() < LONGEST {
        match input.read(&mut chunk)? {
            0 => break,
            count => bytes.extend(&chunk[..count]),
        }
    }
    Ok(bytes)
}

/// Returns the roots in the configuration of the first message.
fn configured_roots(bytes: &[u8]) -> Option<Value> {
    let line = bytes.split(|byte| *byte == b'\n').next()?;
    let message = Message::parse(line.to_vec(), &Limits::default()).ok()?;
    let caller = match (message.method(), Caller::era_of(&message)) {
        (Some(Method::Initialize), _) => Caller::of_initialize(&message).ok()?,
        (_, Era::Modern) => Caller::of_modern(&message).ok()?,
        _ => return None,
    };
    let roots = client_configuration(&caller)?.get(ROOTS).value()?.to_value().ok()?;
    roots.as_array().is_some_and(|roots| !roots.is_empty()).then_some(roots)
}

fn are_within(roots: &Value, ceiling: &[Regions]) -> bool {
    let path = |root: &Value| is_within(root.as_str().or_else(|| root.get("path")?.as_str()), ceiling);
    roots.as_array().into_iter().flatten().all(path)
}

fn is_within(path: Option<&str>, ceiling: &[Regions]) -> bool {
    path.is_some_and(|path| {
        path.starts_with('/') && ceiling.iter().all(|regions| regions.visible_in(path, Case::Exact))
    })
}
