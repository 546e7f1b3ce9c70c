//! What a server says of a skill: no path leaves the directory of the skill, and what is verified
//! has the digest that was listed.
#![no_main]
use libfuzzer_sys::fuzz_target;
use overt_documents::skill::remote::{SkillLoad, SkillManifest, content_bytes};
use overt_wire::json::Json;
use overt_wire::skill::{MAIN_FILE, MOST_BYTES, MOST_FILES, SkillEntry};

// A line with the entry, then the answer to `resources/read`.
fuzz_target!(|text: &str| {
    let (listed, answer) = text.split_once('\n').unwrap_or((text, ""));
    let Ok(entry) = Json::parse(listed) else { return };
    let Ok(entry) = SkillEntry::read(entry) else { return };
    let Ok(manifest) = SkillManifest::new(entry) else { return };
    assert!(manifest.files().len() <= MOST_FILES && manifest.size() <= MOST_BYTES);
    let mut paths = std::collections::BTreeSet::new();
    for file in manifest.files() {
        assert!(!file.path.starts_with('/') && !file.path.contains(['\\', '\0']), "{:?}", file.path);
        assert!(file.path.split('/').all(|name| !matches!(name, "" | "." | "..")), "{:?}", file.path);
        assert!(paths.insert(file.path.clone()), "twice: {:?}", file.path);
    }
    assert!(paths.contains(MAIN_FILE));
    let Ok(answer) = Json::parse(answer) else { return };
    let Ok(bytes) = content_bytes(answer, manifest.uri()) else { return };
    if let Ok(load) = SkillLoad::begin(manifest, bytes.clone()) {
        assert_eq!(load.main().bytes(), bytes);
    }
});
