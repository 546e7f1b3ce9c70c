//! Unguessable names.

use overt_wire::hex::hex;

/// Returns an unguessable name: 128 random bits in hexadecimal.
pub(crate) fn random_name() -> String {
    let mut bits = [0_u8; 16];
    // Without random numbers a session could be taken over, so it is not safe to continue.
    getrandom::fill(&mut bits).expect("the operating system gives random numbers");
    hex(&bits)
}
