//! `--pin`: how to treat definitions that no person accepted.
use clap::ValueEnum;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PinArg {
    /// Neither look at the definitions of tools nor remember them
    Off,
    /// Say which tools are new or changed
    Warn,
    /// Also hold them back until `overt pins accept`
    Strict,
}
