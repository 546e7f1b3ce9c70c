//! The command line, as clap structs. Doc comments are the help text; nothing here reads files or
//! variables.
mod cli; // the program and its subcommands
mod program; // clap's form of the program, and the short help
mod target; // the server; shared by all commands that talk to one
mod auth; // credentials for the server; shared by the same commands
mod output; // how to print; shared by the same commands
mod command_output; // which command has which of these options
mod telemetry; // telemetry; shared by the commands that serve
mod wrap; // overt wrap, overt unwrap
mod doctor; // overt doctor
mod list; // overt list
mod call; // overt call
mod describe; // overt describe
mod control; // flags for the settings that decide about calls
mod clients; // how clients connect to one of our servers
mod fs; // overt fs
mod run; // overt run
mod pins; // overt pins
mod grants; // overt grants
mod trust; // overt trust
mod watch; // overt watch
mod inspect; // overt inspect
mod ui; // overt ui
mod pin; // how to treat definitions that no person accepted
mod card; // overt card
mod skill; // overt skill
mod skills; // overt skills
mod audit; // overt audit
mod log; // overt log
mod undo; // overt undo
mod policy; // overt policy
mod login; // overt login, overt logout
mod generate; // overt completions, overt man
mod answer; // how a person proves that they answer
mod passphrase; // overt passphrase
mod token; // overt token
mod policy_edit; // overt forbid, overt permit
mod value; // values with their own parsers: durations, versions

pub(crate) use answer::{AnswerArgs, PassphraseSource};
pub(crate) use audit::{
    AuditArgs, AuditCommand, ExportArgs, ExportForm, FilterArgs, LogArgs, QueryArgs, VerifyArgs,
};
pub(crate) use auth::{AuthArgs, OAuthFlow};
pub(crate) use call::CallArgs;
pub(crate) use card::{CardArgs, CardCommand, CheckCardArgs};
pub(crate) use cli::{AI_HELP, Cli, Command, EXIT_CODES};
pub(crate) use clients::ClientsArgs;
pub(crate) use control::{ControlArgs, SettingFlags};
pub(crate) use describe::{DescribeArgs, DescribeKind};
pub(crate) use doctor::{DoctorArgs, Start};
pub(crate) use fs::FsArgs;
pub(crate) use generate::{CompletionsArgs, ManArgs};
pub(crate) use grants::{AdvanceArgs, AllowArgs, DenyArgs, GrantsArgs, GrantsCommand, RevokeArgs};
pub(crate) use inspect::InspectArgs;
pub(crate) use list::{Kind, ListArgs};
pub(crate) use log::{ActivityArgs, Ending, WhichActionsArgs};
pub(crate) use login::{LoginArgs, LogoutArgs};
pub(crate) use output::{Format, OutputArgs};
pub(crate) use passphrase::{PassphraseArgs, PassphraseCommand};
pub(crate) use pin::PinArg;
pub(crate) use pins::{DecisionArgs, PinsArgs, PinsCommand, PinsServerArgs};
pub(crate) use policy::{ExplainArgs, PolicyArgs, PolicyCommand, ShowPolicyArgs, SuggestArgs};
pub(crate) use policy_edit::{ForbidArgs, PermitArgs, WhatArgs};
pub(crate) use program::{program, program_with_short_help};
pub(crate) use run::RunArgs;
pub(crate) use skill::{
    CheckSkillArgs, Direction, IndexSkillArgs, InstallSkillArgs, NewSkillArgs, ProjectSkillArgs,
    ReadSkillArgs, SkillArgs, SkillCommand, SkillFormat,
};
pub(crate) use skills::{ServeForm, SkillsArgs};
pub(crate) use target::TargetArgs;
pub(crate) use telemetry::{LogFormat, TelemetryArgs};
pub(crate) use token::{TokenArgs, TokenCommand};
pub(crate) use trust::TrustArgs;
pub(crate) use ui::{PageArgs, UiArgs};
pub(crate) use undo::UndoArgs;
pub(crate) use value::{Auto, ExistingFile};
pub(crate) use watch::WatchArgs;
pub(crate) use wrap::{EditedEntry, UnwrapArgs, WrapArgs};
