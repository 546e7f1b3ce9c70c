//! The number of random sequences to try.
use std::env;

/// The environment variable that overrides the number, for runs that repeat the tests many times.
const VARIABLE: &str = "OVERT_CASES";

/// Returns the usual number, or the number in the environment.
#[expect(clippy::disallowed_methods, reason = "a test has no settings")]
pub(crate) fn cases(usual: u32) -> u32 {
    let Ok(text) = env::var(VARIABLE) else { return usual };
    text.parse().unwrap_or_else(|_| panic!("`{VARIABLE}` must be a number of cases, but is `{text}`"))
}

/// Returns whether the environment sets the number.
#[expect(clippy::disallowed_methods, reason = "a test has no settings")]
pub(crate) fn is_by_hand() -> bool {
    env::var(VARIABLE).is_ok()
}
