//! How to print: options of every command that prints data.
use clap::{ArgAction, Args, ValueEnum};

#[derive(Debug, Clone, Copy, Default, Args)]
#[command(next_help_heading = "Output options")]
pub(crate) struct OutputArgs {
    /// How to print the data [env: OVERT_FORMAT] [default: text]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) format: Option<Format>,

    /// Also show what the server writes to its standard error, its log messages and our own (-vv:
    /// more)
    #[arg(short, long, action = ArgAction::Count, conflicts_with = "quiet")]
    pub(crate) verbose: u8,

    /// Print data and errors, nothing else
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people: tables and plain text, with other people's control characters escaped
    Text,
    /// For programs: the exact text of the server
    Json,
}

impl OutputArgs {
    /// Makes text the default, whatever the variable says.
    pub(super) fn or_text(self) -> Self {
        Self { format: self.format.or(Some(Format::Text)), ..self }
    }
}
