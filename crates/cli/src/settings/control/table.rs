//! The settings of control, each declared once. They define the flags and their help, the
//! variables, the keys of the file, the schema for clients and the rows of docs/settings.md.
use std::time::Duration;

use overt_settings::{Audience, Clients, DeclaredSettings, FieldScope, Kind, Narrowing, Setting};
use serde_json::json;

/// The settings of a command, in the order in which they are shown.
pub(crate) trait Table: std::fmt::Debug + Send + Sync + 'static {
    /// The command to which the settings belong.
    const COMMAND: &'static str;

    /// The settings in groups, each with its heading in the help.
    fn groups() -> Vec<(&'static str, Vec<Setting>)>;

    fn declared() -> DeclaredSettings {
        let settings = Self::groups().into_iter().flat_map(|(_, group)| group).collect();
        // A test checks that the declarations are valid.
        DeclaredSettings::new(settings).unwrap_or_default()
    }
}

/// The settings of a command that runs in front of a third-party server.
#[derive(Debug)]
pub(crate) enum OfRun {}

impl Table for OfRun {
    const COMMAND: &'static str = "run";

    fn groups() -> Vec<(&'static str, Vec<Setting>)> {
        vec![(HEADING, control())]
    }
}

pub(crate) const HEADING: &str = "Control options";
/// The setting with the folders that are served.
pub(crate) const ROOTS: &str = "roots";
/// The setting with the folders that can be granted.
pub(crate) const GRANTABLE: &str = "grantable";
/// The setting with which nothing beside the roots can be granted.
pub(crate) const NO_GRANTS: &str = "no_grants";
pub(super) const AUDIT_DIR: &str = "audit_dir";
pub(super) const AUDIT_CHECKPOINT_FILE: &str = "audit_checkpoint_file";

/// The settings of every command that decides about calls.
fn control() -> Vec<Setting> {
    [permissions(), limits(), records()].concat()
}

const MINUTE: Duration = Duration::from_secs(60);
const DAY: Duration = Duration::from_secs(24 * 3600);
/// The maximum size of a message in bytes.
const MESSAGE: u64 = 16 << 20;

/// The settings of what is allowed. They apply to configurations only, because a policy has its own
/// members for this. The operator's values are a boundary and not a preference, even for a client
/// that started the program (POL-13).
fn permissions() -> Vec<Setting> {
    let for_people = |setting: Setting| setting.scope(FieldScope::Configuration).audience(Audience::Human);
    vec![
        for_people(
            Setting::new("allow", Kind::Scopes, "What is allowed without asking")
                .default(json!(["read"]))
                .narrows(Narrowing::All)
                .clients(Clients::NarrowUnlessTrusted),
        ),
        for_people(
            Setting::new("deny", Kind::Scopes, "What is refused, whatever else allows it")
                .default(json!([]))
                .narrows(Narrowing::Union)
                .clients(Clients::Narrow),
        ),
        for_people(
            Setting::new("allow_all", Kind::Flag, "Allow everything without asking, but for what is denied")
                .default(json!(false))
                .narrows(Narrowing::Off)
                .clients(Clients::NarrowUnlessTrusted),
        ),
        for_people(
            Setting::new("max_grantable", Kind::Scopes, "The most that a person can grant when asked")
                .narrows(Narrowing::All)
                .clients(Clients::Narrow),
        ),
        Setting::new(
            "approval_wait",
            Kind::Duration { min: Duration::ZERO, max: 10 * MINUTE },
            "How long a call waits for a person where the client can't ask; 0 waits only while somebody watches for questions",
        )
        .default(json!("0s"))
        .narrows(Narrowing::Min),
        Setting::new(
            "trust_grants",
            Kind::Flag,
            "Believe a client that says which scopes were granted; anybody who can write a message can say so",
        )
        .default(json!(false))
        .fixed(),
        Setting::new(
            "trust_quick_answers",
            Kind::Flag,
            "Count answers that a client gives within 0.3 s of the question; a person takes longer, so a program gave them",
        )
        .default(json!(false))
        .fixed(),
        Setting::new(
            "allow_client_config",
            Kind::Flag,
            "Let the configuration of every client replace settings, also over HTTP, and what is allowed",
        )
        .default(json!(false))
        .fixed(),
    ]
}

/// The settings of control for our own servers, which limit how many calls there may be (G-31). It
/// is more than any agent needs, and stops a loop that runs away.
pub(crate) fn control_of_own_server() -> Vec<Setting> {
    let mut settings = control();
    for setting in settings.iter_mut().filter(|setting| setting.key == "rate_limit") {
        setting.default = Some(json!(OWN_RATE));
    }
    settings
}

/// The default of `rate_limit` for our own servers.
const OWN_RATE: &str = "60000/minute";

/// Limits of each call.
fn limits() -> Vec<Setting> {
    let limit = |key, kind, description| Setting::new(key, kind, description).narrows(Narrowing::Min);
    vec![
        limit("rate_limit", Kind::Rate, "How many calls there may be in all, such as `1000/hour`"),
        limit("tool_rate_limit", Kind::Rate, "How many calls of one tool each caller may make"),
        limit(
            "max_argument_bytes",
            Kind::Bytes { min: 2, max: MESSAGE },
            "The largest arguments of a call, as JSON",
        ),
        limit(
            "max_result_bytes",
            Kind::Bytes { min: 2, max: MESSAGE },
            "The largest result of a call, as JSON",
        ),
        limit(
            "call_timeout",
            Kind::Duration { min: Duration::from_millis(1), max: DAY },
            "How long a call may take, the wait for a person not counted",
        ),
    ]
}

/// The settings of the audit log. A client that could change them could hide what it does.
fn records() -> Vec<Setting> {
    vec![
        Setting::new(
            "audit",
            Kind::Choice(&["strict", "best_effort", "off"]),
            "What is written down: `strict` makes no call with side effects before its record is durable",
        )
        .default(json!("strict"))
        .fixed(),
        Setting::new(AUDIT_DIR, Kind::Text, "The folder of the audit log; without it, in the state folder")
            .fixed(),
        Setting::new(
            "audit_retention_days",
            Kind::Integer { min: 1, max: 36_500 },
            "Records are removed when they are older; without it, never",
        )
        .fixed(),
        Setting::new(
            "audit_max_bytes",
            Kind::Bytes { min: 1 << 20, max: 1 << 50 },
            "The oldest records are removed when all together are larger; without it, never",
        )
        .fixed(),
        Setting::new(
            "audit_arguments",
            Kind::Choice(&["digest", "redacted"]),
            "What is kept of the arguments of calls: a digest alone, or all but secrets",
        )
        .default(json!("digest"))
        .fixed(),
        Setting::new(
            AUDIT_CHECKPOINT_FILE,
            Kind::Text,
            "A further file that signed checkpoints are appended to",
        )
        .fixed(),
    ]
}
