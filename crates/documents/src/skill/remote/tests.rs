//! Tests what a host rejects, before it requests a file and afterwards.
use overt_wire::json::{Json, JsonBuf};
use overt_wire::skill::{MOST_BYTES, Sha256Digest, SkillEntry, SkillFile, SkillResources};
use proptest::prelude::*;
use sha2::{Digest as _, Sha256};

use super::*;

const MAIN: &str = "---\nname: pdf\ndescription: Reads PDF files. Use when asked.\nmetadata:\n  version: 1.0\n---\n\n# PDF\n";
const FRONT: &str =
    r#"{"metadata":{"version":1},"description":"Reads PDF files. Use when asked.","name":"pdf"}"#;

fn digest(bytes: &[u8]) -> Sha256Digest {
    Sha256Digest(Sha256::digest(bytes).into())
}

fn file(path: &str, bytes: &[u8]) -> SkillFile {
    SkillFile { uri: format!("skill://pdf/{path}"), digest: digest(bytes), size: bytes.len() as u64 }
}

fn entry(files: Vec<SkillFile>) -> SkillEntry {
    SkillEntry {
        uri: "skill://pdf/SKILL.md".to_owned(),
        frontmatter: JsonBuf::parse(FRONT).unwrap(),
        resources: SkillResources::Files(files),
    }
}

fn manifest(more: &[(&str, &[u8])]) -> Result<SkillManifest, ManifestError> {
    let more = more.iter().map(|(path, bytes)| file(path, bytes));
    SkillManifest::new(entry([file("SKILL.md", MAIN.as_bytes())].into_iter().chain(more).collect()))
}

fn problem(path: &str) -> Option<PathProblem> {
    match manifest(&[(path, b"x")]) {
        Err(ManifestError::Path { problem, .. }) => Some(problem),
        Err(error) => panic!("{path}: {error}"),
        Ok(_) => None,
    }
}

#[test]
fn a_good_skill_is_loaded_file_by_file() {
    let manifest = manifest(&[("references/b%20c.md", b"b"), ("a.txt", b"")]).unwrap();
    let paths: Vec<&str> = manifest.files().iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["SKILL.md", "a.txt", "references/b c.md"]);
    assert_eq!((manifest.name(), manifest.size()), ("pdf", MAIN.len() as u64 + 1));
    let mut load = SkillLoad::begin(manifest.clone(), MAIN.as_bytes().to_vec()).unwrap();
    assert_eq!(load.clone().finish(), None);
    assert_eq!(load.next().unwrap().uri, "skill://pdf/a.txt");
    load.add(Vec::new()).unwrap();
    load.add(b"b".to_vec()).unwrap();
    assert_eq!(load.next(), None);
    let skill = load.finish().unwrap();
    assert_eq!(skill.main().unwrap().bytes(), MAIN.as_bytes());
    assert_eq!(skill.files().len(), 3);
    assert_eq!(skill.allowed_tools(), None);
}

/// A listed path can neither leave the directory of the skill nor hide.
#[test]
fn paths_that_no_skill_may_have() {
    use PathProblem::*;
    for (path, expected) in [
        ("../x", Dots),
        ("a/../../x", Dots),
        ("%2e%2e/x", Dots),
        ("a//b", Dots),
        ("a/", Dots),
        ("./a", Dots),
        ("/etc/passwd", Dots),
        ("%2Fetc%2Fpasswd", Characters),
        ("a%5Cb", Characters),
        ("C:%5Cx", Characters),
        ("a:b", Characters),
        ("a%00b", Characters),
        ("a%0Ab", Characters),
        ("a\u{202e}b", Characters),
        ("nul.", Characters),
        ("a ", Characters),
        ("a?b", Query),
        ("a#b", Query),
        ("%ff", Escapes),
        ("%zz", Escapes),
        ("%+1", Escapes),
        ("%", Escapes),
        (".git/hooks/pre-commit", Repository),
        (".GIT/config", Repository),
        ("a/.git", Repository),
        ("skill.md", Collision),
        ("SKILL.md", Collision),
        ("SKILL.md/x", FileAndDirectory),
    ] {
        assert_eq!(problem(path), Some(expected), "{path}");
    }
    assert_eq!(problem(&"a/".repeat(16)), Some(Dots));
    assert_eq!(problem(&(["a"; 17].join("/"))), Some(Long));
    assert_eq!(problem(&"a".repeat(256)), Some(Long));
    for path in ["a/b/c.md", "ä.md", ".hidden", "..a", "a..b", "scripts/run.sh", "LICENSE"] {
        assert_eq!(problem(path), None, "{path}");
    }
}

#[test]
fn files_that_are_one_on_some_systems() {
    let error = |paths: &[(&str, &[u8])]| manifest(paths).unwrap_err().to_string();
    for pair in [["a", "A"], ["a/x", "A/y"], ["e\u{301}", "\u{e9}"], ["a", "a/b"], ["a/b", "a"]] {
        let text = error(&pair.map(|path| (path, b"x".as_slice())));
        assert!(text.contains("differs from another file") || text.contains("both a file"), "{text}");
    }
}

#[test]
fn an_entry_that_is_not_the_skill_of_its_uri() {
    let with = |uri: &str, front: &str| {
        let mut wrong = entry(vec![file("SKILL.md", MAIN.as_bytes())]);
        uri.clone_into(&mut wrong.uri);
        wrong.frontmatter = JsonBuf::parse(front).unwrap();
        SkillManifest::new(wrong).unwrap_err().to_string()
    };
    assert!(with("skill://pdf", FRONT).contains("does not end with"));
    assert!(with("skill:///SKILL.md", FRONT).contains("does not end with"));
    assert!(with("skill://other/SKILL.md", FRONT).contains("calls itself `pdf`"));
    assert!(with("skill://pdf/SKILL.md", "{}").contains("has no name"));
    assert!(with("skill://x/pdf/SKILL.md", FRONT).contains("outside of the directory"));
    assert!(with("skill://../SKILL.md", r#"{"name":".."}"#).contains("has an empty part"));
    let mut dynamic = entry(Vec::new());
    assert_eq!(SkillManifest::new(dynamic.clone()), Err(ManifestError::NoMainFile));
    dynamic.resources = SkillResources::Dynamic;
    assert_eq!(SkillManifest::new(dynamic), Err(ManifestError::Dynamic));
}

#[test]
fn limits_hold_before_anything_is_asked_for() {
    let many: Vec<SkillFile> = (0..513).map(|at| file(&format!("f{at}"), b"")).collect();
    assert_eq!(SkillManifest::new(entry(many)), Err(ManifestError::ManyFiles(513)));
    let large = |size: u64| SkillFile { size, ..file("large", b"") };
    let main = || file("SKILL.md", MAIN.as_bytes());
    let room = MOST_BYTES - MAIN.len() as u64;
    assert!(SkillManifest::new(entry(vec![main(), large(room)])).is_ok());
    for size in [room + 1, u64::MAX] {
        assert_eq!(SkillManifest::new(entry(vec![main(), large(size)])), Err(ManifestError::Large));
    }
}

/// A server that returns other bytes than it lists is rejected at the first file that differs.
#[test]
fn other_bytes_than_those_listed() {
    let begin = |bytes: &str| SkillLoad::begin(manifest(&[]).unwrap(), bytes.as_bytes().to_vec());
    assert!(begin(MAIN).is_ok());
    assert!(matches!(begin(&MAIN.replace("# PDF", "# PDG")), Err(VerifyError::Digest { .. })));
    assert!(
        matches!(begin(&format!("{MAIN}x")), Err(VerifyError::Size { found, listed, .. }) if found == listed + 1)
    );
    let mut load = SkillLoad::begin(manifest(&[("a", b"x")]).unwrap(), MAIN.as_bytes().to_vec()).unwrap();
    assert!(matches!(load.add(b"y".to_vec()), Err(VerifyError::Digest { .. })));
    assert_eq!(load.finish(), None);
}

#[test]
fn front_matter_is_compared_field_by_field() {
    let begin = |front: &str, main: &str| {
        let mut listed = entry(vec![file("SKILL.md", main.as_bytes())]);
        listed.frontmatter = JsonBuf::parse(front).unwrap();
        let manifest = SkillManifest::new(listed).unwrap();
        SkillLoad::begin(manifest, main.as_bytes().to_vec()).map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(begin(FRONT, MAIN), Ok(()));
    for (front, main, fields) in [
        (r#"{"name":"pdf"}"#, MAIN, "`description`, `metadata`"),
        (FRONT, "---\nname: pdf\n---\n", "`description`, `metadata`"),
        (r#"{"name":"pdf","a":[1,{"b":"c"}]}"#, "---\nname: pdf\na:\n  - 1\n  - b: d\n---\n", "`a`"),
        (r#"{"name":"pdf","a":"1"}"#, "---\nname: pdf\na: 1\n---\n", "`a`"),
        (r#"{"name":"pdf"}"#, "---\nname: pdf\nallowed-tools: Bash\n---\n", "`allowed-tools`"),
    ] {
        let wanted = format!("the front matter of SKILL.md is not what the server lists: {fields} differ");
        assert_eq!(begin(front, main), Err(wanted));
    }
    for main in ["# PDF\n", "---\nname: pdf\n", "---\n- a\n---\n", "---\nname: &a pdf\nb: *a\n---\n"] {
        assert_eq!(
            begin(r#"{"name":"pdf"}"#, main),
            Err("SKILL.md has front matter that can't be read".to_owned())
        );
    }
}

#[test]
fn a_content_is_text_or_base64_of_the_resource_that_was_asked_for() {
    let bytes = |text: &str| content_bytes(Json::parse(text).unwrap(), "u");
    assert_eq!(bytes(r#"{"contents":[{"uri":"u","text":"ä"}]}"#), Ok("ä".as_bytes().to_vec()));
    assert_eq!(bytes(r#"{"contents":[{"uri":"u","blob":"/wA="}]}"#), Ok(vec![255, 0]));
    for (text, error) in [
        (r#"{"contents":[{"uri":"v","text":"a"}]}"#, ContentError::Uri),
        (r#"{"contents":[]}"#, ContentError::Count(0)),
        (r#"{}"#, ContentError::Count(0)),
        (r#"{"contents":[{"uri":"u","text":"a"},{"uri":"u","text":"b"}]}"#, ContentError::Count(2)),
        (r#"{"contents":[{"uri":"u"}]}"#, ContentError::Kind),
        (r#"{"contents":[{"uri":"u","text":"a","blob":""}]}"#, ContentError::Kind),
        (r#"{"contents":[{"uri":"u","blob":"***"}]}"#, ContentError::Base64),
    ] {
        assert_eq!(bytes(text), Err(error), "{text}");
    }
}

/// An approval applies only to this set of files.
#[test]
fn the_digest_of_the_set_changes_with_every_file() {
    let digest = |more: &[(&str, &[u8])]| manifest(more).unwrap().digest();
    let sets: [&[(&str, &[u8])]; 5] =
        [&[], &[("a", b"x")], &[("b", b"x")], &[("a", b"y")], &[("a", b"x"), ("b", b"x")]];
    for (index, one) in sets.iter().enumerate() {
        for other in &sets[index + 1..] {
            assert_ne!(digest(one), digest(other));
        }
    }
    assert_eq!(digest(&[("b", b"x"), ("a", b"x")]), digest(sets[4]));
}

proptest! {
    /// Whatever a server lists, an accepted path stays below the directory and is visible.
    #[test]
    fn any_path_that_is_taken_is_plain(path in "[a-zA-Z.%/\\\\:0-9 ]{1,24}|\\PC{1,12}|(%[0-9a-fA-F]{2}){1,8}") {
        if let Ok(manifest) = manifest(&[(&path, b"x")]) {
            for file in manifest.files() {
                let components: Vec<_> = std::path::Path::new(&file.path).components().collect();
                prop_assert!(components.iter().all(|part| matches!(part, std::path::Component::Normal(_))));
                prop_assert_eq!(components.len(), file.path.split('/').count());
                prop_assert!(!file.path.contains(['\\', '\0', '\n', ':']));
            }
        }
    }
}
