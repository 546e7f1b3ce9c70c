//! The manifests in the repository.
use overt_documents::manifest::Manifest;

#[test]
fn manifests_of_the_repository_can_be_read_and_guess_nothing() {
    let manifests = [
        ("everything", include_str!("../../../../examples/manifests/everything/overt.toml")),
        ("fetch", include_str!("../../../../examples/manifests/fetch/overt.toml")),
        ("filesystem", include_str!("../../../../examples/manifests/filesystem/overt.toml")),
        ("git", include_str!("../../../../examples/manifests/git/overt.toml")),
    ];
    for (name, text) in manifests {
        let manifest = Manifest::parse(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(manifest.guesses.is_empty(), "{name}");
        assert!(!manifest.declaration.server.description.is_empty(), "{name}");
    }
}
