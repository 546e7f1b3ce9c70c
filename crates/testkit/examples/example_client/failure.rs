//! What ends the client, and which failures do not.
use std::error::Error;

use overt_transport::client::ClientError;
use overt_wire::Message;

pub(crate) type Failure = Box<dyn Error + Send + Sync>;

/// Ignores refusals of made-up requests. Every other error ends the program.
pub(crate) fn tolerate(outcome: Result<Message, ClientError>) -> Result<(), ClientError> {
    match outcome {
        Err(ClientError::Refused(error)) => tracing::warn!(%error, "refused"),
        outcome => drop(outcome?),
    }
    Ok(())
}
