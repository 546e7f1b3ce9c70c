//! The settings of `overt call`.
use std::path::{Path, PathBuf};

use overt_policy::Authority;
use overt_policy::scope::ScopeSet;
use overt_transport::client::Target;
use overt_wire::json::{Fault, JsonBuf};

use super::source::{self, ReadError};
use super::{
    Connection, ControlSettings, ControlSources, Env, ManifestFile, OfFiles, OfRun, included_server,
    policy_text, target,
};
use crate::args::{CallArgs, ControlArgs, ExistingFile, Format, SettingFlags, TargetArgs};
use crate::arguments::RawArgument;
use crate::context::CommandContext;
use crate::error::{CommandError, user_error};

#[derive(Debug)]
pub(crate) struct CallSettings {
    pub(crate) connection: Connection,
    pub(crate) tool: String,
    pub(crate) input: Input,
    pub(crate) shape: Shape,
    pub(crate) mode: CallMode,
    pub(crate) limits: CallLimits,
    pub(crate) save: Save,
    /// Where the review page, which shows the changes, is saved.
    pub(crate) review: Save,
}

/// Limits of the call, besides what the server itself decides.
#[derive(Debug, Default)]
pub(crate) struct CallLimits {
    /// The policy to send with the call, as JSON.
    pub(crate) policy: Option<JsonBuf>,
    pub(crate) grants: ScopeSet,
    /// What decides in this process, before the server is asked.
    pub(crate) control: Option<ControlSettings>,
    pub(crate) manifest: Option<ManifestFile>,
    /// Whether the server is one of ours. It then decides itself, by `config` if that is set.
    pub(crate) is_own: bool,
    config: Option<PathBuf>,
}

impl CallLimits {
    /// The limits of a call to one of our own servers. The server is told of the file and decides
    /// by it.
    fn of_own(args: &CallArgs, connection: &mut Connection) -> Result<Self, CommandError> {
        if let (Target::Command(command), Some(file)) = (&mut connection.target, &args.config) {
            let file = std::path::absolute(file).unwrap_or_else(|_| file.clone());
            command.args.extend(["--config".into(), file.into_os_string()]);
        }
        Ok(Self {
            policy: args.policy.as_deref().map(policy_text::text::<OfFiles>).transpose()?,
            grants: policy_text::scopes("--grant", &args.grants)?,
            control: None,
            manifest: args.manifest.as_deref().map(ManifestFile::named).transpose()?,
            is_own: true,
            config: args.config.clone(),
        })
    }

    fn resolve(args: &CallArgs, env: &Env) -> Result<Self, CommandError> {
        let control = args.config.is_some().then(|| {
            let args = ControlArgs::<OfRun>::of(args.config.clone(), SettingFlags::default());
            ControlSources::resolve(&args, env).map(|(_, settings)| settings)
        });
        Ok(Self {
            policy: args.policy.as_deref().map(policy_text::text::<OfRun>).transpose()?,
            grants: policy_text::scopes("--grant", &args.grants)?,
            control: control.transpose()?,
            manifest: args.manifest.as_deref().map(ManifestFile::named).transpose()?,
            is_own: false,
            config: None,
        })
    }

    /// What decides about the call, if it is known here.
    pub(crate) fn authority(&self, env: &Env) -> Option<Authority> {
        if !self.is_own {
            return self.control.as_ref().map(|control| control.authority.clone());
        }
        let args = ControlArgs::<OfFiles>::of(self.config.clone(), SettingFlags::default());
        ControlSources::resolve(&args, env).ok().map(|(_, settings)| settings.authority)
    }

    /// Whether this process decides anything. The call then passes the same layers as behind `overt
    /// run`.
    pub(crate) fn decide_here(&self) -> bool {
        (self.policy.is_some() && !self.is_own) || self.control.is_some() || self.manifest.is_some()
    }
}

/// Whether the call is made or only previewed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CallMode {
    Real,
    /// Nothing changes; the result shows what would change.
    Preview,
    /// Made only if it does what a preview showed: the plan with this id.
    AsPlanned(String),
}

/// The arguments of the call.
#[derive(Debug)]
pub(crate) enum Input {
    /// Words, read according to the tool's schema.
    Words(Vec<RawArgument>),
    /// The complete object, sent as given.
    Whole(JsonBuf),
}

/// The form in which the result is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// For people.
    Text,
    /// The exact result object.
    Json,
    /// The exact text inside the result.
    Raw,
}

/// Whether something is saved to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Save {
    No,
    To { path: PathBuf, existing: ExistingFile },
}

impl CallSettings {
    pub(crate) fn resolve(args: &CallArgs, context: &CommandContext) -> Result<Self, CommandError> {
        let env = &context.env;
        let call = CallWords { words: &args.words, json: args.json.as_deref(), target: &args.target };
        let (mut connection, tool, input) = call.resolve(env)?;
        let shape = match context.output.format {
            _ if args.raw && env.stdout_is_terminal => {
                return Err(user_error(
                    "`--raw` would write the server's text to a terminal, which obeys escape sequences in it",
                )
                .hinted("redirect it to a file or a program, or leave `--raw` out"));
            }
            _ if args.raw => Shape::Raw,
            Format::Text => Shape::Text,
            Format::Json => Shape::Json,
        };
        let save = Save::resolve(args.out.as_ref(), args.existing)?;
        let review = Save::resolve(args.review.as_ref(), args.existing)?;
        let mode = match &args.plan {
            Some(plan) => CallMode::AsPlanned(plan.clone()),
            None if args.preview => CallMode::Preview,
            None => CallMode::Real,
        };
        let limits = match call.names_own() {
            true => CallLimits::of_own(args, &mut connection)?,
            false => CallLimits::resolve(args, env)?,
        };
        Ok(Self { connection, tool, input, shape, mode, limits, save, review })
    }
}

/// The part of a command line that identifies a call.
#[derive(Debug)]
pub(super) struct CallWords<'a> {
    pub(super) words: &'a [String],
    pub(super) json: Option<&'a str>,
    pub(super) target: &'a TargetArgs,
}

impl CallWords<'_> {
    /// Whether the server is one of ours.
    pub(super) fn names_own(&self) -> bool {
        let elsewhere = self.target.mcp_json.is_some() || !self.target.command.is_empty();
        !elsewhere && self.words.first().is_some_and(|word| included_server::is_own(word))
    }

    /// Returns the server, the tool and the input.
    pub(super) fn resolve(&self, env: &Env) -> Result<(Connection, String, Input), CommandError> {
        let elsewhere = self.target.mcp_json.is_some() || !self.target.command.is_empty();
        // If an option or a command names the target, the first word is the tool. But if that word
        // can only be a URL, the user gave two targets.
        let (url, words) = match self.words.split_first() {
            Some((first, rest)) if !elsewhere || target::is_url(first) => (Some(first.as_str()), rest),
            _ => (None, self.words),
        };
        let connection = Connection::resolve(self.target, url, env)?;
        let (tool, words) = words.split_first().ok_or_else(|| {
            user_error("no tool is named").hinted("`overt list` with the same target shows the tools")
        })?;
        if tool.contains('=') {
            return Err(user_error(format!("`{tool}` stands where the name of the tool should"))
                .hinted("the order is target, tool, arguments; see `overt call --help`"));
        }
        Ok((connection, tool.clone(), Input::resolve(self.json, words)?))
    }
}

impl Input {
    fn resolve(json: Option<&str>, words: &[String]) -> Result<Self, CommandError> {
        let mut stdin_used = false;
        let mut read = |path: &str| -> Result<String, CommandError> {
            if path == "-" && std::mem::replace(&mut stdin_used, true) {
                return Err(user_error("standard input can be used for one value only"));
            }
            source::read(Path::new(path)).map_err(|error: ReadError| error.into())
        };
        let Some(json) = json else {
            return words
                .iter()
                .map(|word| RawArgument::parse(word, &mut read))
                .collect::<Result<_, _>>()
                .map(Self::Words);
        };
        if let Some(word) = words.first() {
            return Err(user_error(format!("`--json` and `{word}` can't be used together"))
                .hinted("give the whole object with `--json`, or each argument as `name=value`"));
        }
        let text = match json.strip_prefix('@') {
            Some(path) => read(path)?,
            None if json == "-" => read("-")?,
            None => json.to_owned(),
        };
        let object = JsonBuf::parse(&text).map_err(|fault: Fault| {
            user_error("the arguments of `--json` are not valid JSON").caused_by(fault)
        })?;
        if object.as_json().is_object() {
            Ok(Self::Whole(object))
        } else {
            Err(user_error("the arguments of `--json` must be an object"))
        }
    }
}

impl Save {
    /// Checks for an existing file before the call rather than after it.
    fn resolve(path: Option<&PathBuf>, existing: ExistingFile) -> Result<Self, CommandError> {
        let Some(path) = path else { return Ok(Self::No) };
        if existing == ExistingFile::Keep && path.exists() && !path.is_dir() {
            return Err(
                user_error(format!("`{}` exists already", path.display())).hinted("`--force` replaces it")
            );
        }
        Ok(Self::To { path: path.clone(), existing })
    }
}
