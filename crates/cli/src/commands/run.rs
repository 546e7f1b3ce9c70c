//! `overt run`: every layer around one upstream, served to clients.
use std::sync::Arc;

use overt_gateway::pins::{Finding, Identity, PinGuard, PinStore};
use overt_gateway::{Gateway, Options};

use super::disclosure;
use super::late_ledger::LateLedger;
use super::serving::{ServeConfig, run_server, serve_status};
use crate::context::CommandContext;
use crate::error::{CommandError, Exit};
use crate::output::Printer;
use crate::settings::{Pins, RunSettings};

pub(crate) fn run(settings: RunSettings, context: &CommandContext) -> Result<Exit, CommandError> {
    let log = settings.telemetry.log.clone();
    run_server(&log, context, async |printer| Box::pin(serve(settings, &printer)).await)
}

async fn serve(settings: RunSettings, printer: &Arc<Printer>) -> Result<Exit, CommandError> {
    let served = ServeConfig {
        control: &settings.control,
        clients: settings.clients,
        limits: settings.limits,
        telemetry: &settings.telemetry,
        read_ahead: Vec::new(),
    };
    let mut stop = std::pin::pin!(served.stop()?);
    let mut telemetry = served.telemetry()?;
    let pins = guard(&settings.pins, &settings.server, printer);
    let disclosure = match &settings.manifest {
        None => None,
        Some(file) => {
            let surveying =
                Box::pin(disclosure::survey_server(file, &settings.target, &settings.gateway, printer));
            tokio::select! {
                disclosure = surveying => Some(disclosure?),
                () = stop.as_mut() => return Ok(Exit::Interrupted),
            }
        }
    };
    let ledger = Arc::new(LateLedger::default());
    let options =
        Options { pins: pins.clone(), ledger: Arc::<LateLedger>::clone(&ledger), ..settings.gateway };
    let options = disclosure::declared(options, disclosure.as_ref());
    let (all, each) = settings.control.strictest_rates();
    let disclosure = disclosure.map(|disclosure| disclosure.behind_overt(all, each));
    let gateway = Gateway::new(settings.target, options);
    serve_status(&mut telemetry, Arc::new(gateway.clone()), printer).await?;
    let controlled = served.controlled()?;
    ledger.open(Arc::clone(&controlled.ledger));
    let control = controlled.control.clone();
    let control = match pins {
        Some(pins) => control.veto(pins),
        None => control,
    };
    let handler = overt_disclosure::build_with(gateway.clone(), control, disclosure);
    let handler = overt_layers::observed(handler, telemetry.observers());
    let exit = served.serve(handler, &controlled, stop, printer).await;
    gateway.close().await;
    controlled.close();
    telemetry.finish().await;
    exit
}

/// Returns the guard that checks the upstream's tools and tells the person what it finds.
fn guard(pins: &Pins, server: &Identity, printer: &Arc<Printer>) -> Option<PinGuard> {
    let Pins::On(mode, state) = pins else { return None };
    let printer = Arc::clone(printer);
    let report = move |finding: &Finding| match finding.is_harmless() {
        true => printer.note(&finding.to_string()),
        false => printer.warn(&finding.to_string()),
    };
    let store = PinStore::new(state.path());
    Some(PinGuard::new(*mode, store, server.clone(), Arc::new(report)))
}
