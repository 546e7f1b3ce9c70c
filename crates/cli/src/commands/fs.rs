//! `overt fs`: the file server with every layer around it.
use std::sync::Arc;

use overt_layers::toolbox::DeclarationError;
use overt_servers::files::sandbox::{self, SandboxError};
use overt_servers::files::{FileServer, OpenError, Options, Sandbox};

use super::serving::{Front, run_server, serve_status};
use crate::failure::{Complaint, Exit, Failure};
use crate::output::Printer;
use crate::settings::{Env, FsSettings, SandboxPlan};
use crate::telemetry::Always;

impl Complaint for OpenError {
    fn hint(&self) -> Option<String> {
        Some("name directories that you can open; `overt fs --help` has examples".to_owned())
    }
}

impl Complaint for DeclarationError {
    fn exit(&self) -> Exit {
        Exit::Outside
    }
}

impl Complaint for SandboxError {
    fn exit(&self) -> Exit {
        Exit::Outside
    }

    fn hint(&self) -> Option<String> {
        Some("`--sandbox off` does without it".to_owned())
    }
}

/// The kernel does not keep the program to its roots, and it must.
#[derive(Debug, thiserror::Error)]
#[error("`--require-sandbox`: {0}")]
struct NoSandbox(Sandbox);

impl Complaint for NoSandbox {
    fn exit(&self) -> Exit {
        Exit::Outside
    }

    fn hint(&self) -> Option<String> {
        Some(
            "use Linux 6.2 or newer with Landlock switched on, or start without `--require-sandbox`"
                .to_owned(),
        )
    }
}

pub(crate) fn fs(settings: FsSettings, env: &Env) -> Result<Exit, Failure> {
    // Before any thread begins: threads that are there already are not held.
    let sandbox = enclose(&settings.sandbox)?;
    let log = settings.telemetry.log.clone();
    run_server(&log, env, async |printer| serve(settings, sandbox, &printer).await)
}

fn enclose(plan: &SandboxPlan) -> Result<Sandbox, Failure> {
    match plan {
        SandboxPlan::Off => Ok(Sandbox::Off),
        SandboxPlan::Try(walls) => Ok(sandbox::enter(walls)?),
        SandboxPlan::Require(walls) => match sandbox::enter(walls)? {
            held if held.holds() => Ok(held),
            other => Err(NoSandbox(other).into()),
        },
    }
}

async fn serve(settings: FsSettings, sandbox: Sandbox, printer: &Printer) -> Result<Exit, Failure> {
    if !sandbox.holds() && sandbox != Sandbox::Off {
        printer.warn(&sandbox.to_string());
    }
    for place in &settings.hidden {
        printer.warn(&format!("`{place}` holds no files and is left out; `--allow-special` serves it"));
    }
    let front = Front {
        control: &settings.control,
        clients: settings.clients,
        limits: settings.limits,
        telemetry: &settings.telemetry,
    };
    let stop = front.stop()?;
    let mut telemetry = front.telemetry()?;
    let server = FileServer::open(&Options { sandbox, ..settings.options })?;
    serve_status(&mut telemetry, Arc::new(Always), printer).await?;
    let controlled = front.controlled(printer)?;
    let handler = overt_layers::build(server.endpoint()?, controlled.control.clone());
    let handler = overt_layers::observed(handler, telemetry.observers());
    let exit = front.serve(handler, &controlled, stop, printer).await;
    controlled.close();
    telemetry.finish().await;
    exit
}
