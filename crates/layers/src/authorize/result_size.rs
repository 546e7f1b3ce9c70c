//! Checks the size of a result, which the policy may limit.
use overt_policy::Limits;
use overt_wire::Message;
use overt_wire::json::Json;

use super::answers::{RefusedCall, word};

/// A result that is larger than the policy allows.
#[derive(Debug, Clone, Copy)]
pub(super) struct TooLarge {
    pub(super) bytes: u64,
    pub(super) most: u64,
}

/// Checks the size of an answer's result. An answer without a result is never too large.
pub(super) fn check_answer(limits: &Limits, reply: &Message) -> Result<(), TooLarge> {
    reply.result_body().value().map_or(Ok(()), |result| check_result(limits, result))
}

pub(super) fn check_result(limits: &Limits, result: Json<'_>) -> Result<(), TooLarge> {
    let bytes = result.as_str().len() as u64;
    match limits.result_bytes {
        Some(most) if bytes > most => Err(TooLarge { bytes, most }),
        _ => Ok(()),
    }
}

impl TooLarge {
    /// Returns the error that replaces the result of a tool.
    pub(super) fn refusal(self) -> RefusedCall<'static> {
        let Self { bytes, most } = self;
        let text = format!(
            "The call was made, but its result has {bytes} bytes and the policy allows {most}, so it is not shown. Ask \
             for less."
        );
        RefusedCall::new(word::TOO_LARGE, text)
    }
}
