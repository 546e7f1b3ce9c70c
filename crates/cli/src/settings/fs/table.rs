//! The table of settings of `overt fs`: those of control, those of the file server, and those that
//! only this command needs.
use overt_servers::files;
use overt_settings::{Kind, Setting};
use serde_json::json;

use super::super::control::{GRANTABLE, HEADING, NO_GRANTS, Table, control_of_own_server};

/// All settings of `overt fs`.
#[derive(Debug)]
pub(crate) enum OfFiles {}

impl Table for OfFiles {
    const COMMAND: &'static str = "fs";

    fn groups() -> Vec<(&'static str, Vec<Setting>)> {
        vec![("File options", [files::settings(), startup_settings()].concat()), (HEADING, permitted())]
    }
}

/// The settings of control. Everything in the roots is allowed without asking; beside the roots,
/// a person is asked.
fn permitted() -> Vec<Setting> {
    let mut settings = control_of_own_server();
    for setting in settings.iter_mut().filter(|setting| setting.key == "allow") {
        setting.default = Some(json!([]));
        setting.description = "What is allowed without asking, beside everything in the roots";
    }
    settings
}

/// Settings that are fixed at startup.
fn startup_settings() -> Vec<Setting> {
    let grantable =
        Setting::new(GRANTABLE, Kind::Texts, "A folder beside the roots in which a person can allow more, and then nowhere else; without any, everywhere")
            .fixed();
    let no_grants = Setting::new(NO_GRANTS, Kind::Flag, "Let nobody grant anything beside the roots")
        .default(json!(false))
        .fixed();
    [vec![grantable, no_grants], sandboxing(), forms()].concat()
}

/// The settings of the sandbox: whether the kernel confines the program to what it serves.
pub(in crate::settings) fn sandboxing() -> Vec<Setting> {
    vec![
        Setting::new(
            "sandbox",
            Kind::Choice(&["auto", "off"]),
            "`auto`: the kernel keeps the program to the roots, where it can (Landlock)",
        )
        .default(json!("auto"))
        .fixed(),
        Setting::new("require_sandbox", Kind::Flag, "Do not start where the kernel can't do that")
            .default(json!(false))
            .fixed(),
    ]
}

/// Settings of what is served, and under which names.
fn forms() -> Vec<Setting> {
    vec![
        Setting::new(
            "allow_special",
            Kind::Flag,
            "Serve `/`, and special file systems such as `/proc` inside a root",
        )
        .default(json!(false))
        .fixed(),
        Setting::new(
            "compat",
            Kind::Choice(&["official", "mcp4h"]),
            "`official`: the tools of the official file server, under its names; `mcp4h`: the literal forms of mcp4h, for its clients",
        )
        .fixed(),
    ]
}

#[cfg(test)]
mod tests {
    use overt_settings::DeclaredSettings;

    use super::*;

    #[test]
    fn the_table_is_right() {
        assert!(OfFiles::declared() != DeclaredSettings::default());
        assert_eq!(OfFiles::declared().default_text("allow").as_deref(), Some("(none)"));
    }
}
