//! Checks each server of a file: whether it is wrapped, whether it starts, and what to do.
use std::path::Path;
use std::time::{Duration, Instant};

use overt_clients::ChildEnvironment;
use overt_clients::files::{Document, Entry, Launch, Program, Wrapper, launch, wrap};
use overt_transport::client::Client;

use crate::args::Start;
use crate::commands::login::login_of;
use crate::commands::session::with_server;
use crate::context::CommandContext;
use crate::error::{CommandError, Exit};
use crate::output::{Health, Line, Printer, Section, failure_line};
use crate::settings::{Connection, DoctorSettings, Env, FoundFile, connection_of};

pub(super) fn check(file: &FoundFile, settings: &DoctorSettings, context: &CommandContext) -> Section {
    let mut section = Section::new(&file.client_names(), Some(&file.path));
    let document = match file.document() {
        Ok(document) => document,
        Err(problem) => {
            section.lines.push(Line::new("file", Health::Note, format!("not checked: {problem}")));
            return section;
        }
    };
    if document.entries().is_empty() {
        section.lines.push(Line::new("file", Health::Ok, "has no servers".to_owned()));
    }
    for entry in document.entries() {
        context.printer.progress_start(&format!("checking {}", entry.id.name));
        section.lines.push(server(&document, entry, file, settings, context));
    }
    section
}

fn server(
    document: &Document,
    entry: &Entry,
    file: &FoundFile,
    settings: &DoctorSettings,
    context: &CommandContext,
) -> Line {
    let name = &entry.id.name;
    let launch = match launch(&entry.node, file.bare_url) {
        Ok(launch) => launch,
        Err(refusal) => return Line::new(name, Health::Note, format!("not wrapped: {refusal}")),
    };
    let path = file.path.display();
    match &launch {
        Launch::Own => return Line::new(name, Health::Ok, "is a server of Overt".to_owned()),
        Launch::Wrapped(program) => {
            if let Some(line) = wrong_wrapping(name, program, file, settings) {
                return line;
            }
        }
        Launch::Program(_) | Launch::Remote(_) => {
            let wrapper = Wrapper { program: String::new(), state_dir: None };
            if let Err(refusal) =
                wrap(document, entry, &launch, &wrapper, &|url| login_of(url, &settings.state))
            {
                return Line::new(name, Health::Note, format!("not wrapped: {refusal}"));
            }
            let line = Line::new(name, Health::Note, "not wrapped".to_owned());
            return line.with_advice(format!("overt wrap {path} --server {name}"));
        }
    }
    if settings.start == Start::No {
        return Line::new(name, Health::Ok, "wrapped".to_owned());
    }
    let started = connection_of(entry, &launch, file, &context.env);
    match started.and_then(|connection| start(&connection, context)) {
        Ok(None) => Line::new(name, Health::Note, "wrapped, not started".to_owned()),
        Ok(Some(started)) => {
            let seconds = started.time.as_secs_f64();
            // Show the version of the server itself: Overt speaks every version to its clients.
            let version = behind(entry, &launch, file, &context.env)
                .and_then(|connection| start(&connection, context).ok().flatten())
                .map(|server| format!(", speaks {}", server.version));
            let version = version.unwrap_or_default();
            Line::new(name, Health::Ok, format!("wrapped, starts in {seconds:.1} s{version}"))
        }
        Err(failure) => {
            let said = failure.server_said.as_deref().and_then(|said| said.trim_end().lines().last());
            let said = said.map(|line| format!(" (it said: {line})")).unwrap_or_default();
            let text = format!("wrapped, does not start: {}{said}", failure_line(&failure));
            let advice = failure.hint.unwrap_or_else(|| format!("look at its entry in {path}"));
            Line::new(name, Health::Wrong, text).with_advice(advice)
        }
    }
}

/// The outcome of starting a server once.
struct StartedServer {
    time: Duration,
    version: String,
}

/// Starts a server and ends it. Returns `None` if the person interrupted.
fn start(connection: &Connection, context: &CommandContext) -> Result<Option<StartedServer>, CommandError> {
    let begun = Instant::now();
    let mut started = StartedServer { time: Duration::ZERO, version: String::new() };
    let exit = with_server(connection, &context.without_a_person(), async |client: &Client, _: &Printer| {
        started = StartedServer { time: begun.elapsed(), version: client.server().version.to_string() };
        Ok(Exit::Ok)
    })?;
    Ok((exit == Exit::Ok).then_some(started))
}

/// Returns the connection that starts the program behind `overt run --` directly.
fn behind(entry: &Entry, launch: &Launch<'_>, file: &FoundFile, env: &Env) -> Option<Connection> {
    let Launch::Wrapped(program) = launch else { return None };
    let end = program.words.iter().position(|word| *word == "--")?;
    let words = program.words.get(end + 1..).filter(|words| !words.is_empty())?.to_vec();
    let program = Program { words, ..*program };
    connection_of(entry, &Launch::Program(program), file, env).ok()
}

/// Returns the problem of a wrapped entry that can't work as it is.
fn wrong_wrapping(
    name: &str,
    program: &Program<'_>,
    file: &FoundFile,
    settings: &DoctorSettings,
) -> Option<Line> {
    let path = file.path.display();
    let overt = Path::new(*program.words.first()?);
    if overt.is_absolute() && !overt.exists() {
        let text = format!("wrapped, but `{}` is gone", overt.display());
        let advice = format!("overt unwrap {path}, then overt wrap {path}");
        return Some(Line::new(name, Health::Wrong, text).with_advice(advice));
    }
    let theirs = program.option("--state-dir").map(Path::new);
    let is_other = match theirs {
        Some(theirs) => theirs != settings.state.path(),
        None => {
            let hides =
                |client: &&'static overt_clients::ClientFacts| client.environment != ChildEnvironment::All;
            !settings.is_usual_state && file.clients.iter().any(hides)
        }
    };
    is_other.then(|| {
        let ours = settings.state.path().display();
        let text = format!("wrapped, but it would keep its state in another folder than `{ours}`");
        Line::new(name, Health::Wrong, text)
            .with_advice(format!("overt unwrap {path}, then overt wrap {path} in this environment"))
    })
}
