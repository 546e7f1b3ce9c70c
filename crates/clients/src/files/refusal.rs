//! The reasons why a server is not wrapped.

/// Why one server is not wrapped. The other servers of the file are wrapped nevertheless.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("its entry is not an object")]
    NotAnObject,
    #[error("its entry has neither a command nor an address")]
    NoTarget,
    #[error("its entry has both a command and an address")]
    TwoTargets,
    #[error("its `{0}` has an unexpected form")]
    Shape(&'static str),
    #[error(
        "VS Code would put Overt into its sandbox (`sandboxEnabled`), without state and without questions"
    )]
    Sandbox,
    #[error("VS Code attaches a debugger to its command (`dev.debug`)")]
    Debugger,
    #[error("an extension of Zed starts it")]
    Extension,
    #[error("Overt does not speak its transport `{0}`")]
    Transport(String),
    #[error("a program of the client makes its headers (`headersHelper`)")]
    HeadersHelper,
    #[error("the client holds its login; log in with `overt login {0}`, then wrap again")]
    LoginOfClient(String),
    #[error("its address contains a secret, which would be visible in the list of processes")]
    SecretInAddress,
    #[error("it has an address and also `env`")]
    AddressWithEnvironment,
    #[error("Overt does not wrap remote servers of this client yet")]
    RemoteOfClient,
    #[error("its keys are written in a form that Overt does not change: {0}")]
    Layout(&'static str),
    #[error("an administrator's list allows its exact command, which wrapping would change ({0})")]
    AllowedByCommand(String),
    #[error("an administrator's list denies it, and wrapping would evade that ({0})")]
    Denied(String),
    #[error(
        "an administrator's list can't be read, so wrapping might break or evade it ({file}: {why}); ask the administrator to \
         repair the file or to make it readable, then wrap again"
    )]
    UnreadableList { file: String, why: String },
}
