//! The settings of each command: its arguments, with environment, files and defaults applied. No
//! `Option` here means "not given".
mod env; // the environment and the terminals, read once
mod source; // text from files and standard input, with a size limit
mod target; // the server that a command line names
mod program; // the file that a command starts
mod included_server; // servers that are part of this program
mod mcp_json; // reads servers from the files of other programs
mod expand; // expands `${VAR}` in the files of other programs
mod env_file; // files with environment variables
mod header; // HTTP headers from options
mod root; // directories in which a server may work
mod project; // the project that a server belongs to
mod auth; // credentials for a server that requires a token
mod state; // the state folder
mod name; // names of servers in scopes, grants and logs
mod connection; // target, protocol, deadlines and roots
mod output; // format and verbosity
mod log; // settings of the program's own log
mod telemetry; // settings of logs, the trace, spans, health and metrics
mod call; // overt call
mod replay; // overt call --replay
mod manifest; // manifests of servers
mod describe; // overt describe
mod login; // overt login, overt logout
mod control_plan; // what one of our servers decides by
mod control; // the settings that decide about calls
mod user_file; // paths of the settings files
mod clients; // how clients connect to one of our servers
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
mod when; // points in time as people write them
mod behind_wrap; // the server behind a wrapped entry
mod policy_text; // policies and scopes as the user wrote them
mod policy; // overt policy explain
mod suggest; // overt policy suggest
mod pins; // overt pins, and the pins of overt run
mod client_config; // the clients' configuration files
mod client_server; // a connection to a server in such a file
mod configured_servers; // wrapped servers in the clients' files
mod server_trust; // what a person decided about servers
mod file_trust; // what a person decided about the server to run
mod shown_tools; // the definitions that a person was shown when a server was wrapped
mod in_force; // overt policy show
mod substitution; // references that clients replace in their files
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
pub(crate) use output::{OutputSettings, Verbosity};
pub(crate) use overt_operator::server_name::remembered_identity;
pub(crate) use pins::{Pins, Server, Tools};
pub(crate) use policy::ExplainSettings;
pub(crate) use policy_text::read_policies;
pub(crate) use project::{current_project, project_or_here};
pub(crate) use replay::{Outcome, RecordedRequest, ReplaySettings};
pub(crate) use root::Root;
pub(crate) use run::RunSettings;
pub(crate) use server_trust::{ServerLaunch, ServerTrust, TrustFile};
pub(crate) use shown_tools::ShownTools;
pub(crate) use skills::{OfSkills, SkillsSettings};
pub(crate) use source::read as read_text;
pub(crate) use state::{StateDir, StateError};
pub(crate) use suggest::SuggestSettings;
pub(crate) use target::{GUARDIAN_ARGUMENT, is_target_word};
pub(crate) use telemetry::{OtlpSettings, StatusSettings, TelemetrySettings};
pub(crate) use ui::UiSettings;
pub(crate) use undo::{UndoSettings, UndoTask};
pub(crate) use user_file::{given_config, user_file};
pub(crate) use watch::{Display, Notice, WatchSettings};
pub(crate) use wrap::{Confirm, WhichServers, WrapSettings};
