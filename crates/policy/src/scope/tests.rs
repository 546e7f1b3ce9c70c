//! The grammar and the order of scopes, as tables and as properties.
use proptest::prelude::*;
use serde_json::{Value, json};

use super::action::Action;
use super::value::Scope;
use super::{ScopeSet, ScopeTemplate};
use crate::cases::cases;
use crate::word::StringEnum;

fn scope(text: &str) -> Scope {
    Scope::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn scp_01_what_covers_what() {
    // Wider scope, narrower scope, whether the first covers the second.
    let table = [
        ("read:*", "read:file:/a", true),
        ("read", "read:file:/a", true),
        ("read", "read:*", true),
        ("read:*", "read", true),
        ("read:file:*", "read:file", true),
        ("write:file", "write:file:/a/b", true),
        ("write:file", "write:file:a", true),
        ("write:file:/a", "write:file:/a/b", true),
        ("write:file:/a", "write:file:/a", true),
        ("write:file:/", "write:file:/a", true),
        ("write:file:a", "write:file:a/b", true),
        ("write:file:/a", "write:file:/ab", false),
        ("write:file:/ab", "write:file:/a", false),
        ("write:file:/a/b", "write:file:/a", false),
        ("write:file:a", "write:file:/a", false),
        ("write:file:/", "write:file:a", false),
        ("write:file", "write:database:x", false),
        ("write:file", "write:files:x", false),
        ("read:*", "write:file:/a", false),
        ("read:file:/a", "write:file:/a", false),
        ("write:file:/a", "read:file:/a", false),
        ("read:data", "read:database", false),
        ("read:database:dml", "read:database", false),
        ("read:file:/a:b", "read:file:/a", false),
        ("read:file:/a", "read:file:/a:b", false),
        ("execute", "read", false),
    ];
    for (wide, narrow, covers) in table {
        assert_eq!(scope(wide).covers(&scope(narrow)), covers, "{wide} covers {narrow}");
    }
}

/// Compares all pairs of many scopes with a definition that shares nothing with the code.
#[test]
fn scp_01_every_pair_is_as_its_components_say() {
    let details = ["", "a", "ab", "a/b", "/", "/a", "/ab", "/a/b", "/a/b/c", "a:b"];
    let mut all = vec![(vec!["read".to_owned()], scope("read")), (vec!["write".to_owned()], scope("write"))];
    for action in ["read", "write"] {
        for kind in ["file", "files"] {
            for detail in details {
                let mut parts = vec![action.to_owned(), kind.to_owned()];
                if let Some(path) = detail.strip_prefix('/') {
                    parts.push("/".to_owned());
                    parts.extend(path.split('/').filter(|part| !part.is_empty()).map(String::from));
                } else {
                    parts.extend(detail.split('/').filter(|part| !part.is_empty()).map(String::from));
                }
                let text = if detail.is_empty() {
                    format!("{action}:{kind}")
                } else {
                    format!("{action}:{kind}:{detail}")
                };
                all.push((parts, scope(&text)));
            }
        }
    }
    let mut pairs = 0;
    for (one, one_scope) in &all {
        for (two, two_scope) in &all {
            let (covers, covered) = (two.starts_with(one), one.starts_with(two));
            assert_eq!(one_scope.covers(two_scope), covers, "{one_scope} covers {two_scope}");
            assert_eq!(one_scope.overlaps(two_scope), covers || covered, "{one_scope} overlaps {two_scope}");
            let meet = if covers { Some(two_scope) } else { covered.then_some(one_scope) };
            assert_eq!(one_scope.meet(two_scope).as_ref(), meet, "{one_scope} meet {two_scope}");
            let set: ScopeSet = [one_scope.clone()].into_iter().collect();
            assert_eq!(set.covers(two_scope), covers);
            assert_eq!(set.overlaps(two_scope), covers || covered);
            assert_eq!(set.beneath(two_scope).count(), usize::from(covered));
            pairs += 1;
        }
    }
    assert!(pairs >= 300);
}

#[test]
fn scp_02_what_is_no_scope_is_refused_at_its_place() {
    let long = format!("read:file:/{}", "a".repeat(64 * 1024));
    let deep = format!("read:file:{}", vec!["a"; 129].join("/"));
    let table = [
        ("", 0),
        (":", 0),
        (" read", 0),
        ("READ", 0),
        ("READ:FILE:/a", 0),
        ("read\u{FF1A}file", 0),
        ("delete:file", 0),
        ("*", 0),
        ("read:", 5),
        ("read::", 5),
        ("read::/a", 5),
        ("read:FILE:/a", 5),
        ("read:1:/a", 5),
        ("read:-a", 5),
        ("read:a.b", 6),
        ("read:fi le", 7),
        ("read:file\u{FF1A}/a", 9),
        ("read:*:/a", 6),
        ("read:*:*", 6),
        ("read:file:", 10),
        ("read:file:../x", 10),
        ("read:file:/a/../..", 13),
        ("read:file:/a/.", 13),
        ("read:file:.", 10),
        ("read:file:/a//b", 13),
        ("read:file:/a/", 13),
        ("read:file://", 11),
        ("read:file:/a*", 12),
        ("read:file:/a/*", 13),
        ("read:file:**", 10),
        ("read:file:/a\0b", 12),
        ("read:file:/a\nb", 12),
        ("read:file:\u{7f}", 10),
        (&long, 4096),
        (&deep, 10 + 2 * 128),
    ];
    for (text, at) in table {
        let error = Scope::parse(text).expect_err(text);
        assert_eq!(error.at, at, "{}: {error}", &text[..text.len().min(40)]);
        assert!(error.to_string().len() < 300 && !error.message.is_empty());
    }
}

#[test]
fn scp_02_what_is_written_is_canonical() {
    let longest = format!("read:file:{}", "a".repeat(4096 - 10));
    let deepest = format!("read:file:{}", vec!["a"; 128].join("/"));
    // The written form and the canonical form.
    let table = [
        ("read", "read"),
        ("read:*", "read"),
        ("write:file", "write:file"),
        ("write:file:*", "write:file"),
        ("write:a_b-9", "write:a_b-9"),
        ("execute:file:/", "execute:file:/"),
        ("read:file:/a/b", "read:file:/a/b"),
        ("read:file:a/b", "read:file:a/b"),
        ("read:file:/a:b", "read:file:/a:b"),
        ("read:file:C:/x", "read:file:C:/x"),
        ("read:file:/\u{e9} \u{FF1A}", "read:file:/\u{e9} \u{FF1A}"),
        (&longest, &longest),
        (&deepest, &deepest),
    ];
    for (text, canonical) in table {
        let scope = scope(text);
        assert_eq!(scope.to_string(), canonical);
        assert_eq!(serde_json::to_value(&scope).unwrap(), json!(canonical));
        assert_eq!(canonical.parse::<Scope>().unwrap(), scope);
    }
    assert_eq!(format!("{:?}", scope("read:*")), "Scope(read)");
    assert_eq!(scope("write:file:/a").action(), Action::Write);
    assert_eq!(scope("write:file:/a").kind(), Some("file"));
    assert_eq!(scope("execute").kind(), None);
    for action in Action::ALL {
        assert_eq!(Scope::of(*action).action(), *action);
    }
}

#[test]
fn scp_13_the_wider_choice_is_never_everything() {
    let table = [
        ("write:file:/a/b/c", Some("write:file:/a/b")),
        ("write:file:/a/b", Some("write:file:/a")),
        ("write:file:/a", None),
        ("write:file:/", Some("write:file")),
        ("write:file:a/b", Some("write:file:a")),
        ("write:server:tool", Some("write:server")),
        ("write:file", None),
        ("write", None),
    ];
    for (text, parent) in table {
        assert_eq!(scope(text).parent().map(|scope| scope.to_string()).as_deref(), parent, "{text}");
    }
    for (text, is_sweeping) in [
        ("write", true),
        ("write:file:/", true),
        ("write:file", false),
        ("write:file:/a", false),
        ("read:a:b", false),
    ] {
        assert_eq!(scope(text).is_sweeping(), is_sweeping, "{text}");
    }
}

#[test]
fn a_tool_is_a_scope_of_its_server() {
    let table = [
        ("files", "read_file", "execute:files:read_file"),
        ("My Server!", "a.b-C", "execute:my-server-:a.b-C"),
        ("9to5", "x", "execute:server-9to5:x"),
        ("", "x", "execute:server-:x"),
        ("\u{e9}", "x", "execute:server--:x"),
        ("s", "group/tool", "execute:s:group/tool"),
        // A name that could mean more than itself needs the scope of the whole server.
        ("s", "../up", "execute:s"),
        ("s", "a*", "execute:s"),
        ("s", "", "execute:s"),
        ("s", "a\nb", "execute:s"),
    ];
    for (server, tool, text) in table {
        assert_eq!(Scope::of_tool(Action::Execute, server, tool).to_string(), text);
        assert_eq!(scope(text).to_string(), text);
    }
    let long = "s".repeat(200);
    assert_eq!(Scope::of_server(Action::Read, &long).kind().map(str::len), Some(64));
}

#[test]
fn templates_are_filled() {
    let table: &[(&str, Value, &[&str])] = &[
        ("write:file:{path}", json!({"path": "/a/b"}), &["write:file:/a/b"]),
        ("write:file:{path}", json!({"path": "a/"}), &["write:file:a"]),
        ("write:file:{path}", json!({"path": "./a"}), &["write:file:a"]),
        ("write:file:{path}", json!({"path": "././a"}), &["write:file:a"]),
        ("write:file:{path}", json!({"path": "/"}), &["write:file:/"]),
        ("write:file:{path}", json!({"path": "//"}), &["write:file:/"]),
        ("write:file:{path}", json!({"path": 7}), &["write:file:7"]),
        ("write:file:{path}", json!({"path": "note:b"}), &["write:file:note:b"]),
        // A number is the same in every notation.
        ("write:file:{path}", json!({"path": 7.0}), &["write:file:7"]),
        ("write:file:{path}", json!({"path": -0.0}), &["write:file:0"]),
        ("write:file:{path}", json!({"path": [70e-1, -3]}), &["write:file:7", "write:file:-3"]),
        ("write:file:/srv/{path}", json!({"path": 1e3}), &["write:file:/srv/1000"]),
        ("write:file:{path}", json!({"path": u64::MAX}), &["write:file:18446744073709551615"]),
        // Only the server knows where a relative path leads.
        ("write:file:{path}", json!({"path": "srv/secret/x"}), &["write:file"]),
        ("write:file:{path}", json!({"path": "./srv/x"}), &["write:file"]),
        ("write:file:{path}", json!({"path": "~/x"}), &["write:file"]),
        ("write:file:{path}", json!({"path": "~"}), &["write:file"]),
        ("write:file:{path}", json!({"path": "~root"}), &["write:file"]),
        ("write:file:{path}", json!({"path": "\\srv\\secret"}), &["write:file"]),
        ("write:file:{path}", json!({"path": "srv\\secret"}), &["write:file"]),
        ("write:file:{path}", json!({"path": "C:\\srv"}), &["write:file"]),
        ("write:file:{path}", json!({"path": "c:x"}), &["write:file"]),
        ("write:file:{path}", json!({"path": "C:/srv"}), &["write:file"]),
        ("write:file:{path}", json!({"path": "/srv\\x/y"}), &["write:file:/"]),
        ("write:file:/srv/{path}", json!({"path": "a/b"}), &["write:file:/srv/a/b"]),
        ("write:file:srv/{path}", json!({"path": "a/b"}), &["write:file:srv/a/b"]),
        ("read:repo:{owner}/{name}", json!({"owner": "o/p", "name": "n"}), &["read:repo"]),
        ("write:file:{paths}", json!({"paths": ["/a", "/b"]}), &["write:file:/a", "write:file:/b"]),
        // An open argument needs the wider scope.
        ("write:file:{path}", json!({}), &["write:file"]),
        ("write:file:{path}", json!(null), &["write:file"]),
        ("write:file:{path}", json!({"path": null}), &["write:file"]),
        ("write:file:{path}", json!({"path": ""}), &["write:file"]),
        ("write:file:{path}", json!({"path": "."}), &["write:file"]),
        ("write:file:{path}", json!({"path": "./"}), &["write:file"]),
        ("write:file:{path}", json!({"path": []}), &["write:file"]),
        ("write:file:/srv/{dir}/{names}", json!({"dir": "d", "names": []}), &["write:file:/srv/d"]),
        ("write:file:{path}", json!({"path": [null, "a"]}), &["write:file", "write:file:a"]),
        ("write:file:{path}", json!({"path": "/src/*.rs"}), &["write:file:/src"]),
        ("write:file:{path}", json!({"path": "/*"}), &["write:file:/"]),
        ("write:file:{path}", json!({"path": "/a/b\n/c"}), &["write:file:/a"]),
        ("write:file:/srv/{path}", json!({"path": "x"}), &["write:file:/srv/x"]),
        ("write:file:/srv/{path}", json!({}), &["write:file:/srv"]),
        ("write:file:/{path}", json!({}), &["write:file:/"]),
        ("write:file:/{path}", json!({"path": "x"}), &["write:file:/x"]),
        ("read:repo:{owner}/{name}/issues", json!({"owner": "o", "name": "n"}), &["read:repo:o/n/issues"]),
        ("read:repo:{owner}/{name}/issues", json!({"name": "n"}), &["read:repo"]),
        ("read:repo:{owner}/{name}/issues", json!({"owner": "o"}), &["read:repo:o"]),
        (
            "read:x:{a}/{b}",
            json!({"a": ["1", "2"], "b": ["3", "4"]}),
            &["read:x:1/3", "read:x:1/4", "read:x:2/3", "read:x:2/4"],
        ),
        ("read:x:{a}/y", json!({"a": ["1", "*"]}), &["read:x", "read:x:1/y"]),
        ("read:file", json!({"path": "../.."}), &["read:file"]),
    ];
    for (template, arguments, scopes) in table {
        let template = ScopeTemplate::parse(template).unwrap();
        let filled: Vec<String> = template.fill(arguments).unwrap().iter().map(ToString::to_string).collect();
        assert_eq!(filled, *scopes, "{template} {arguments}");
        for text in &filled {
            assert!(template.widest().covers(&scope(text)), "{template} {arguments}");
        }
    }
}

#[test]
fn an_argument_that_can_be_no_detail_is_an_error() {
    let many: Vec<String> = (0..257).map(|number| number.to_string()).collect();
    let table: &[(&str, Value)] = &[
        ("write:file:{path}", json!({"path": ".."})),
        ("write:file:{path}", json!({"path": "a/../b"})),
        ("write:file:{path}", json!({"path": "/a/../*"})),
        ("write:file:{path}", json!({"path": "../*"})),
        ("write:file:{path}", json!({"path": "*/.."})),
        ("write:file:{path}", json!({"path": "a\0"})),
        ("write:file:{path}", json!({"path": "a//b"})),
        ("write:file:{path}", json!({"path": "//a"})),
        ("write:file:{path}", json!({"path": "a/./b"})),
        ("write:file:{path}", json!({"path": "./a//b"})),
        ("write:file:{path}", json!({"path": "..\\b"})),
        ("write:file:/srv/{path}", json!({"path": "a\\..\\..\\b"})),
        ("write:file:/srv/{path}", json!({"path": "\\b"})),
        ("write:file:/srv/{path}", json!({"path": "C:b"})),
        ("write:file:{path}", json!({"path": 7.5})),
        ("write:file:{path}", json!({"path": 1e300})),
        ("write:file:{path}", json!({"path": 9_007_199_254_740_994.0})),
        ("write:file:{path}", json!({"path": true})),
        ("write:file:{path}", json!({"path": {}})),
        ("write:file:{path}", json!({"path": ["a", ".."]})),
        ("write:file:{path}", json!({"path": [["a"]]})),
        ("write:file:{path}", json!({"path": many})),
        ("write:file:/srv/{path}", json!({"path": "/etc"})),
        ("write:file:srv/{path}", json!({"path": "/etc"})),
        ("write:file:{a}/{b}", json!({"a": "x", "b": "/etc"})),
    ];
    for (template, arguments) in table {
        let template = ScopeTemplate::parse(template).unwrap();
        let filled = template.fill(arguments);
        assert!(filled.is_err(), "{template} {arguments}: {filled:?}");
    }
    let most = ScopeTemplate::parse("read:x:{a}").unwrap().fill(&json!({ "a": many[..256] })).unwrap();
    assert_eq!(most.len(), 256);
}

/// A very long argument still gives a valid scope, and the scope only becomes wider.
#[test]
fn long_arguments_need_the_wider_scope() {
    let template = ScopeTemplate::parse("write:file:{path}/x").unwrap();
    for path in
        ["a".repeat(5000), format!("/{}", vec!["a"; 200].join("/")), format!("/b/{}", "c".repeat(4090))]
    {
        for scope in template.fill(&json!({ "path": path })).unwrap() {
            assert_eq!(Scope::parse(&scope.to_string()).unwrap(), scope);
        }
    }
    let deep = template.fill(&json!({ "path": format!("/{}", vec!["a"; 200].join("/")) })).unwrap();
    assert_eq!(deep[0].to_string(), format!("write:file:/{}", vec!["a"; 127].join("/")));
    let long = template.fill(&json!({ "path": format!("/b/{}", "c".repeat(5000)) })).unwrap();
    assert_eq!(long[0].to_string(), "write:file:/b");
    // The longest argument that fits, and the shortest that doesn't.
    let template = ScopeTemplate::parse("write:file:{path}").unwrap();
    let filled = |bytes: usize| template.fill(&json!({ "path": "a".repeat(bytes) })).unwrap()[0].to_string();
    assert_eq!(filled(4096 - 11), format!("write:file:{}", "a".repeat(4096 - 11)));
    assert_eq!(filled(4096 - 10), "write:file");
    // What follows the argument can't be omitted.
    let template = ScopeTemplate::parse("write:file:{path}/x").unwrap();
    let filled = |bytes: usize| template.fill(&json!({ "path": "a".repeat(bytes) }));
    assert_eq!(filled(4096 - 13).unwrap()[0].to_string().len(), 4096);
    assert!(filled(4096 - 12).is_err() && filled(4096 - 11).is_err());
}

#[test]
fn a_template_is_no_longer_than_a_scope() {
    let template = |bytes: usize| ScopeTemplate::parse(&format!("write:file:{{{}}}", "a".repeat(bytes - 13)));
    assert_eq!(template(4096).unwrap().to_string().len(), 4096);
    assert_eq!(template(4097).unwrap_err().at, 4096);
}

#[test]
fn templates_that_are_none() {
    let table = [
        ("write:{kind}", 6),
        ("{action}:file", 0),
        ("{action}:file:x", 0),
        ("write:file:a{path}", 12),
        ("write:file:{path}b", 11),
        ("write:file:{}", 11),
        ("write:file:{a", 11),
        ("write:file:a}", 12),
        ("write:file:{a}/x{b}", 16),
        ("write:file:{a{b}}", 11),
        ("write:file:{a}/..", 15),
        ("write:file:{a}/", 15),
        ("write:file:../{a}", 11),
        ("write:FILE:{a}", 6),
        ("write:file:", 11),
        ("write:*:{a}", 6),
        ("write:file:*/{a}", 11),
    ];
    for (text, at) in table {
        let error = ScopeTemplate::parse(text).expect_err(text);
        assert_eq!(error.at, at, "{text}: {error}");
    }
    let long = format!("write:file:{{{}}}", "a".repeat(5000));
    assert!(ScopeTemplate::parse(&long).is_err());
    let fixed = ScopeTemplate::parse("write:file:/a").unwrap();
    assert!(fixed.is_fixed() && !ScopeTemplate::parse("write:file:{a}").unwrap().is_fixed());
    assert_eq!(ScopeTemplate::exactly(scope("write:file:/a")), fixed);
    assert_eq!(serde_json::to_value(&fixed).unwrap(), json!("write:file:/a"));
}

#[test]
fn a_set_is_what_was_put_in() {
    let mut set = ScopeSet::new();
    assert!(set.is_empty() && !set.covers(&scope("read")) && !set.overlaps(&scope("read")));
    assert!(set.insert(scope("write:file:/a")) && !set.insert(scope("write:file:/a")));
    set.extend([scope("read:*"), scope("write:file:/b/c")]);
    assert_eq!(set.len(), 3);
    assert_eq!(serde_json::to_value(&set).unwrap(), json!(["read", "write:file:/a", "write:file:/b/c"]));
    assert!(set.overlaps(&scope("write:file:/b")) && !set.covers(&scope("write:file:/b")));
    assert!(!set.overlaps(&scope("write:file:/c")) && !set.remove(&scope("write:file:/a/x")));
    assert!(set.remove(&scope("write:file:/a")) && !set.covers(&scope("write:file:/a")) && !set.is_empty());
    let beneath: Vec<String> = set.beneath(&scope("write")).map(ToString::to_string).collect();
    assert_eq!(beneath, ["write:file:/b/c"]);
}

fn any_scope() -> impl Strategy<Value = Scope> {
    let part = prop::sample::select(vec!["a", "b", "ab", "a!"]);
    (any::<bool>(), any::<bool>(), any::<bool>(), prop::collection::vec(part, 0..3)).prop_map(
        |(reads, has_kind, is_absolute, parts)| {
            let action = if reads { "read" } else { "write" };
            let detail = parts.join("/");
            scope(&match (has_kind, is_absolute, detail.is_empty()) {
                (false, ..) => action.to_owned(),
                (true, true, _) => format!("{action}:file:/{detail}"),
                (true, false, true) => format!("{action}:file"),
                (true, false, false) => format!("{action}:file:{detail}"),
            })
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(100_000), ..ProptestConfig::default() })]

    #[test]
    fn the_order_of_scopes_is_one(a in any_scope(), b in any_scope(), c in any_scope()) {
        prop_assert!(a.covers(&a));
        prop_assert!(!(a.covers(&b) && b.covers(&c)) || a.covers(&c));
        prop_assert!(!(a.covers(&b) && b.covers(&a)) || a == b);
        prop_assert_eq!(a.meet(&b), b.meet(&a));
        if let Some(meet) = a.meet(&b) {
            prop_assert!(a.covers(&meet) && b.covers(&meet));
        }
        prop_assert_eq!(a.meet(&b).and_then(|ab| ab.meet(&c)), b.meet(&c).and_then(|bc| a.meet(&bc)));
        if let Some(parent) = a.parent() {
            prop_assert!(parent.covers(&a) && parent != a);
        }
    }

    /// A set answers like a list of scopes.
    #[test]
    fn a_set_answers_as_a_list(list in prop::collection::vec(any_scope(), 0..4), asked in any_scope()) {
        let set: ScopeSet = list.iter().cloned().collect();
        prop_assert_eq!(set.covers(&asked), list.iter().any(|scope| scope.covers(&asked)));
        prop_assert_eq!(set.overlaps(&asked), list.iter().any(|scope| scope.overlaps(&asked)));
        let beneath: ScopeSet = set.beneath(&asked).cloned().collect();
        let expected: ScopeSet = list.iter().filter(|scope| asked.covers(scope)).cloned().collect();
        prop_assert_eq!(beneath, expected);
    }
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "[rw]?[a-z:*/.{}\\PC]{0,40}") {
        if let Ok(scope) = Scope::parse(&text) {
            prop_assert_eq!(Scope::parse(&scope.to_string()).unwrap(), scope);
        }
        if let Ok(template) = ScopeTemplate::parse(&text) {
            let _ = template.fill(&json!({"path": text}));
        }
    }

    #[test]
    fn a_filled_template_is_a_scope_beneath_it(path in "[a./*\\n:é~\\\\]{0,12}") {
        for template in ["write:file:{path}", "write:file:/x/{path}", "write:file:x/{path}/y", "write:file:/{path}"] {
            let template = ScopeTemplate::parse(template).unwrap();
            for filled in template.fill(&json!({ "path": path })).unwrap_or_default() {
                prop_assert!(template.widest().covers(&filled));
                prop_assert_eq!(&Scope::parse(&filled.to_string()).unwrap(), &filled);
            }
        }
    }
}
