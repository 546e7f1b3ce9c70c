//! What the command line means once the environment, files and defaults are applied. No `Option`
//! here means "not given".
mod env; // the environment and the terminals, read once
mod source; // text from files and standard input, bounded
mod target; // which server
mod program; // which file a command starts
mod own; // servers that this program is itself
mod mcp_json; // the server files of other programs
mod expand; // `${VAR}` in those files
mod env_file; // files with environment variables
mod header; // headers from options
mod root; // where a server may work
mod project; // the project that a server belongs to
mod auth; // who we are to a server that wants a token
mod state; // where we keep what we remember
mod command_name; // what a command line starts
mod name; // what a server is called in scopes, grants and logs
mod connection; // target, protocol, deadlines and roots
mod output; // format and verbosity
mod log; // what is logged, and how
mod telemetry; // logs, the trace, spans, health and metrics
mod call; // overt call
mod replay; // overt call --replay
mod manifest; // what is declared about a server
mod describe; // overt describe
mod login; // overt login, overt logout
mod control_plan; // what a server of ours decides by
mod control; // what it allows
mod user_file; // which files of settings there are
mod clients; // how clients reach it
mod fs; // overt fs
mod run; // overt run
mod card; // overt card check
mod skills; // overt skills
mod audit; // overt audit
mod activity; // overt log
mod undo; // overt undo
mod grants; // overt grants allow, overt grants deny
mod watch; // overt watch
mod ui; // overt ui, overt inspect
mod when; // moments as people write them
mod behind_wrap; // the server behind an entry that is wrapped
mod policy_text; // policies and scopes as the user wrote them
mod policy; // overt policy explain
mod suggest; // overt policy suggest
mod pins; // overt pins, and the pins of overt run
mod client_config; // the files of clients that a command is about
mod client_server; // a server of such a file, to be started
mod configured_servers; // the servers of all such files that Overt is in front of
mod server_trust; // what a person decided about servers
mod file_trust; // the same for the server that is about to run
mod in_force; // overt policy show
mod substitution; // what clients replace in their files
mod wrap; // overt wrap, overt unwrap
mod doctor; // overt doctor

pub(crate) use activity::{Condition, which as which_actions};
pub(crate) use audit::{exported, logs_folder, logs_in, named_key, queried, verified_logs};
pub(crate) use auth::store as login_store;
pub(crate) use behind_wrap::behind_run;
pub(crate) use call::{CallLimits, CallMode, CallSettings, Input, Save, Shape};
pub(crate) use card::Cards;
pub(crate) use client_config::{FoundFile, find as find_client_files};
pub(crate) use client_server::connection_of;
pub(crate) use clients::Clients;
pub(crate) use configured_servers::ConfiguredServers;
pub(crate) use connection::Connection;
pub(crate) use control::{ControlSettings, ControlSources, OfRun, QUICK, Table, names_paths, placeholder};
pub(crate) use control_plan::ControlPlan;
pub(crate) use describe::{Choice, Describe, DescribeSettings, DocumentSelection};
pub(crate) use doctor::DoctorSettings;
pub(crate) use env::Env;
use env::OVERT_LOG;
pub(crate) use file_trust::FileTrust;
pub(crate) use fs::{FsSettings, OfFiles, SandboxPlan};
pub(crate) use grants::{Advance, ApprovalTerms, GrantDecision, RefusalExtent};
pub(crate) use in_force::{FileInForce, files_in_force};
pub(crate) use log::{LogSettings, LogTimes};
pub(crate) use login::{LoginSettings, LogoutSettings};
pub(crate) use manifest::{DescriptionSource, ManifestFile};
pub(crate) use name::remembered_identity;
pub(crate) use output::{OutputSettings, Verbosity};
pub(crate) use pins::{Pins, Server, Tools};
pub(crate) use policy::ExplainSettings;
pub(crate) use policy_text::read_policies;
pub(crate) use project::{current_project, project_or_here};
pub(crate) use replay::{Outcome, RecordedRequest, ReplaySettings};
pub(crate) use root::Root;
pub(crate) use run::RunSettings;
pub(crate) use server_trust::{ServerLaunch, ServerTrust, TrustFile};
pub(crate) use skills::{OfSkills, SkillsSettings};
pub(crate) use source::read as read_text;
pub(crate) use state::StateDir;
pub(crate) use suggest::SuggestSettings;
pub(crate) use target::{GUARDIAN_ARGUMENT, is_target_word};
pub(crate) use telemetry::{OtlpSettings, StatusSettings, TelemetrySettings};
pub(crate) use ui::UiSettings;
pub(crate) use undo::{ChangeRef, MOST_UNDONE, Selection, UndoSettings, UndoTask};
pub(crate) use user_file::{given_config, user_file};
pub(crate) use watch::{Display, Notice, WatchSettings};
pub(crate) use wrap::{Confirm, WhichServers, WrapSettings};
