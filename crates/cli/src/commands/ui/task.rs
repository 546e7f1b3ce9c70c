//! Starts the page and serves it until the program is told to end.
use std::sync::Arc;

use overt_layers::seal::random_name;
use overt_transport::http::SiteServer;
use overt_transport::signal::{HangUp, stop_requested_where};

use super::inbox_thread::InboxThread;
use super::inspect::Inspection;
use super::page;
use super::routes::Routes;
use crate::args::{InspectArgs, UiArgs};
use crate::commands::session::setup_failed;
use crate::context::CommandContext;
use crate::error::{CommandError, Exit};
use crate::output::{Opener, Printer};
use crate::settings::{Connection, UiSettings};

pub(crate) fn ui(args: &UiArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    open(UiSettings::resolve(&args.page, &context.env)?, None, context)
}

pub(crate) fn inspect(args: &InspectArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let connection = Connection::resolve(&args.target, args.url.as_deref(), &context.env)?;
    let settings = UiSettings::resolve(&args.page, &context.env)?;
    open(settings, Some(Arc::new(Inspection::new(connection))), context)
}

fn open(
    settings: UiSettings,
    inspection: Option<Arc<Inspection>>,
    context: &CommandContext,
) -> Result<Exit, CommandError> {
    let settings = Arc::new(settings);
    // Open the inbox before serving anything, because it may ask for a passphrase.
    let inbox = InboxThread::start(&settings, context)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(setup_failed("the runtime"))?;
    let served = runtime.block_on(serve(&settings, inbox, inspection, &context.printer));
    // Don't wait for reads whose page has disconnected.
    runtime.shutdown_background();
    served
}

async fn serve(
    settings: &Arc<UiSettings>,
    inbox: InboxThread,
    inspection: Option<Arc<Inspection>>,
    printer: &Printer,
) -> Result<Exit, CommandError> {
    let server = SiteServer::bind(settings.listen).await?;
    let stop = stop_requested_where(HangUp::Stops).map_err(setup_failed("the signal handlers"))?;
    let token = random_name();
    // The token comes after `#`, so that no request and no log ever contains it.
    let address = format!("http://{}/#token={token}", server.address());
    if let Some(why) = inbox.read_only() {
        printer.warn(&format!("nothing can be answered on this page: {why}"));
    }
    printer.text(&format!("{address}\n"))?;
    let opener = Opener { program: settings.browser.clone() };
    match settings.browser.is_some() && opener.open(&address) {
        true => printer.note("the page is open in your browser; Ctrl-C ends it"),
        false => printer.note("open this address in a browser of this machine; Ctrl-C ends it"),
    }
    if let Some(inspection) = inspection.clone() {
        tokio::spawn(async move { inspection.connect(None).await });
    }
    let sandbox_url = server.sandbox_url();
    let routes = Arc::new(Routes::new(Arc::clone(settings), inbox, inspection.clone(), sandbox_url));
    server.serve(&token, routes, page::SANDBOX, stop).await;
    if let Some(inspection) = inspection {
        inspection.close().await;
    }
    Ok(Exit::Ok)
}
