//! `overt skill`.
use std::path::PathBuf;

use clap::{ArgAction, Args, Subcommand, ValueEnum};
use overt_documents::skill::Form;
use overt_documents::skill::check::Profile;
use overt_wire::skill::Sha256Digest;

use super::value::{ExistingFile, flag, word};
use super::{OutputArgs, TargetArgs};

/// Check, start and install skills, and make them portable
///
/// A skill is a directory with a file SKILL.md: YAML front matter with a name and a description,
/// then instructions for an agent. Its readers differ in what they accept.
#[derive(Debug, Args)]
#[command(arg_required_else_help = true, after_help = EXAMPLES)]
pub(crate) struct SkillArgs {
    #[command(subcommand)]
    pub(crate) command: SkillCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SkillCommand {
    Check(CheckSkillArgs),
    Project(ProjectSkillArgs),
    New(NewSkillArgs),
    Index(IndexSkillArgs),
    Read(ReadSkillArgs),
    Install(InstallSkillArgs),
}

/// Check skills against the rules of their readers; exit code 1 if one of them refuses a skill
///
/// Directories are searched for skills. Symbolic links that leave a skill are not followed. Without
/// --profile every reader that a skill is meant for judges it: `seed-001` those with
/// `x-personal-mcp`, `skills-ref` those without.
#[derive(Debug, Args)]
pub(crate) struct CheckSkillArgs {
    /// Skills, or directories with skills
    #[arg(value_name = "DIR", required = true)]
    pub(crate) directories: Vec<PathBuf>,

    /// Only what this reader says; can be repeated, or a list with commas
    #[arg(long = "profile", value_name = "PROFILE", value_delimiter = ',', value_parser = word::<Profile>())]
    pub(crate) profiles: Vec<Profile>,

    /// Correct what can be corrected without judgement, then check
    #[arg(long)]
    pub(crate) fix: bool,

    /// Exit with code 1 for warnings too
    #[arg(long)]
    pub(crate) deny_warnings: bool,

    /// How to print what was found [default: text, or OVERT_FORMAT]
    #[arg(long, value_enum, value_name = "FORMAT", help_heading = "Output options")]
    pub(crate) format: Option<SkillFormat>,

    /// Print findings and errors, nothing else
    #[arg(short, long, help_heading = "Output options")]
    pub(crate) quiet: bool,
}

/// How findings are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SkillFormat {
    /// For people: a table of skills and readers, then the findings
    Text,
    /// For programs
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Commands of GitHub Actions that mark the lines
    Github,
}

/// Print or write the portable form of a skill: only standard fields, the rest as texts in its
/// metadata
///
/// The source is not changed. The result passes skills-ref 0.1.1. With --import the way back: the
/// skill that a portable form was made from.
#[derive(Debug, Args)]
pub(crate) struct ProjectSkillArgs {
    /// The skill
    #[arg(value_name = "DIR")]
    pub(crate) directory: PathBuf,

    /// Restore the source from a portable form
    #[arg(long = "import", action = ArgAction::SetTrue, value_parser = flag(Direction::Project, Direction::Import))]
    pub(crate) direction: Direction,

    /// Write the skill with all of its files into a new directory of its name here, instead of
    /// printing SKILL.md
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// From the source to the portable form, or back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Project,
    Import,
}

/// Start a new skill
///
/// The result passes every reader but `seed-001`, which wants metadata that skills-ref refuses.
/// With --repository it has that metadata; `overt skill project` then makes the form that the
/// others accept.
#[derive(Debug, Args)]
pub(crate) struct NewSkillArgs {
    /// Lower-case letters, digits and single hyphens, such as `pdf-tools`
    #[arg(value_name = "NAME")]
    pub(crate) name: String,

    /// What the skill does and when to use it
    #[arg(long, value_name = "TEXT")]
    pub(crate) description: Option<String>,

    /// With the metadata `x-personal-mcp` of a repository
    #[arg(long = "repository", action = ArgAction::SetTrue, value_parser = flag(Form::Portable, Form::Repository))]
    pub(crate) form: Form,

    /// Where the directory of the skill is made
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) dir: PathBuf,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// List skills: the index with which agents find them on a site, and the catalogue
///
/// With --out, `.well-known/agent-skills/index.json`, the SKILL.md of each skill beside it, and
/// `catalog/skills_index.json` are written, ready to be served. Skills with `x-personal-mcp` are
/// listed in their portable form.
#[derive(Debug, Args)]
pub(crate) struct IndexSkillArgs {
    /// Skills, or directories with skills
    #[arg(value_name = "DIR", required = true)]
    pub(crate) directories: Vec<PathBuf>,

    /// Write the files below this directory, instead of printing the index
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    /// Replace files that are not what would be written
    #[arg(long = "force", requires = "out", action = ArgAction::SetTrue, value_parser = flag(ExistingFile::Keep, ExistingFile::Replace))]
    pub(crate) existing: ExistingFile,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Print a file of a skill that an MCP server serves, after it was verified
///
/// Asks the server for what it lists of the skill, reads its SKILL.md and compares digest, size and
/// front matter; then the same for the file. Nothing is printed that is not what the server lists.
/// `overt list --kind skills` shows the skills of a server.
#[derive(Debug, Args)]
#[command(override_usage = READ_USAGE, after_help = READ_EXAMPLES)]
pub(crate) struct ReadSkillArgs {
    /// The URI of the skill's SKILL.md, such as `skill://pdf-tools/SKILL.md`
    #[arg(value_name = "URI")]
    pub(crate) uri: String,

    /// A file of the skill, as its path in the directory of the skill
    #[arg(value_name = "PATH", default_value = "SKILL.md")]
    pub(crate) path: String,

    /// The server: the URL of its Streamable HTTP endpoint
    #[arg(long, value_name = "URL", help_heading = "Target options")]
    pub(crate) from: Option<String>,

    #[command(flatten)]
    pub(crate) output: OutputArgs,

    #[command(flatten)]
    pub(crate) target: TargetArgs,
}

/// Copy a skill of an MCP server into a directory, after you have seen it
///
/// Fetches every file, verifies digests, sizes and paths, checks the skill as `overt skill check`
/// does, shows what would be written, and asks. The answer is for exactly these files. Nothing that
/// the skill wants to use unasked (`allowed-tools`) is granted, and no file becomes executable.
#[derive(Debug, Args)]
#[command(override_usage = INSTALL_USAGE, after_help = INSTALL_EXAMPLES)]
pub(crate) struct InstallSkillArgs {
    /// The URI of the skill's SKILL.md, such as `skill://pdf-tools/SKILL.md`
    #[arg(value_name = "URI")]
    pub(crate) uri: String,

    /// The directory of the skill is made in DIR
    #[arg(value_name = "DIR")]
    pub(crate) dir: PathBuf,

    /// The server: the URL of its Streamable HTTP endpoint
    #[arg(long, value_name = "URL", help_heading = "Target options")]
    pub(crate) from: Option<String>,

    /// Show what would be written, and write nothing
    #[arg(long, conflicts_with_all = ["yes", "expect"])]
    pub(crate) dry_run: bool,

    /// Write without asking, unless a reader refuses the skill
    #[arg(long, short, conflicts_with = "expect")]
    pub(crate) yes: bool,

    /// Write without asking if the set of files has this digest, as `--dry-run` shows it
    #[arg(long, value_name = "DIGEST", value_parser = digest)]
    pub(crate) expect: Option<Sha256Digest>,

    /// Put the skill in the place of one that is there; the differences are shown
    #[arg(long = "replace", action = ArgAction::SetTrue, value_parser = flag(ExistingFile::Keep, ExistingFile::Replace))]
    pub(crate) existing: ExistingFile,

    #[command(flatten)]
    pub(crate) output: OutputArgs,

    #[command(flatten)]
    pub(crate) target: TargetArgs,
}

fn digest(text: &str) -> Result<Sha256Digest, &'static str> {
    Sha256Digest::parse(text).ok_or("write `sha256:` and 64 hexadecimal digits in lower case")
}

const EXAMPLES: &str = "\
Examples:
  overt skill new pdf-tools --description \"Reads PDF files. Use when asked for the text of one.\"
  overt skill check .claude/skills
  overt skill check skills --profile spec,skills-ref --format sarif > skills.sarif
  overt skill project skills/pdf-tools --out dist
  overt skill index skills --out public
  overt skill install skill://pdf-tools/SKILL.md .claude/skills --from https://mcp.example.com/mcp";

const READ_USAGE: &str = "\
overt skill read [OPTIONS] <URI> [PATH] --from <URL>
       overt skill read [OPTIONS] <URI> [PATH] --mcp-json <FILE> <NAME>
       overt skill read [OPTIONS] <URI> [PATH] -- <CMD> [ARG]...";

const READ_EXAMPLES: &str = "\
Examples:
  overt skill read skill://pdf-tools/SKILL.md --from https://mcp.example.com/mcp
  overt skill read skill://pdf-tools/SKILL.md references/forms.md --mcp-json .mcp.json docs";

const INSTALL_USAGE: &str = "\
overt skill install [OPTIONS] <URI> <DIR> --from <URL>
       overt skill install [OPTIONS] <URI> <DIR> --mcp-json <FILE> <NAME>
       overt skill install [OPTIONS] <URI> <DIR> -- <CMD> [ARG]...";

const INSTALL_EXAMPLES: &str = "\
Examples:
  overt skill install skill://pdf-tools/SKILL.md .claude/skills --from https://mcp.example.com/mcp
  overt skill install skill://pdf-tools/SKILL.md skills --dry-run --mcp-json .mcp.json docs
  overt skill install skill://pdf-tools/SKILL.md skills --replace --expect sha256:... --from https://mcp.example.com/mcp";
