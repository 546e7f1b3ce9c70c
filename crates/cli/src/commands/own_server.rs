//! What `overt fs` and `overt skills` share: the sandbox around the server, and the layers in front
//! of its endpoint.
use std::sync::Arc;

use overt_disclosure::Disclosure;
use overt_layers::Endpoint;
use overt_servers::files::Sandbox;
use overt_toolbox::{DeclarationError, ToolboxEndpoint};
use overt_wire::Handler;

use super::enclose::enclose;
use super::serving::{ServeConfig, serve_status};
use super::session::setup_failed;
use crate::error::{CommandError, Diagnostic, ErrorKind, Exit};
use crate::output::Printer;
use crate::settings::{Clients, ControlPlan, Env, SandboxPlan};
use crate::telemetry::AlwaysReady;

impl Diagnostic for DeclarationError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Outside
    }
}

/// Has the kernel confine the program to what it serves. Call this before starting any other
/// thread: the sandbox does not confine threads that already run.
pub(super) fn enter_sandbox(plan: &SandboxPlan, control: &mut ControlPlan) -> Result<Sandbox, CommandError> {
    // A server waits most of the time, and there may be many of them, so it should get memory in
    // pages as it uses them, and not in pieces of 2 MiB. Where the system does not support this,
    // the server only uses more memory. Child processes would inherit the setting, but this server
    // starts none.
    let _ = rustix::thread::disable_transparent_huge_pages(true);
    if !matches!(plan, SandboxPlan::Off) {
        let prepared = control.sources.prepare_for_sandbox();
        prepared.map_err(setup_failed("a thread"))?;
    }
    enclose(plan)
}

/// Returns the text that says that the server waits for a client, if a person started it at a
/// terminal. Without the text, nothing would seem to happen.
pub(super) fn for_a_person(clients: &Clients, env: &Env, text: impl FnOnce() -> String) -> Option<String> {
    (env.stdin_is_terminal && matches!(clients, Clients::Stdio(_))).then(text)
}

/// Serves one of our endpoints until its clients have left or the program is told to end. `open`
/// makes the endpoint, after the signal handlers are set up; `publish` adds what is served beside
/// it.
pub(super) async fn serve_own(
    served: ServeConfig<'_>,
    sandbox: &Sandbox,
    printer: &Printer,
    open: impl FnOnce() -> Result<Arc<ToolboxEndpoint>, CommandError>,
    publish: impl FnOnce(Arc<dyn Handler>) -> Arc<dyn Handler>,
) -> Result<Exit, CommandError> {
    if !sandbox.holds() && *sandbox != Sandbox::Off {
        printer.warn(&sandbox.to_string());
    }
    let stop = served.stop()?;
    let mut telemetry = served.telemetry()?;
    // With its own type, its calls would be compiled here, for size.
    let endpoint: Arc<dyn Endpoint> = open()?;
    serve_status(&mut telemetry, Arc::new(AlwaysReady), printer).await?;
    let controlled = served.controlled()?;
    // Tests of both servers check their declarations for every way to start them.
    let disclosure = endpoint.description().declared.as_deref().and_then(Disclosure::of_checked);
    let handler = publish(overt_disclosure::build_with(endpoint, controlled.control.clone(), disclosure));
    let handler = overt_layers::observed(handler, telemetry.observers());
    let exit = served.serve(handler, &controlled, stop, printer).await;
    controlled.close();
    telemetry.finish().await;
    exit
}
