//! What a terminal sends to `overt watch`: however it is cut, the same keys come out, and nothing
//! is kept for long.
#![no_main]
use libfuzzer_sys::fuzz_target;

// The one file, because all of `overt-cli` would take minutes to build.
#[expect(dead_code, reason = "the inbox uses the rest")]
#[path = "../../crates/cli/src/commands/watch/keys.rs"]
mod keys;

fuzz_target!(|input: (u8, &[u8])| {
    let (cut, bytes) = input;
    if let Err(problem) = keys::check_keys(bytes, usize::from(cut)) {
        panic!("{problem}");
    }
});
