//! The meaning of patterns, as a table: this is the specification (FS-23).
use super::{Case, Patterns, Role, check_pattern};

/// Pattern, paths that it hides, paths that it doesn't hide. `ALLOWS` shows what differs in a list
/// of what is allowed.
const HIDES: [(&str, &[&str], &[&str]); 44] = [
    // Names at any depth.
    ("*.env", &["b.env", "a/b.env", "a/c/.env", "b.env/x"], &["b.envs", "env", "a.env.txt", ""]),
    (".env", &[".env", "a/.env", "a/b/.env", ".env/x"], &[".envs", "a.env", "x.env", ".Env"]),
    (".git", &[".git", ".git/config", "a/.git", "a/.git/x/y"], &[".gitignore", "a.git", ".github/x"]),
    ("secrets", &["secrets", "secrets/x", "a/secrets/y"], &["secrets2", "my-secrets", "secret"]),
    ("secrets/", &["secrets", "secrets/x", "a/secrets/y"], &["secrets2"]),
    ("a?c", &["abc", "x/abc", "abc/d"], &["ac", "a/c", "abbc"]),
    ("[ab]x", &["ax", "bx", "d/ax"], &["cx", "abx", "x"]),
    ("[!a]x", &["bx", "d/cx"], &["ax", "x"]),
    ("*.{key,pem}", &["a.key", "d/b.pem"], &["a.keys", "pem", "a.crt"]),
    ("id_*", &["id_rsa", ".ssh/id_ed25519"], &["my_id_rsa", "id"]),
    ("*", &["", "a", "a/b", ".hidden"], &[]),
    ("a*b", &["ab", "axb", "d/axxb"], &["a/b", "abc"]),
    // Paths from the folder itself.
    ("/secrets", &["secrets", "secrets/x"], &["a/secrets", "secrets2"]),
    ("/secrets/**", &["secrets", "secrets/x", "secrets/a/b"], &["a/secrets/x", "secrets2/x"]),
    ("./secrets/**", &["secrets", "secrets/x"], &["a/secrets/x"]),
    ("./secrets", &["secrets", "secrets/x"], &["a/secrets"]),
    ("secrets/**", &["secrets", "secrets/x", "secrets/a/b"], &["secret", "a/secrets/x"]),
    ("secrets/*", &["secrets/x", "secrets/a/b"], &["secrets", "a/secrets/x"]),
    ("a/b", &["a/b", "a/b/c"], &["b", "x/a/b", "a/bc"]),
    ("a/b/", &["a/b", "a/b/c"], &["x/a/b"]),
    ("a//b", &["a/b"], &["ab"]),
    ("a/./b", &["a/b"], &["ab"]),
    ("/a/*.rs", &["a/x.rs", "a/x.rs/y"], &["x.rs", "a/b/x.rs", "a/x.rsx"]),
    ("/*.rs", &["x.rs"], &["a/x.rs"]),
    ("src/*/mod.rs", &["src/a/mod.rs"], &["src/mod.rs", "src/a/b/mod.rs"]),
    // Any number of folders.
    ("**", &["", "a", "a/b/c", ".x"], &[]),
    ("/", &["", "a", "a/b"], &[]),
    (".", &["", "a"], &[]),
    ("**/*", &["", "a", "a/b/c"], &[]),
    ("**/.git/**", &[".git", ".git/config", "a/.git", "a/b/.git/x"], &[".gitx", "a/git/x"]),
    ("**/.env", &[".env", "a/b/.env"], &["x.env"]),
    ("**/a/b", &["a/b", "x/y/a/b", "a/b/c"], &["a/x/b", "a"]),
    ("a/**/b", &["a/b", "a/x/b", "a/x/y/b", "a/b/c"], &["b", "x/a/b", "a/x"]),
    ("a/**", &["a", "a/b", "a/b/c"], &["b/a", "ab"]),
    ("**/**/**/x", &["x", "a/x", "a/b/c/x"], &["xx"]),
    ("a/**/**", &["a", "a/b"], &["b"]),
    ("**/x/**/y", &["x/y", "a/x/b/y"], &["y", "x"]),
    // Characters with a special meaning.
    ("\\*", &["*", "a/*"], &["a", "x"]),
    ("\\!x", &["!x", "a/!x"], &["x"]),
    ("a b", &["a b", "d/a b"], &["ab"]),
    ("#x", &["#x"], &["x"]),
    ("{a,b/c}", &["a", "b/c", "b/c/d"], &["c", "x/a", "b"]),
    ("$HOME", &["$HOME"], &["HOME"]),
    ("~", &["~", "a/~"], &["a"]),
];

/// Pattern, paths that it allows, paths that it doesn't allow. With a wildcard in the last name, a
/// pattern allows only what it matches.
const ALLOWS: [(&str, &[&str], &[&str]); 10] = [
    ("src", &["src", "src/a", "src/a/b", "x/src/y"], &["srcs"]),
    ("/src", &["src", "src/a/b"], &["x/src"]),
    ("src/**", &["src", "src/a", "src/a/b"], &["x/src/a"]),
    ("src/*", &["src/a"], &["src", "src/a/b"]),
    ("*.md", &["a.md", "docs/a.md"], &["a.md/x", "amd"]),
    ("/*.md", &["a.md"], &["docs/a.md"]),
    ("src/**/*.rs", &["src/a.rs", "src/b/c.rs"], &["a.rs", "src", "src/a.rs/x"]),
    ("**", &["a", "a/b", ""], &[]),
    ("*", &["a", "a/b"], &[]),
    ("a/b", &["a/b", "a/b/c"], &["a", "b"]),
];

#[test]
fn fs_23_what_patterns_mean() {
    let check = |role, (pattern, yes, no): (&str, &[&str], &[&str])| {
        let patterns = Patterns::parse(role, &[pattern]).unwrap();
        for path in yes {
            assert!(patterns.matches(path, Case::Exact), "{role:?} `{pattern}` must match `{path}`");
        }
        for path in no {
            assert!(!patterns.matches(path, Case::Exact), "{role:?} `{pattern}` must not match `{path}`");
        }
        yes.len() + no.len()
    };
    let hides: usize = HIDES.into_iter().map(|row| check(Role::Deny, row)).sum();
    let allows: usize = ALLOWS.into_iter().map(|row| check(Role::Allow, row)).sum();
    assert!(hides + allows >= 200, "{hides} + {allows} pairs");
}

/// FS-19: composed and decomposed letters with accents.
#[test]
fn fs_19_either_form_hides_and_both_must_be_allowed() {
    let (composed, apart) = ("caf\u{e9}", "cafe\u{301}");
    for pattern in [composed, apart] {
        let deny = Patterns::parse(Role::Deny, &[pattern]).unwrap();
        for path in [composed, apart] {
            assert!(deny.matches(path, Case::Exact), "{pattern:?} {path:?}");
            assert!(deny.matches(&format!("x/{path}/y"), Case::Exact));
        }
        let allow = Patterns::parse(Role::Allow, &[pattern]).unwrap();
        assert!(allow.matches(pattern, Case::Exact));
    }
    // The bytes differ: a person who allowed one has not seen the other.
    assert!(!Patterns::parse(Role::Allow, &[composed]).unwrap().matches(apart, Case::Exact));
    let all = Patterns::parse(Role::Allow, &["**"]).unwrap();
    assert!(all.matches(composed, Case::Exact) && all.matches(apart, Case::Exact));
}

/// FS-20: on a file system that ignores case, patterns that hide ignore it too.
#[test]
fn fs_20_case_is_ignored_where_it_must_be() {
    let deny = Patterns::parse(Role::Deny, &["**/.git/**", ".env", "straße"]).unwrap();
    for path in [".GIT/config", ".Git", "a/.ENV", ".Env/x", "STRA\u{1e9e}E", "STRASSE", ".g\u{200c}It/x"] {
        assert!(!deny.matches(path, Case::Exact) && deny.matches(path, Case::Ignored), "{path}");
    }
    assert!(deny.matches(".git/x", Case::Ignored) && !deny.matches("git", Case::Ignored));
    let allow = Patterns::parse(Role::Allow, &["src"]).unwrap();
    assert!(!allow.matches("SRC", Case::Ignored) && allow.matches("src", Case::Ignored));
}

/// FS-24: wrong and oversized patterns are rejected, never skipped.
#[test]
fn fs_24_patterns_that_are_refused() {
    for wrong in ["", "[", "{a", "a\0b", "!x", "../x", "a/../b", "a/..", &"x".repeat(1025), "{{{{{a", "[z-a]"]
    {
        assert!(Patterns::parse(Role::Deny, &["fine", wrong]).is_err(), "{wrong:?}");
        assert!(check_pattern(wrong).is_err(), "{wrong:?}");
    }
    assert!(Patterns::parse(Role::Deny, &vec!["a"; 257]).is_err());
    // Long patterns compile to little: alternatives are not multiplied out.
    for bomb in ["{a,b}".repeat(30), "**/".repeat(300) + "x", "{a*,b?}".repeat(140), "*a".repeat(500)] {
        let deny = Patterns::parse(Role::Deny, &[&bomb]).unwrap();
        assert!(!deny.matches(&"a/".repeat(500), Case::Exact));
        assert!(!deny.matches(&"c".repeat(255), Case::Ignored));
    }
    assert!(Patterns::parse(Role::Deny, &["**/".repeat(300) + "x"]).unwrap().matches("a/b/x", Case::Exact));
}

#[test]
fn what_is_within_what_is_allowed() {
    let table: [(&str, &str, bool); 18] = [
        ("**", "anything/**", true),
        ("src/**", "src/a", true),
        ("src/**", "src/a/**", true),
        ("src/**", "/src/*.rs", true),
        ("src/**", "./src/a", true),
        ("src/**", "srcs/a", false),
        ("src/**", "src", false),
        ("src/**", "/src", true),
        ("src/**", "**", false),
        ("src/**", "*.rs", false),
        ("src", "src", true),
        ("src", "/src", true),
        ("/src", "src", false),
        ("/src", "src/*.rs", true),
        ("src", "a/src/x", true),
        ("*.md", "docs/a.md", true),
        ("*.md", "/*.md", false),
        ("/a", "/ab/c", false),
    ];
    for (outer, inner, wanted) in table {
        let allow = Patterns::parse(Role::Allow, &[outer]).unwrap();
        assert_eq!(allow.contains(inner), wanted, "`{inner}` within `{outer}`");
    }
}
