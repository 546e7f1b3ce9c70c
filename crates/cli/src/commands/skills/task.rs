//! Runs the skills server with every layer around it.
use std::sync::Arc;

use overt_servers::files::Sandbox;
use overt_servers::skills::{SkillServer, SkillsError};
use overt_wire::Handler;

use super::pages::WellKnown;
use crate::commands::own_server::{enter_sandbox, for_a_person, serve_own};
use crate::commands::serving::{ServeConfig, run_server};
use crate::context::CommandContext;
use crate::error::{CommandError, Diagnostic, ErrorKind, Exit};
use crate::output::{Printer, connect_text};
use crate::settings::{Env, SkillsSettings};

impl Diagnostic for SkillsError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Open(_) => ErrorKind::User,
            Self::Contract(_) => ErrorKind::Findings,
        }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Open(_) => "name directories that you can open".to_owned(),
            Self::Contract(_) => {
                "`overt skill check --profile seed-001` shows each problem with its line".to_owned()
            }
        })
    }
}

/// How many findings are printed at startup. The others are only counted.
const MOST_SHOWN: usize = 20;

pub(crate) fn skills(mut settings: SkillsSettings, context: &CommandContext) -> Result<Exit, CommandError> {
    let sandbox = enter_sandbox(&settings.sandbox, &mut settings.control)?;
    let log = settings.telemetry.log.clone();
    run_server(&log, context, async |printer| {
        let shown = for_a_person(&settings.clients, &context.env, || introduction(&settings, &sandbox));
        Box::pin(serve(settings, sandbox, shown, &printer)).await
    })
}

/// Returns the text that tells a person how to connect a client to the server.
fn introduction(settings: &SkillsSettings, sandbox: &Sandbox) -> String {
    let roots: Vec<String> =
        settings.options.roots.iter().map(|root| root.path.to_string_lossy().into_owned()).collect();
    let mut what: Vec<String> = roots.iter().map(|root| format!("{root} (read only)")).collect();
    what.push(sandbox.to_string());
    let program = Env::program().to_string_lossy().into_owned();
    let flags = settings.flags.iter().cloned();
    let words = [program, "skills".to_owned()].into_iter().chain(roots).chain(flags);
    connect_text("skills", &what, &words.collect::<Vec<_>>())
}

async fn serve(
    settings: SkillsSettings,
    sandbox: Sandbox,
    introduction: Option<String>,
    printer: &Printer,
) -> Result<Exit, CommandError> {
    let served = ServeConfig {
        control: &settings.control,
        clients: settings.clients,
        limits: settings.limits,
        telemetry: &settings.telemetry,
        read_ahead: Vec::new(),
    };
    let mut options = settings.options;
    options.sandbox = sandbox.clone();
    let open = || {
        introduction.iter().for_each(|text| printer.block(text));
        let server = SkillServer::open(options)?;
        tell(&server, printer);
        let endpoint = server.endpoint()?;
        server.watch(&endpoint);
        Ok(endpoint)
    };
    let publish = |handler| -> Arc<dyn Handler> {
        match settings.well_known {
            true => Arc::new(WellKnown::new(handler)),
            false => handler,
        }
    };
    serve_own(served, &sandbox, printer, open, publish).await
}

/// Prints how many skills are served, and what is wrong with the others.
fn tell(server: &SkillServer, printer: &Printer) {
    let overview = server.overview();
    for finding in overview.findings.iter().take(MOST_SHOWN) {
        printer.warn(&finding.to_string());
    }
    let more = overview.findings.len().saturating_sub(MOST_SHOWN);
    if more > 0 {
        printer.warn(&format!("{more} more findings; `overt skill check` shows all"));
    }
    let word = if overview.skills == 1 { "skill" } else { "skills" };
    printer.note(&format!("serving {} {word}", overview.skills));
}

#[cfg(test)]
mod tests {
    use overt_disclosure::Disclosure;
    use overt_layers::Endpoint as _;
    use overt_servers::skills::{Options, Root};

    use super::*;

    #[test]
    fn what_the_server_declares_is_right_for_each_way_to_start_it() {
        let folder = tempfile::tempdir().unwrap();
        let skill = folder.path().join("pdf");
        std::fs::create_dir(&skill).unwrap();
        let text = "---\nname: pdf\ndescription: Reads PDF files. Use when asked for text.\n---\n\n# PDF\n";
        std::fs::write(skill.join("SKILL.md"), text).unwrap();
        for (tools, prompts) in [(false, false), (true, false), (false, true), (true, true)] {
            let root = Root { path: folder.path().to_owned(), shown: "skills".to_owned() };
            let options = Options { roots: vec![root], tools, prompts, ..Options::default() };
            let endpoint = SkillServer::open(options).unwrap().endpoint().unwrap();
            let declared = endpoint.description().declared.as_deref().unwrap();
            let disclosure = Disclosure::of(declared).map(|disclosure| disclosure.is_some());
            let disclosure = disclosure.map_err(|error| error.to_string());
            assert_eq!(disclosure, Ok(true), "{tools} {prompts}");
        }
    }
}
