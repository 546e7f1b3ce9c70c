//! Runs the task that the settings name.
use super::{check, compare, files, server};
use crate::commands::describe;
use crate::commands::session::with_server;
use crate::failure::{Exit, Failure};
use crate::output::Printer;
use crate::settings::{CardSettings, CardTask, Cards, Env};

pub(crate) fn card(settings: &CardSettings, env: &Env) -> Result<Exit, Failure> {
    let printer = Printer::new(settings.output.verbosity, env);
    match &settings.task {
        CardTask::Check(Cards::In(paths), demand) => {
            let texts = files::all(paths)?;
            check::check(&texts, *demand, settings.output.format, &printer)
        }
        CardTask::Check(Cards::Of(connection), demand) => {
            with_server(connection, settings.output, env, async |client, printer| {
                let texts = server::all(client, printer).await?;
                printer.progress_stop();
                check::check(&texts, *demand, settings.output.format, printer)
            })
        }
        CardTask::Build(settings) => describe(settings, env),
        CardTask::Diff { old, new } => compare::compare(old, new, settings.output.format, &printer),
    }
}
