//! URIs of resources: the canonical form is canonical, `url` reads it as it reads what was sent,
//! and a scope can be written and read back.
#![no_main]
use libfuzzer_sys::fuzz_target;
use overt_policy::scope::Scope;
use overt_policy::uri::ResourceUri;
use url::Url;

fuzz_target!(|text: &str| {
    if let Ok(listed) = ResourceUri::parse_listed(text) {
        let _ = (listed.scope("server"), listed.readable());
    }
    let Ok(uri) = ResourceUri::parse(text) else { return };
    assert_eq!(ResourceUri::parse(uri.as_str()).as_ref(), Ok(&uri));
    let (Ok(sent), Ok(canonical)) = (Url::parse(text), Url::parse(uri.as_str())) else {
        panic!("`{text}` is a URI to us and not to `url`");
    };
    assert_eq!(canonical.as_str(), uri.as_str());
    assert_eq!(
        (sent.scheme(), sent.host_str(), sent.port()),
        (canonical.scheme(), canonical.host_str(), canonical.port())
    );
    if let Some(path) = uri.path() {
        let opened = sent.to_file_path().expect("a `file:` URI without a host has a path");
        assert!(opened.components().eq(std::path::Path::new(path).components()), "{opened:?} {path}");
    }
    let scope = uri.scope("server");
    assert_eq!(Scope::parse(&scope.to_string()).as_ref(), Ok(&scope));
});
