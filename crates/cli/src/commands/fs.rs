//! `overt fs`: the file server with every layer around it.
use std::path::Path;
use std::sync::Arc;

use overt_servers::files::{FileServer, OpenError, Options, Sandbox, WorkerStarter};

use super::own_server::{enter_sandbox, for_a_person, serve_own};
use super::serving::{ServeConfig, run_server};
use super::session::setup_failed;
use crate::context::CommandContext;
use crate::error::{CommandError, Diagnostic, Exit};
use crate::granted::Spawner;
use crate::output::{Printer, connect_text};
use crate::settings::{Env, FsSettings};

impl Diagnostic for OpenError {
    fn hint(&self) -> Option<String> {
        overt_operator::Explain::hint(self)
    }
}

pub(crate) fn fs(mut settings: FsSettings, context: &CommandContext) -> Result<Exit, CommandError> {
    // Before the walls go up, which would also be around what is started behind them.
    let spawner = settings.spawner.as_ref().map(Spawner::start).transpose();
    let spawner = spawner.map_err(setup_failed("what starts workers (`--no-grants` does without it)"))?;
    settings.options.workers = spawner.map(|spawner| Arc::new(spawner) as Arc<dyn WorkerStarter>);
    let sandbox = enter_sandbox(&settings.sandbox, &mut settings.control)?;
    let log = settings.telemetry.log.clone();
    run_server(&log, context, async |printer| {
        let shown = for_a_person(&settings.clients, &context.env, || introduction(&settings, &sandbox));
        Box::pin(serve(settings, sandbox, shown, &printer)).await
    })
}

/// Returns the text that tells a person how to connect a client to the server.
fn introduction(settings: &FsSettings, sandbox: &Sandbox) -> String {
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let roots: Vec<String> = settings.options.roots.iter().map(|root| text(root)).collect();
    let may = if settings.is_read_only { "read only" } else { "read and change" };
    let mut what: Vec<String> = roots.iter().map(|root| format!("{root} ({may})")).collect();
    what.push(sandbox.to_string());
    // The setting may come from the environment, which the client would not have.
    let read_only = settings.is_read_only.then(|| "--read-only".to_owned());
    let read_only = read_only.filter(|flag| !settings.flags.contains(flag));
    let flags = settings.flags.iter().cloned().chain(read_only);
    let words = [text(&Env::program()), "fs".to_owned()].into_iter().chain(roots).chain(flags);
    let here = "to try it from the shell: `overt call fs list_directory`, `overt list fs`";
    format!("{}\n{here}", connect_text("files", &what, &words.collect::<Vec<_>>()))
}

async fn serve(
    settings: FsSettings,
    sandbox: Sandbox,
    introduction: Option<String>,
    printer: &Printer,
) -> Result<Exit, CommandError> {
    for place in &settings.hidden {
        printer.warn(&format!("`{place}` holds no files and is left out; `--allow-special` serves it"));
    }
    let served = ServeConfig {
        control: &settings.control,
        clients: settings.clients,
        limits: settings.limits,
        telemetry: &settings.telemetry,
        read_ahead: settings.read_ahead,
    };
    let open = || {
        introduction.iter().for_each(|text| printer.block(text));
        let server = FileServer::open(&Options { sandbox: sandbox.clone(), ..settings.options })?;
        Ok(server.endpoint()?)
    };
    serve_own(served, &sandbox, printer, open, |handler| handler).await
}
