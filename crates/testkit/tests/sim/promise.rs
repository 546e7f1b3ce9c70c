//! The promises that each schedule is checked against.

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Promise {
    /// Every accepted request gets exactly one answer before its deadline.
    OneAnswer,
    /// Requests in progress when the client closes its input also get exactly one answer (G-47).
    AnswerAfterEndOfInput,
    /// No request that may have had an effect is sent to the server twice.
    SentOnce,
    /// Answers, questions and progress reach the right client.
    RightClient,
    /// All calls of one client reach the same server process, unless that was lost (G-45, G-46).
    OneState,
    /// Parallel first requests of one client start one process (G-44).
    OneStart,
    /// The intent of a call is recorded before the server sees it.
    IntentFirst,
    /// Every recorded intent gets exactly one recorded outcome.
    OutcomeRecorded,
    /// `executed: "no"` is only reported for calls that had no effect (G-42).
    ExecutedIsTrue,
    /// Every error that a client gets is one of those for a failed server.
    KnownErrors,
    /// A read-only tool is never judged as something else (G-54).
    ReadsStayReads,
    /// Without faults every call succeeds.
    CallsSucceed,
    /// When the server has recovered, calls work again.
    Recovers,
    /// When all clients have been gone for longer than the idle sweep waits, the gateway holds
    /// nothing for them.
    IdleIsSwept,
    /// When the gateway is closed, no server process and no task remains.
    NothingIsLeft,
}
