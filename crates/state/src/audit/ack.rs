//! Tells the callers that wait for a batch whether it was written.
use overt_layers::audit::LedgerError;
use tokio::sync::oneshot;

pub(super) type Ack = oneshot::Sender<Acknowledgement>;

/// Whether a batch was written. The first waiting caller receives it together with the other
/// callers' senders, and notifies them when it drops this value. So the writer wakes only one
/// thread, however many callers wait: each further wake-up of another thread would be a system
/// call.
#[derive(Debug)]
pub(super) struct Acknowledgement {
    answer: Result<(), LedgerError>,
    others: Vec<Ack>,
}

impl Acknowledgement {
    /// Answers all callers. A waiting task may have been dropped; then the next one passes the
    /// answer on.
    pub(super) fn send(answer: &Result<(), LedgerError>, mut acks: Vec<Ack>) {
        while !acks.is_empty() {
            let first = acks.remove(0);
            match first.send(Self { answer: answer.clone(), others: acks }) {
                Ok(()) => return,
                Err(mut returned) => acks = std::mem::take(&mut returned.others),
            }
        }
    }

    pub(super) fn answer(self) -> Result<(), LedgerError> {
        self.answer.clone()
    }
}

impl Drop for Acknowledgement {
    fn drop(&mut self) {
        for ack in self.others.drain(..) {
            // The waiting task may have been dropped.
            let _ = ack.send(Self { answer: self.answer.clone(), others: Vec::new() });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_still_wait_are_answered() {
        for gone in [&[][..], &[0], &[0, 1], &[1], &[2]] {
            let (acks, mut waiting): (Vec<Ack>, Vec<_>) = (0..3).map(|_| oneshot::channel()).unzip();
            let mut index = 0;
            waiting.retain(|_| {
                index += 1;
                !gone.contains(&(index - 1))
            });
            Acknowledgement::send(&Ok(()), acks);
            // The first task is dropped after it was answered and before it looks at the answer.
            drop(waiting.remove(0));
            for mut waits in waiting {
                assert_eq!(waits.try_recv().map(Acknowledgement::answer), Ok(Ok(())), "{gone:?}");
            }
        }
    }
}
