//! `overt call`: finds the tool, builds its arguments, calls it and prints the result.
use overt_policy::mark::{self, request};
use overt_servers::files::NAME as OWN_NAME;
use overt_transport::client::{Client, ClientError};
use overt_wire::era::{Era, LogLevel, key};
use overt_wire::json::{JsonBuf, Object};
use overt_wire::view::{CallResult, Tool};
use overt_wire::{Message, Method};

use super::in_process_proxy::InProcessProxy;
use super::missing_tool::{MissingTool, unless_held_back};
use super::not_made::NotMade;
use super::preview;
use super::save::save;
use super::session::with_server_behind;
use super::tool;
use crate::context::CommandContext;
use crate::error::{CommandError, Exit, user_error};
use crate::listener::PROGRESS_TOKEN;
use crate::output::{Printer, call_changes_text, outcome_text, raw_text};
use crate::settings::{CallMode, CallSettings, Env, Shape, Verbosity};
use overt_operator::near::valid_names;

pub(crate) fn call(settings: &CallSettings, context: &CommandContext) -> Result<Exit, CommandError> {
    let env = &context.env;
    let proxy = InProcessProxy::new(&settings.limits);
    let proxy = settings.limits.decide_here().then_some(&proxy);
    with_server_behind(proxy, &settings.connection, context, async |client, printer| {
        let arguments = arguments(client, settings, env).await?;
        let log_level = log_level(context.output.verbosity);
        if context.output.verbosity >= Verbosity::Verbose {
            ask_for_log(client, printer, log_level).await;
        }
        printer.progress_start(&format!("calling {}", settings.tool));
        let params = params(client, settings, &arguments, log_level);
        let answer = client.request(Method::ToolsCall.name(), Some(params.as_json())).await?;
        printer.progress_stop();
        let result = answer.result_body().value().filter(|result| result.is_object());
        let result = result.ok_or_else(|| ClientError::Protocol {
            what: "the result of a call is not an object".to_owned(),
        })?;
        // The result is printed first, so that a file that can't be written does not lose it.
        match settings.mode {
            CallMode::Preview if !CallResult(result).is_error() => {
                preview::show(client, printer, &answer, CallResult(result), settings).await?;
            }
            _ => show(printer, &answer, CallResult(result), settings, env)?,
        }
        save(printer, &settings.tool, CallResult(result), &settings.save)?;
        preview::save_page(client, printer, &answer, CallResult(result), &settings.review).await?;
        Ok(if CallResult(result).is_error() { Exit::Findings } else { Exit::Ok })
    })
}

/// Returns the arguments object: as it was given, or built from words with the tool's schema.
async fn arguments(client: &Client, settings: &CallSettings, env: &Env) -> Result<JsonBuf, CommandError> {
    let tools = tool::list(client).await?;
    let tool = tool::named(&tools, &settings.tool).map_err(|failure| missing(failure, settings, env))?;
    if settings.mode != CallMode::Real && !preview::is_offered(tool) {
        let with: Vec<&JsonBuf> = tools.iter().filter(|tool| preview::is_offered(tool)).collect();
        let names: Vec<_> = with.iter().filter_map(|tool| Tool(tool.as_json()).name()).collect();
        let valid = match names.is_empty() {
            true => "no tool of this server has any".to_owned(),
            false => {
                valid_names("", names.iter().map(AsRef::as_ref)).replacen("available", "these have them", 1)
            }
        };
        return Err(user_error(format!(
            "`{}` has no previews, so it was not called; {valid}",
            settings.tool
        ))
        .hinted("without `--preview` and `--plan` it is called, with whatever effect it has"));
    }
    tool::arguments(tool, &settings.tool, &settings.input)
}

/// Says why the tool is not in the list, as far as this process can tell.
fn missing(failure: CommandError, settings: &CallSettings, env: &Env) -> CommandError {
    let servers = [settings.connection.name.as_str(), OWN_NAME];
    let servers = if settings.limits.is_own { &servers[..] } else { &servers[..1] };
    let authority = settings.limits.authority(env);
    let forbidden =
        authority.and_then(|authority| MissingTool::forbidden(&settings.tool, servers, &authority));
    match forbidden {
        Some(forbidden) => forbidden.into(),
        None => unless_held_back(failure, &settings.tool, &settings.connection, env),
    }
}

fn params(client: &Client, settings: &CallSettings, arguments: &JsonBuf, log_level: LogLevel) -> JsonBuf {
    let mut meta = Object::new().value(key::PROGRESS_TOKEN, &PROGRESS_TOKEN);
    if client.server().version.era() == Era::Modern {
        meta = meta.string(key::LOG_LEVEL, log_level.as_str());
    }
    meta = match &settings.mode {
        CallMode::Real => meta,
        CallMode::Preview => meta.raw(request::PREVIEW, "true"),
        CallMode::AsPlanned(plan) => meta.string(request::PLAN, plan),
    };
    if let Some(policy) = &settings.limits.policy {
        // A person typed the command, so the policy comes from a human.
        meta = meta.json(request::POLICY, policy.as_json()).string(request::POLICY_SOURCE, "human");
    }
    if !settings.limits.grants.is_empty() {
        meta = meta.value(request::GRANTED[0], &settings.limits.grants);
    }
    Object::new()
        .string("name", &settings.tool)
        .json("arguments", arguments.as_json())
        .json("_meta", meta.finish().as_json())
        .finish()
}

fn log_level(verbosity: Verbosity) -> LogLevel {
    match verbosity {
        Verbosity::Quiet | Verbosity::Normal => LogLevel::Warning,
        Verbosity::Verbose => LogLevel::Info,
        Verbosity::Debug => LogLevel::Debug,
    }
}

/// Sets the log level at a legacy server, once. A modern server gets it with each request.
async fn ask_for_log(client: &Client, printer: &Printer, level: LogLevel) {
    let server = client.server();
    let logs = server.capabilities.as_json().get("logging").value().is_some();
    if server.version.era() == Era::Legacy && logs {
        let params = Object::new().string("level", level.as_str()).finish();
        if let Err(error) = client.request(Method::SetLevel.name(), Some(params.as_json())).await {
            printer.detail(&format!("the log level could not be set: {error}"));
        }
    }
}

fn show(
    printer: &Printer,
    answer: &Message,
    result: CallResult<'_>,
    settings: &CallSettings,
    env: &Env,
) -> Result<(), CommandError> {
    match settings.shape {
        Shape::Json => printer.json(result.0)?,
        Shape::Raw => {
            let (text, left_out) = raw_text(result);
            printer.exact(text.as_bytes())?;
            if left_out > 0 {
                printer.warn(&format!("left out {left_out} of the items, which are not text"));
            }
        }
        Shape::Text if result.is_error() => match NotMade::read(answer, settings, env) {
            Some(NotMade { what, hint }) => {
                printer.tool_error(&what);
                printer.hint(&hint);
            }
            None => printer.tool_error(&outcome_text(result, None, &settings.save)),
        },
        Shape::Text => {
            let changes = preview::marked(answer, mark::key::DIFF).value().and_then(call_changes_text);
            printer.text(&outcome_text(result, changes.as_deref(), &settings.save))?;
        }
    }
    Ok(())
}
