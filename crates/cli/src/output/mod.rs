//! The only code that prints. Data goes to standard output, messages go to standard error, and text
//! from others is escaped before either.
mod report; // answers, as data and as text
mod finding; // problems with documents
mod printer; // the two streams, and verbosity
mod progress; // progress of a call, as a bar or as lines
mod safe; // makes text and JSON from others safe and short
mod style; // colours
mod table; // columns fitted to a width
mod fold; // texts wrapped to a width
mod pretty; // JSON with line breaks
mod listing; // what a server offers, as data and as JSON
mod brief; // what a server offers, as tables
mod long; // what a server offers, in full
mod readable; // JSON as lines for people
mod call_changes; // the changes of a call, as a diff
mod outcome; // the result of a call as text
mod grants; // grants, as text and as JSON
mod questions; // open questions, as text and as JSON
mod trust; // trust in servers
mod pins; // remembered tools as a table and as JSON
mod patch; // unified diffs from elsewhere, in colour
mod hunks; // the lines in which two texts differ
mod pin_diff; // compares two definitions of a tool, member by member
mod documents; // documents about a server, and their drift
mod cost; // token cost of definitions in a model's context
mod audit; // audit records and verification reports
mod activity; // actions of clients, a line for each
mod action_detail; // everything about one action
mod action_words; // an action in a few words
mod undo; // changes that can be undone
mod cards; // Tool Cards, checked and compared
mod skills; // findings about skills
mod skill_install; // a server's skill before it is installed
mod settings; // settings, with the sources of their values
mod tokens; // access tokens of clients
mod policies; // findings about files of policies and rules
mod in_force; // everything that decides about calls
mod page; // shows a page to a person
mod connect; // advice when a server is started at a terminal
mod log; // the program's own log
mod wrap; // clients' files, before and after
mod doctor; // findings of `overt doctor`

pub(crate) use action_detail::{Detail, ShownDiff, action_facts, detail_json, detail_text};
pub(crate) use action_words::{action_summary, short_call};
pub(crate) use activity::{ActivityLines, action_json};
pub(crate) use audit::{
    LogDetail, LogReport, LogsReport, Merged, record_of, records_json, records_text, report_text,
    reports_text,
};
pub(crate) use brief::brief;
pub(crate) use call_changes::{call_changes_text, has_all_lines};
pub(crate) use cards::{CheckedCard, CheckedCardsReport, ComparedCard, ComparedCardsReport};
pub(crate) use connect::connect_text;
pub(crate) use cost::CostReport;
pub(crate) use doctor::{DoctorReport, Health, Line, Section};
pub(crate) use documents::{DocumentsReport, Drift, DriftReport, WrittenReport};
pub(crate) use fold::hanging;
pub(crate) use grants::{grant_json, grants_json, grants_text, scope_words};
pub(crate) use hunks::file_diff;
pub(crate) use in_force::{InForce, InForceReport};
pub(crate) use listing::{Listing, kind_words};
pub(crate) use log::start_log;
pub(crate) use long::long;
pub(crate) use outcome::{binary_label, outcome_text, raw_text};
pub(crate) use overt_operator::text::shell_word;
pub(crate) use overt_operator::words::{
    answered_words, extent_words, lasting, project_words, scopes_sentence, trust_command, trust_words,
};
pub(crate) use page::{Opener, Page};
pub(crate) use patch::patch_text;
pub(crate) use pin_diff::diff_text;
pub(crate) use pins::{diff_json, servers_json, servers_text, state_word};
pub(crate) use policies::{CheckedFile, FilesReport};
pub(crate) use pretty::pretty;
pub(crate) use printer::{OutputError, Printer, guide, usage};
pub(crate) use progress::ProgressReport;
pub(crate) use questions::{
    inbox_text, question_json, question_text, questions_json, whole_question_json, whole_question_text,
};
pub(crate) use report::{Report, to_json};
pub(crate) use safe::{json as live_free, json_text, lines, one_line};
pub(crate) use settings::SettingsReport;
pub(crate) use skill_install::{
    FileChange, InstallReport, Installed, ShownInstall, SkillFileChange, SkillFileReport, install_text,
};
pub(crate) use skills::{CheckedSkill, SkillsReport, skills_github, skills_sarif, skills_text};
pub(crate) use tokens::{TokenData, TokensReport, tokens_text};
pub(crate) use trust::{TrustData, trusted_json, trusted_text};
pub(crate) use undo::{ChangeData, ChangeRow, ChangesReport, UndoPossibility, UndoneReport, planned_text};
pub(crate) use wrap::{FileReport, Names, ServerReport, WrapReport, failure_line, found_text};
