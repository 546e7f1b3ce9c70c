//! Checks which of our crates use which, and that pure crates use no crate for input or output.

use serde_json::Value;

use super::tree::{Tree, Violation};

/// The dependencies that ARCHITECTURE.md allows. Development dependencies are not restricted,
/// because they do not reach users.
const MAY_USE: &[(&str, &[&str])] = &[
    ("overt-wire", &[]),
    ("overt-secrets", &["overt-wire"]),
    ("overt-policy", &["overt-wire", "overt-secrets"]),
    ("overt-settings", &["overt-policy"]),
    ("overt-intent", &["overt-wire", "overt-secrets", "overt-policy"]),
    ("overt-documents", &["overt-wire", "overt-secrets", "overt-policy", "overt-settings", "overt-intent"]),
    ("overt-clients", &["overt-wire", "overt-secrets", "overt-policy"]),
    ("overt-transport", &["overt-wire"]),
    ("overt-layers", &["overt-wire", "overt-secrets", "overt-policy", "overt-settings", "overt-intent"]),
    ("overt-disclosure", &["overt-wire", "overt-secrets", "overt-policy", "overt-documents", "overt-layers"]),
    ("overt-toolbox", &["overt-wire", "overt-secrets", "overt-policy", "overt-settings", "overt-layers"]),
    (
        "overt-servers",
        &[
            "overt-wire",
            "overt-policy",
            "overt-settings",
            "overt-intent",
            "overt-documents",
            "overt-clients",
            "overt-layers",
            "overt-toolbox",
        ],
    ),
    ("overt-state", &["overt-wire", "overt-secrets", "overt-policy", "overt-layers"]),
    ("overt-auth", &["overt-wire", "overt-transport"]),
    ("overt-gateway", &["overt-wire", "overt-secrets", "overt-policy", "overt-transport", "overt-layers"]),
    (
        "overt-operator",
        &[
            "overt-wire",
            "overt-policy",
            "overt-settings",
            "overt-layers",
            "overt-servers",
            "overt-state",
            "overt-gateway",
        ],
    ),
    (
        "overt-cli",
        &[
            "overt-wire",
            "overt-secrets",
            "overt-policy",
            "overt-settings",
            "overt-intent",
            "overt-documents",
            "overt-clients",
            "overt-transport",
            "overt-layers",
            "overt-disclosure",
            "overt-toolbox",
            "overt-servers",
            "overt-state",
            "overt-auth",
            "overt-gateway",
            "overt-operator",
        ],
    ),
    ("overt", &["overt-cli"]),
    (
        "overt-testkit",
        &[
            "overt-wire",
            "overt-policy",
            "overt-transport",
            "overt-layers",
            "overt-disclosure",
            "overt-toolbox",
        ],
    ),
    ("xtask", &[]),
    ("overt-bench", &["xtask"]),
    ("bench-control", &["overt-layers", "overt-toolbox", "overt-state", "overt-wire"]),
    ("bench-harness", &[]),
    ("bench-wire", &["overt-wire"]),
    ("echo-overt", &["overt-layers", "overt-toolbox", "overt-transport"]),
];

/// Crates that do no input or output, and the crates that they therefore must not use.
const PURE: &[&str] =
    &["overt-wire", "overt-secrets", "overt-policy", "overt-settings", "overt-intent", "overt-documents"];
const IMPURE: &[&str] = &["tokio", "hyper", "hyper-util", "reqwest", "rustix", "tracing"];

/// Checks all packages. `metadata` is the output of `cargo metadata --no-deps`.
pub(crate) fn check(tree: &Tree, metadata: &Value) -> Vec<Violation> {
    let packages = metadata["packages"].as_array().map_or(&[][..], Vec::as_slice);
    packages.iter().flat_map(|package| check_package(tree, package)).collect()
}

fn check_package(tree: &Tree, package: &Value) -> Vec<Violation> {
    let name = package["name"].as_str().unwrap_or_default();
    let manifest = manifest_of(tree, package);
    let Some((_, allowed)) = MAY_USE.iter().find(|(known, _)| *known == name) else {
        let what = format!(
            "package `{name}` is not in the table of arrows; add it to xtask/src/tidy/crate_dependencies.rs"
        );
        return vec![Violation::new(manifest, 1, what)];
    };
    let dependencies = package["dependencies"].as_array().map_or(&[][..], Vec::as_slice);
    let shipped = dependencies.iter().filter(|dependency| dependency["kind"] != "dev");
    let names = shipped.filter_map(|dependency| dependency["name"].as_str());
    let mut violations = Vec::new();
    for used in names {
        let ours = MAY_USE.iter().any(|(known, _)| *known == used);
        let what = if ours && !allowed.contains(&used) {
            let allowed =
                if allowed.is_empty() { "none of our crates".to_owned() } else { allowed.join(", ") };
            format!(
                "`{name}` must not depend on `{used}`, only on {allowed}; move the code or make it a dev-dependency"
            )
        } else if PURE.contains(&name) && IMPURE.contains(&used) {
            format!(
                "`{name}` does no input or output, so it must not depend on `{used}`; move the code to overt-transport"
            )
        } else {
            continue;
        };
        violations.push(Violation::new(manifest, line_of(tree, manifest, used), what));
    }
    violations
}

/// Returns the manifest's path from the root, from cargo's absolute one.
fn manifest_of<'a>(tree: &'a Tree, package: &Value) -> &'a str {
    let absolute = package["manifest_path"].as_str().unwrap_or_default();
    let mut manifests = tree.iter().map(|(name, _)| name).filter(|name| name.ends_with("/Cargo.toml"));
    manifests.find(|name| absolute.ends_with(&format!("/{name}"))).unwrap_or("Cargo.toml")
}

fn line_of(tree: &Tree, manifest: &str, dependency: &str) -> usize {
    let names = |line: &str| line.split(['.', ' ', '=']).next().is_some_and(|word| word == dependency);
    tree.get(manifest).and_then(|text| text.lines().position(names)).map_or(1, |index| index + 1)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found(package: &str, dependencies: &Value) -> Vec<String> {
        let tree = Tree::from([(
            "crates/x/Cargo.toml",
            "[dependencies]\ntokio.workspace = true\novert-layers.workspace = true\n",
        )]);
        let package = json!({"name": package, "manifest_path": "/any/crates/x/Cargo.toml", "dependencies": dependencies});
        check(&tree, &json!({ "packages": [package] })).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn an_arrow_against_the_table_is_found() {
        let found = found("overt-transport", &json!([{"name": "overt-layers", "kind": null}]));
        assert_eq!(found.len(), 1);
        assert!(
            found[0]
                .starts_with("crates/x/Cargo.toml:3: `overt-transport` must not depend on `overt-layers`")
        );
    }

    #[test]
    fn testkit_is_for_dev_dependencies_only() {
        assert_eq!(found("overt", &json!([{"name": "overt-testkit", "kind": null}])).len(), 1);
        assert_eq!(found("overt", &json!([{"name": "overt-testkit", "kind": "build"}])).len(), 1);
        assert!(found("overt", &json!([{"name": "overt-testkit", "kind": "dev"}])).is_empty());
    }

    #[test]
    fn a_pure_crate_with_a_runtime_is_found() {
        let found =
            found("overt-wire", &json!([{"name": "tokio", "kind": null}, {"name": "memchr", "kind": null}]));
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("crates/x/Cargo.toml:2: `overt-wire` does no input or output"));
    }

    #[test]
    fn a_package_outside_the_table_is_found() {
        assert!(found("overt-new", &json!([]))[0].contains("not in the table of arrows"));
    }
}
