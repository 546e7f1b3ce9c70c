//! The file of a client in each form: whatever it is, it is refused, or it is wrapped and comes
//! back byte for byte.
#![no_main]
use libfuzzer_sys::fuzz_target;
use overt_clients::files::{FileSyntax, check_round_trip};

fuzz_target!(|text: &str| {
    for syntax in [FileSyntax::Json, FileSyntax::Toml, FileSyntax::Yaml] {
        if let Err(problem) = check_round_trip(text, syntax) {
            panic!("{syntax:?}: {problem}");
        }
    }
});
