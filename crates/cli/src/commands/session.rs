//! A conversation with a server, from connect to close, including interruptions.
use std::sync::Arc;

use overt_transport::client::{Client, ClientOptions, Server};

use super::in_process_proxy::InProcessProxy;
use super::refusal::with_stderr;
use super::signals::Signals;
use crate::context::CommandContext;
use crate::error::{CommandError, Exit, outside_error};
use crate::listener::{CommandListener, QuestionTerminal, StderrTail};
use crate::output::{Printer, one_line, start_log};
use crate::settings::{Connection, LogSettings};

/// Returns the error for what could not be set up: the runtime, a thread, the signal handlers.
pub(super) fn setup_failed(what: &'static str) -> impl Fn(std::io::Error) -> CommandError + Copy {
    move |source| outside_error(format!("failed to set up {what}")).caused_by(source)
}

/// Connects, lets `work` talk to the server, and closes in every case. An interruption drops the
/// work, which cancels its request.
pub(super) fn with_server(
    connection: &Connection,
    context: &CommandContext,
    work: impl AsyncFnOnce(&Client, &Printer) -> Result<Exit, CommandError>,
) -> Result<Exit, CommandError> {
    with_server_behind(None, connection, context, work)
}

/// Does what [`with_server`] does, with our own layers in between, which decide what may be done.
pub(super) fn with_server_behind(
    layers: Option<&InProcessProxy<'_>>,
    connection: &Connection,
    context: &CommandContext,
    work: impl AsyncFnOnce(&Client, &Printer) -> Result<Exit, CommandError>,
) -> Result<Exit, CommandError> {
    let printer = &context.printer;
    start_log(printer, &LogSettings::of_verbosity(context.output.verbosity, &context.env));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(setup_failed("the runtime"))?;
    let result = runtime.block_on(converse(layers, connection, context, work));
    printer.progress_stop();
    result
}

async fn converse(
    layers: Option<&InProcessProxy<'_>>,
    connection: &Connection,
    context: &CommandContext,
    work: impl AsyncFnOnce(&Client, &Printer) -> Result<Exit, CommandError>,
) -> Result<Exit, CommandError> {
    let CommandContext { env, output, printer, .. } = context;
    let mut signals = Signals::new().map_err(setup_failed("the signal handlers"))?;
    let terminal = env.can_ask().then(|| Arc::new(QuestionTerminal::new(Arc::clone(printer))));
    let listener = Arc::new(CommandListener {
        printer: Arc::clone(printer),
        verbosity: output.verbosity,
        label: connection.label.clone(),
        terminal: terminal.clone(),
        roots: connection.roots.clone(),
        stderr_tail: StderrTail::default(),
    });
    let options = ClientOptions {
        capabilities: listener.capabilities(),
        limits: connection.limits.clone(),
        protocol: connection.protocol,
        ..ClientOptions::new("overt", env!("CARGO_PKG_VERSION"))
    };
    let terminal = terminal.as_deref();

    printer.progress_start("connecting");
    let connect = Box::pin(async {
        match layers {
            None => {
                let client =
                    Client::connect(&connection.target, options, Arc::<CommandListener>::clone(&listener))
                        .await?;
                Ok((client, None))
            }
            Some(layers) => {
                let (client, gateway) = layers
                    .connect(connection, options, Arc::<CommandListener>::clone(&listener), printer)
                    .await?;
                Ok((client, Some(gateway)))
            }
        }
    });
    let (client, gateway) = tokio::select! {
        connected = connect => connected.map_err(|error: CommandError| with_stderr(error, &listener.stderr_tail))?,
        () = interruption(&mut signals, terminal) => return interrupted(printer),
    };
    printer.detail(&format!("connected: {}", describe(client.server())));
    let result = tokio::select! {
        result = Box::pin(work(&client, printer)) => result,
        () = interruption(&mut signals, terminal) => interrupted(printer),
    };
    printer.progress_stop();
    let result = result.map_err(|failure| with_stderr(failure, &listener.stderr_tail));
    let close = async {
        client.close().await;
        if let Some(gateway) = &gateway {
            gateway.close().await;
        }
    };
    tokio::select! {
        () = close => {}
        // A second Ctrl-C doesn't wait for a polite end; dropping the client kills the child
        // process.
        () = signals.interrupted() => {}
    }
    result
}

/// Completes when the person or another program ends the command. An open question stays
/// unanswered.
async fn interruption(signals: &mut Signals, terminal: Option<&QuestionTerminal>) {
    signals.interrupted().await;
    terminal.inspect(|terminal| terminal.leave());
}

fn interrupted(printer: &Printer) -> Result<Exit, CommandError> {
    printer.progress_stop();
    printer.note("interrupted");
    Ok(Exit::Interrupted)
}

/// Describes the server as it describes itself.
fn describe(server: &Server) -> String {
    let info = |member: &str| {
        let text = server.info.as_ref().and_then(|info| info.as_json().get(member).string());
        text.map(|text| one_line(&text)).unwrap_or_default()
    };
    format!("{} {}, protocol {}", info("name"), info("version"), server.version)
}
