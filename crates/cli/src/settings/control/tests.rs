//! Tests of the precedence of the sources, and of the meaning of the values.
use std::path::PathBuf;

use overt_policy::rate::RateLimit;
use overt_policy::scope::Scope;
use overt_settings::{
    Author, Clients, DeclaredSettings, FieldScope, Kind, Origin, ReplacementRight, Setting, SettingValues,
    Source,
};
use serde_json::json;
use tempfile::TempDir;

use super::*;
use crate::args::{ControlArgs, SettingFlags};
use crate::settings::{Env, OfFiles};

fn args(config: Option<PathBuf>, flags: &[(&'static str, &str)]) -> ControlArgs {
    ControlArgs {
        config,
        show_settings: false,
        format: None,
        print_config_schema: false,
        flags: SettingFlags::of(flags),
    }
}

fn file(text: &str) -> (TempDir, PathBuf) {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("overt.toml");
    std::fs::write(&path, text).unwrap();
    (directory, path)
}

#[test]
fn the_table_is_right() {
    assert!(OfRun::declared() != DeclaredSettings::default());
    assert_eq!(OfRun::declared().iter().count(), 19);
}

/// H-15: the file overrides the default, the environment the file, and a flag the environment. A
/// client's configuration applies on top of that.
#[test]
fn h_15_each_source_is_over_the_ones_before() {
    let (_directory, path) = file("[settings]\napproval_wait = \"2s\"\n");
    let sources = ["default", "file", "environment", "flag"];
    for given in 0..16_u8 {
        let has = |source: usize| source == 0 || given & (1 << source) != 0;
        let flags: &[_] = if has(3) { &[("approval_wait", "4s")] } else { &[] };
        let env = if has(2) { Env::of(&[("OVERT_APPROVAL_WAIT", "3s")]) } else { Env::default() };
        let (_, settings) =
            ControlSources::resolve(&args(has(1).then(|| path.clone()), flags), &env).unwrap();
        let strongest = (0..4).rev().find(|source| has(*source)).unwrap();
        let expected = if strongest == 0 { 0 } else { strongest as u64 + 1 };
        assert_eq!(settings.approval.wait.as_secs(), expected, "{}", sources[strongest]);
        let origin = match settings.values.origin("approval_wait").unwrap() {
            Origin::Default => "default",
            Origin::File { line: Some(2), .. } => "file",
            Origin::Environment(_) => "environment",
            Origin::Flag(_) => "flag",
            other => panic!("{other}"),
        };
        assert_eq!(origin, sources[strongest]);
    }
}

#[test]
fn everything_that_is_wrong_is_said_at_once() {
    let (_directory, path) =
        file("[settings]\naudit = \"loud\"\ncolour = 1\n\n[policy]\neffect = \"nasty\"\n");
    let env = Env::of(&[("OVERT_RATE_LIMIT", "often"), ("OVERT_ALLOW_ALL", "maybe")]);
    let flags = &[("approval_wait", "1 week"), ("deny", "eat")];
    let error = ControlSources::resolve(&args(Some(path), flags), &env).unwrap_err().to_string();
    let places =
        ["/settings/audit", "/settings/colour", "/policy/effect", "OVERT_RATE_LIMIT", "OVERT_ALLOW_ALL"];
    for place in places.iter().chain(&["--approval-wait", "--deny"]) {
        assert!(error.contains(place), "{place} in {error}");
    }
}

#[test]
fn values_mean_what_they_say() {
    let (_directory, path) = file(
        "[settings]\nallow = [\"read\", \"write:file\"]\nmax_result_bytes = \"2MiB\"\n\
         [policy]\nmax_result_bytes = \"1MiB\"\n[policy.limits]\nseconds = 3\n",
    );
    let flags =
        &[("deny", "execute"), ("call_timeout", "9s"), ("audit", "off"), ("tool_rate_limit", "3/minute")];
    let (_, settings) = ControlSources::resolve(&args(Some(path), flags), &Env::default()).unwrap();
    let scope = |text| Scope::parse(text).unwrap();
    assert!(settings.authority.base.covers(&scope("write:file:/a")));
    assert!(!settings.authority.base.covers(&scope("write:note")));
    assert!(settings.authority.denied.covers(&scope("execute:x")));
    assert!(settings.authority.grantable.is_none() && settings.authority.honour_declared_approval);
    let limits = settings.authority.ceiling.limits;
    assert_eq!(limits.result_bytes, Some(1 << 20));
    assert_eq!(limits.time.unwrap().as_secs(), 3);
    assert_eq!(settings.rates.each, [RateLimit::parse("3/minute").unwrap()]);
    assert_eq!(settings.audit.mode, None);

    let (_, open) = ControlSources::resolve(&args(None, &[("allow_all", "true")]), &Env::default()).unwrap();
    assert!(open.authority.base.covers(&scope("execute")) && !open.authority.honour_declared_approval);
    assert_eq!(open.version, "built-in");
}

/// POL-13: a rate over a longer unit of time also permits bursts that a rate over a shorter unit
/// forbids, so both must apply.
#[test]
fn pol_13_a_rate_that_narrows_stands_beside_the_one_in_force() {
    let flags = &[("tool_rate_limit", "3/minute"), ("rate_limit", "5/second")];
    let (_, settings) = ControlSources::resolve(&args(None, flags), &Env::default()).unwrap();
    let asked = json!({ "tool_rate_limit": "4000/day", "rate_limit": "9/minute" });
    let narrowed =
        settings.values.narrowed_by(asked.as_object().unwrap(), Source::Policy(Author::Llm)).unwrap();
    let rates = settings.with(narrowed).snapshot().rates;
    let texts = |rates: &[RateLimit]| rates.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(texts(&rates.each), ["3/minute", "4000/day"]);
    assert_eq!(texts(&rates.all), ["5/second", "9/minute"]);
}

/// POL-13: the operator's denied scopes and grant ceiling hold for every client. What is allowed
/// holds for every client that the operator does not trust.
#[test]
fn pol_13_no_client_takes_away_a_deny_or_a_ceiling() {
    let given: &[(&[(&str, &str)], _, _, _)] = &[
        (&[("deny", "execute")], json!({ "deny": [] }), Ok("execute"), Ok("execute")),
        (&[("deny", "execute")], json!({ "deny": ["write"] }), Ok("execute, write"), Ok("execute, write")),
        (&[("max_grantable", "write:file")], json!({ "max_grantable": ["write"] }), Err(()), Err(())),
        (
            &[("max_grantable", "write:file")],
            json!({ "max_grantable": ["write:file:/a"] }),
            Ok("write:file and write:file:/a"),
            Ok("write:file and write:file:/a"),
        ),
        // An unset ceiling does not permit very broad scopes.
        (&[], json!({ "max_grantable": ["write"] }), Err(()), Err(())),
        (&[], json!({ "max_grantable": ["write:file:/"] }), Err(()), Err(())),
        (&[], json!({ "max_grantable": ["write:file"] }), Ok("write:file"), Ok("write:file")),
        (&[], json!({ "allow_all": true }), Err(()), Ok("true")),
        (&[("allow_all", "true")], json!({ "allow_all": false }), Ok("false"), Ok("false")),
        (&[], json!({ "allow": ["write:file"] }), Err(()), Ok("write:file")),
        (&[], json!({ "allow": [] }), Ok("(none) and read"), Ok("(none)")),
        (&[], json!({ "trust_grants": true }), Err(()), Err(())),
        (&[], json!({ "allow_client_config": true }), Err(()), Err(())),
        (&[], json!({ "audit": "off" }), Err(()), Err(())),
        (&[], json!({ "audit_arguments": "redacted" }), Err(()), Err(())),
        (&[("call_timeout", "1s")], json!({ "call_timeout": "9s" }), Ok("9s"), Ok("9s")),
    ];
    for (flags, sent, started, trusted) in given {
        let (_, settings) = ControlSources::resolve(&args(None, flags), &Env::default()).unwrap();
        let sent = sent.as_object().unwrap();
        let (key, _) = sent.iter().next().unwrap();
        let setting = settings.values.declared().get(key).unwrap();
        let left = |values: SettingValues| values.value_of(key).unwrap().to_text(setting.kind);
        for (trust, expected) in [(ReplacementRight::Started, started), (ReplacementRight::Operator, trusted)]
        {
            let configured = settings.values.configured_by(sent, trust).map(left).map_err(drop);
            assert_eq!(configured, expected.map(str::to_owned), "{sent:?} {trust:?}");
        }
    }
}

/// POL-16: an untrusted file is refused; a file that has become unusable changes nothing.
#[test]
#[cfg(unix)]
fn pol_16_only_a_safe_file_is_read_and_a_bad_one_changes_nothing() {
    use std::os::unix::fs::PermissionsExt as _;
    let (directory, path) = file("[settings]\napproval_wait = 1\n");
    let resolve = |path: PathBuf| ControlSources::resolve(&args(Some(path), &[]), &Env::default());
    let (sources, first) = resolve(path.clone()).unwrap();
    assert!(first.version.starts_with("sha256:") && first.version.len() == 71, "{}", first.version);
    std::fs::write(&path, "[settings\n").unwrap();
    assert!(sources.reload().is_err());
    std::fs::write(&path, "[settings]\napproval_wait = 2\n").unwrap();
    let second = sources.reload().unwrap();
    assert_eq!(second.approval.wait.as_secs(), 2);
    assert_ne!(second.version, first.version);

    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o666)).unwrap();
    assert!(sources.reload().unwrap_err().to_string().contains("written by everybody"));
    // The user's own group counts as the user.
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o664)).unwrap();
    sources.reload().unwrap();
    // Only root can give a file away.
    if std::os::unix::fs::chown(&path, None, Some(54_321)).is_ok() && rustix::process::geteuid().is_root() {
        assert!(sources.reload().unwrap_err().to_string().contains("group that is not your own"));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        sources.reload().unwrap();
        std::os::unix::fs::chown(&path, Some(54_321), None).unwrap();
        assert!(sources.reload().unwrap_err().to_string().contains("belongs to another user"));
        std::os::unix::fs::chown(&path, Some(0), Some(0)).unwrap();
    }
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    let open = directory.path().join("open");
    std::fs::create_dir(&open).unwrap();
    std::os::unix::fs::symlink(&path, open.join("link")).unwrap();
    resolve(open.join("link")).unwrap();
    for (mode, is_safe) in [(0o777, false), (0o1777, true)] {
        std::fs::set_permissions(&open, std::fs::Permissions::from_mode(mode)).unwrap();
        let read = resolve(open.join("link")).map(drop).map_err(|error| error.to_string());
        assert_eq!(read.is_ok(), is_safe, "{mode:o} {read:?}");
    }
    assert!(resolve(directory.path().to_owned()).unwrap_err().to_string().contains("not a regular file"));
    assert!(resolve(PathBuf::from("/dev/zero")).unwrap_err().to_string().contains("not a regular file"));
    assert!(resolve(directory.path().join("none")).unwrap_err().to_string().contains("can't be read"));
    let large = directory.path().join("large");
    std::fs::write(&large, " ".repeat((4 << 20) + 1)).unwrap();
    assert!(resolve(large).unwrap_err().to_string().contains("more than 4 MiB"));
}

/// docs/settings.md has a row for each setting as it is declared. Settings of `overt fs` have a row
/// if they differ from those of `overt run`.
#[test]
fn the_docs_have_every_setting_as_it_is_declared() {
    let of_run = rows(&OfRun::declared());
    let of_files = rows(&OfFiles::declared()).into_iter().filter(|row| !of_run.contains(row));
    let rows: Vec<String> = of_run.iter().cloned().chain(of_files).collect();
    let docs = include_str!("../../../../../docs/settings.md");
    let documented: Vec<&str> = docs.lines().filter(|line| line.starts_with("| `")).collect();
    assert_eq!(documented, rows, "\n{}", rows.join("\n"));
}

fn rows(declared: &DeclaredSettings) -> Vec<String> {
    let row = |setting: &Setting| {
        let value = placeholder(setting);
        let flag = match setting.kind {
            Kind::Flag => format!("`--{}`", setting.flag()),
            Kind::Regions => "`ROOT...`".to_owned(),
            _ => format!("`--{} {value}`", setting.flag()),
        };
        let default =
            declared.default_text(setting.key).map_or_else(|| "-".to_owned(), |text| format!("`{text}`"));
        let by = match (setting.fixed, setting.scope, setting.clients) {
            (true, ..) => "at the start",
            (_, FieldScope::Configuration, Clients::Narrow) => "in configurations, clients only narrower",
            (_, _, Clients::Narrow) => "in configurations and policies, clients only narrower",
            (_, _, Clients::NarrowUnlessTrusted) => "in configurations, trusted clients",
            (_, FieldScope::Configuration, _) => "in configurations",
            _ => "in configurations and policies",
        };
        format!("| `{}` | {flag} | {default} | {by} | {} |", setting.key, setting.description)
    };
    declared.iter().map(row).collect()
}
