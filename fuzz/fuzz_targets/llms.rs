//! `llms.txt`: what was read can be written, and what was written reads back the same.
#![no_main]
use libfuzzer_sys::fuzz_target;
use overt_documents::llms::Llms;

fuzz_target!(|text: &str| {
    if let Ok(llms) = Llms::parse(text) {
        assert_eq!(Llms::parse(&llms.render()), Ok(llms));
    }
});
