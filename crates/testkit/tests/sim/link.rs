//! Byte streams that delay and fragment their data.
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, ReadHalf, WriteHalf, duplex, split};
use tokio::time::sleep;

use super::random::Random;
use super::schedule::LinkPlan;

/// The most delays in one direction. A link must not be so slow that deadlines pass without a
/// fault.
const MOST_DELAYS: usize = 40;

/// Returns both ends of a new link.
pub(crate) fn connect(plan: LinkPlan, seed: u64) -> (DuplexStream, DuplexStream) {
    const ROOM: usize = 64 << 10;
    let (near, near_middle) = duplex(ROOM);
    let Some(piece) = plan.piece else { return (near, near_middle) };
    let (far_middle, far) = duplex(ROOM);
    let ((from_near, to_near), (from_far, to_far)) = (split(near_middle), split(far_middle));
    tokio::spawn(carry(from_near, to_far, plan, piece, Random::new(seed)));
    tokio::spawn(carry(from_far, to_near, plan, piece, Random::new(seed ^ 1)));
    (near, far)
}

/// Carries bytes in one direction until the stream ends or its reader is closed.
async fn carry(
    mut from: ReadHalf<DuplexStream>,
    mut to: WriteHalf<DuplexStream>,
    plan: LinkPlan,
    piece: usize,
    mut random: Random,
) {
    let mut bytes = vec![0; piece];
    let mut delays = MOST_DELAYS;
    while let Ok(count @ 1..) = from.read(&mut bytes).await {
        if !plan.delay.is_zero() && delays > 0 && random.chance(10) {
            delays -= 1;
            sleep(plan.delay).await;
        }
        if to.write_all(&bytes[..count]).await.is_err() {
            break;
        }
    }
    let _ = to.shutdown().await;
}
