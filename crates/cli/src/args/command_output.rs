//! Which command has which output options.
use super::{
    AuditCommand, CardCommand, Command, GrantsCommand, OutputArgs, PassphraseCommand, PinsCommand,
    PolicyCommand, SkillCommand, TokenCommand,
};

impl Command {
    /// Returns the output options as they were typed, or `None` if the command has none.
    pub(crate) fn output(&self) -> Option<OutputArgs> {
        Some(match self {
            Self::Wrap(args) => args.output,
            Self::Unwrap(args) => args.output,
            Self::Doctor(args) => args.output,
            // There is only one way to print JSON, so the long form means text.
            Self::List(args) if args.long => args.output.or_text(),
            Self::List(args) => args.output,
            Self::Call(args) => args.output,
            // A document is printed as it is, unless the option asks for JSON.
            Self::Describe(args) => args.output.or_text(),
            Self::Card(args) => match &args.command {
                CardCommand::Check(args) => args.output,
                CardCommand::Build(args) => args.output.or_text(),
                CardCommand::Diff(args) => args.output,
            },
            Self::Skill(args) => match &args.command {
                SkillCommand::Check(args) => OutputArgs { quiet: args.quiet, ..OutputArgs::default() },
                SkillCommand::Project(args) => args.output,
                SkillCommand::New(args) => args.output,
                SkillCommand::Index(args) => args.output,
                SkillCommand::Read(args) => args.output,
                SkillCommand::Install(args) => args.output,
            },
            Self::Fs(args) => OutputArgs { format: args.control.format, ..OutputArgs::default() },
            Self::Run(args) => OutputArgs { format: args.control.format, ..OutputArgs::default() },
            Self::Skills(args) => OutputArgs { format: args.control.format, ..OutputArgs::default() },
            Self::Policy(args) => match &args.command {
                PolicyCommand::Show(args) => args.output,
                PolicyCommand::Check(args) => args.output,
                PolicyCommand::Explain(args) => args.output,
                PolicyCommand::Suggest(args) => args.output,
            },
            Self::Forbid(args) => args.what.output,
            Self::Permit(args) => args.what.output,
            Self::Grants(args) => match &args.command {
                GrantsCommand::List(output) => *output,
                GrantsCommand::Pending(args) => args.output,
                GrantsCommand::Show(args) => args.output,
                GrantsCommand::Allow(args) => args.output,
                GrantsCommand::Deny(args) => args.output,
                GrantsCommand::Revoke(args) => args.output,
            },
            Self::Trust(args) => args.output,
            Self::Passphrase(args) => match &args.command {
                PassphraseCommand::Set(output) | PassphraseCommand::Show(output) => *output,
                PassphraseCommand::Remove(args) => args.output,
            },
            Self::Token(args) => match &args.command {
                TokenCommand::Create(args) => args.output,
                TokenCommand::List(output) => *output,
                TokenCommand::Revoke(args) => args.output,
            },
            Self::Pins(args) => match &args.command {
                PinsCommand::List(args) => args.output,
                PinsCommand::Diff(args) => args.output,
                PinsCommand::Accept(_) | PinsCommand::Keep(_) | PinsCommand::Forget(_) => return None,
            },
            Self::Log(args) => args.output,
            Self::Undo(args) => args.output,
            Self::Audit(args) => match &args.command {
                AuditCommand::Verify(args) => args.output,
                AuditCommand::Query(args) => args.output,
                AuditCommand::Export(_) | AuditCommand::Key(_) => return None,
            },
            Self::Watch(_)
            | Self::Ui(_)
            | Self::Inspect(_)
            | Self::Login(_)
            | Self::Logout(_)
            | Self::Completions(_)
            | Self::Man(_) => return None,
        })
    }
}
