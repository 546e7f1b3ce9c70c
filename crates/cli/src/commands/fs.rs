//! `overt fs`: the file server with every layer around it.
use std::path::Path;
use std::sync::Arc;

use overt_disclosure::Disclosure;
use overt_layers::Endpoint as _;
use overt_servers::files::{FileServer, OpenError, Options, Sandbox};
use overt_toolbox::DeclarationError;

use super::enclose::enclose;
use super::serving::{Front, run_server, serve_status};
use super::session::SetupError;
use crate::failure::{Complaint, Exit, Failure};
use crate::output::{Printer, connect_text};
use crate::settings::{Clients, Env, FsSettings, SandboxPlan};
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

pub(crate) fn fs(mut settings: FsSettings, env: &Env) -> Result<Exit, Failure> {
    // Memory comes in pages as it is used, and not in pieces of 2 MiB: a server waits most of the time, and there may be many of
    // them. Where the system can't do that, it is larger. Programs that are started by ours would inherit it; there are none here.
    let _ = rustix::thread::disable_transparent_huge_pages(true);
    if !matches!(settings.sandbox, SandboxPlan::Off) {
        let prepared = settings.control.sources.prepare_for_sandbox();
        prepared.map_err(|source| SetupError { what: "a thread", source })?;
    }
    // Before any other thread begins: threads that are there already are not held.
    let sandbox = enclose(&settings.sandbox)?;
    let log = settings.telemetry.log.clone();
    run_server(&log, env, async |printer| {
        if env.stdin_is_terminal && matches!(settings.clients, Clients::Stdio(_)) {
            printer.note(&introduction(&settings, &sandbox));
        }
        Box::pin(serve(settings, sandbox, &printer)).await
    })
}

/// For somebody who started it at a terminal, where nothing would seem to happen.
fn introduction(settings: &FsSettings, sandbox: &Sandbox) -> String {
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let roots: Vec<String> = settings.options.roots.iter().map(|root| text(root)).collect();
    let may = if settings.is_read_only { "read only" } else { "read and change" };
    let mut what: Vec<String> = roots.iter().map(|root| format!("{root} ({may})")).collect();
    what.push(sandbox.to_string());
    let flags = settings.is_read_only.then(|| "--read-only".to_owned());
    let words = [text(&Env::program()), "fs".to_owned()].into_iter().chain(roots).chain(flags);
    let here = "to try it from the shell: `overt call fs list_directory`, `overt list fs`";
    format!("{}\n{here}", connect_text("files", &what, &words.collect::<Vec<_>>()))
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
    let controlled = front.controlled()?;
    let endpoint = server.endpoint()?;
    // A test of the file server checks what it declares for each way to start it.
    let disclosure = endpoint.description().declared.as_deref().and_then(Disclosure::of_checked);
    let handler = overt_disclosure::build_with(endpoint, controlled.control.clone(), disclosure);
    let handler = overt_layers::observed(handler, telemetry.observers());
    let exit = front.serve(handler, &controlled, stop, printer).await;
    controlled.close();
    telemetry.finish().await;
    exit
}
