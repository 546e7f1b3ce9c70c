//! Unguessable names.

/// An unguessable name: 128 random bits.
pub(crate) fn random_name() -> String {
    let mut bits = [0_u8; 16];
    // Without random numbers a session could be taken over; there is nothing sensible to go on with.
    getrandom::fill(&mut bits).expect("the operating system gives random numbers");
    bits.iter().map(|byte| format!("{byte:02x}")).collect()
}
