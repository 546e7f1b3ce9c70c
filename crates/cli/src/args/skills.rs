//! `overt skills`.
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{ClientsArgs, ControlArgs, TelemetryArgs};
use crate::settings::OfSkills;

/// Serve skills: an MCP server for the skills in some folders
///
/// Serves every skill below DIR over standard input and output, or over Streamable HTTP with
/// --http: by the methods of the skills extension (SEP-2640), as resources, and for clients without
/// resources as tools. Files are only read, nothing outside of DIR is, and changes are noticed. A
/// skill that is broken is left out and told; one that an edit breaks stays as it was.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SkillsArgs {
    /// Skills, or directories with skills
    #[arg(value_name = "DIR", required = true)]
    pub(crate) directories: Vec<PathBuf>,

    /// Which form of each SKILL.md to serve
    #[arg(long, value_enum, value_name = "FORM", default_value = "auto")]
    pub(crate) serve: ServeForm,

    /// Also offer tools, for clients that read no resources: `list_skills`, `read_skill`,
    /// `list_resources`, `read_resource`
    #[arg(long)]
    pub(crate) tools: bool,

    /// Also offer the prompt `use_skill`, with which a person chooses a skill
    #[arg(long)]
    pub(crate) prompts: bool,

    /// Also serve the Markdown files in DIR, as `resource://docs/PATH`
    #[arg(long, value_name = "DIR")]
    pub(crate) docs: Option<PathBuf>,

    /// Also publish the index and the text files at `/.well-known/agent-skills`, to everybody who
    /// can reach the address
    #[arg(long, requires = "http")]
    pub(crate) well_known: bool,

    #[command(flatten)]
    pub(crate) clients: ClientsArgs,

    #[command(flatten)]
    pub(crate) control: ControlArgs<OfSkills>,

    #[command(flatten)]
    pub(crate) telemetry: TelemetryArgs,
}

/// A form of SKILL.md.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ServeForm {
    /// The source if it fits the specification, otherwise the portable form
    Auto,
    /// The file as it is
    Source,
    /// The portable form, as `overt skill project` makes it
    Projected,
}

const EXAMPLES: &str = "\
Examples:
  overt skills ~/.claude/skills
  overt skills skills --tools
  overt skills skills --http 127.0.0.1:8080 --well-known

In the configuration of a client:
  \"command\": \"overt\", \"args\": [\"skills\", \"/home/me/skills\"]

`overt skill check` says what is wrong with a skill. docs/skills.md has the addresses and the rules.";
