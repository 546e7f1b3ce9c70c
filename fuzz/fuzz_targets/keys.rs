//! What a terminal sends to `overt watch`: however it is cut, the same keys come out, and nothing
//! is kept for long.
#![no_main]
use libfuzzer_sys::fuzz_target;
use overt_cli::fuzzing::check_keys;

fuzz_target!(|input: (u8, &[u8])| {
    let (cut, bytes) = input;
    if let Err(problem) = check_keys(bytes, usize::from(cut)) {
        panic!("{problem}");
    }
});
