//! The manifest: what was read can be written, and what was written reads back the same.
#![no_main]
use libfuzzer_sys::fuzz_target;
use overt_documents::manifest::{Manifest, write};

fuzz_target!(|text: &str| {
    if let Ok(manifest) = Manifest::parse(text) {
        let written = write(&manifest.declaration);
        let again = Manifest::parse(&written).expect("what was written is a manifest");
        assert_eq!(again.declaration, manifest.declaration);
    }
});
