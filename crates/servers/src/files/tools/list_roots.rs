//! `list_roots`: the served folders, and what is allowed in them.
use std::sync::Arc;

use overt_layers::record::{Example, PiiExposure, SecretsExposure, ToolRecord};
use overt_policy::scope::{Action, Scope};
use overt_settings::List;
use overt_settings::Regions;
use overt_toolbox::{Context, Tool, ToolError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::FileServer;
use super::super::access::AbsolutePath;
use super::reading::reading;

const DESCRIPTION: &str = "List the directories (roots) that this server serves, and what may be done there. Use when a path was refused.";

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {}

#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    roots: Vec<Root>,
    /// Directories that a person can allow in addition.
    grantable: Vec<Grantable>,
    /// Nothing can be changed.
    read_only: bool,
    /// Patterns that are hidden in every root.
    hidden: Vec<String>,
    /// Patterns that can be read but not changed.
    immutable: Vec<String>,
    /// The kernel confines the server: `full`, `partial`, `absent` or `off`.
    sandbox: &'static str,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Root {
    /// Absolute.
    path: String,
    /// Relative paths begin here.
    default: bool,
    /// It was moved or deleted since the server started.
    gone: bool,
    readable: bool,
    writable: bool,
    /// All of them apply.
    rules: Vec<Rule>,
}

/// What holds in one directory, for paths within it.
#[derive(Debug, Serialize, JsonSchema)]
struct Rule {
    /// Absolute.
    path: String,
    /// Only matching paths are visible.
    #[serde(skip_serializing_if = "Option::is_none")]
    allow: Option<Vec<String>>,
    /// Matching paths are hidden.
    deny: Vec<String>,
    /// Matching paths can be read but not changed.
    immutable: Vec<String>,
    /// All of it is hidden.
    blocked: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Grantable {
    /// Absolute.
    path: String,
    readable: bool,
    writable: bool,
}

pub(super) fn tool(server: &Arc<FileServer>) -> Tool {
    let shared = Arc::clone(server);
    let run = move |_: Input, context: Context| {
        let output = about(&shared, &context);
        async move { output }
    };
    Tool::new("list_roots", DESCRIPTION, run)
        .title("Show the roots")
        // No argument is a path, but granted scopes can be asked for.
        .scope_arguments(|arguments, _| arguments.clone())
        .declare(ToolRecord {
            scopes: vec!["read:overt-fs:list_roots".to_owned()],
            intent_template: Some("Show the directories that are served".to_owned()),
            cli_equivalent: Some("overt call fs list_roots".to_owned()),
            pii_exposure: Some(PiiExposure::Low),
            secrets_exposure: Some(SecretsExposure::None),
            refusal_modes: Some(Vec::new()),
            examples: vec![Example::from_json(
                "All roots",
                r#"{}"#,
                r#"{
                    "roots": [{
                        "path": "/home/ann/project",
                        "default": true,
                        "gone": false,
                        "readable": true,
                        "writable": true,
                        "rules": []
                    }],
                    "grantable": [],
                    "read_only": false,
                    "hidden": [],
                    "immutable": [],
                    "sandbox": "off"
                }"#,
            )],
            ..reading()
        })
}

fn about(server: &FileServer, context: &Context) -> Result<Output, ToolError> {
    let regions: Regions = context.setting("roots")?;
    let read_only: bool = context.setting("read_only")?;
    let hidden: List = context.setting("hidden")?;
    let immutable: List = context.setting("immutable")?;
    let is_narrowed = context.is_narrowed("roots");
    let layers = layers(&regions.to_json());
    let allows = |action, path: &AbsolutePath, otherwise| {
        let is_kept = action == Action::Write && read_only;
        !is_kept && context.allows(&Scope::of_path(action, "file", path.as_str()), otherwise)
    };
    let view = server.view(context)?;
    let roots = view.served().iter().enumerate().map(|(index, path)| {
        let gone = server.roots.is_gone(path);
        Root {
            path: path.to_string(),
            default: index == 0,
            gone,
            readable: !gone && allows(Action::Read, path, true),
            writable: !gone && allows(Action::Write, path, true),
            rules: layers.iter().filter_map(|rule| Rule::of(rule, path)).collect(),
        }
    });
    let grantable = server.roots.grantable().map(|folder| Grantable {
        path: folder.path().to_string(),
        readable: !folder.is_gone() && !is_narrowed && allows(Action::Read, folder.path(), false),
        writable: !folder.is_gone() && !is_narrowed && allows(Action::Write, folder.path(), false),
    });
    let open = server.places.as_ref().map(|places| places.open_paths()).unwrap_or_default();
    let open = open.into_iter().map(|(path, writable)| Grantable { path, readable: true, writable });
    Ok(Output {
        roots: roots.collect(),
        grantable: grantable.chain(open).collect(),
        read_only,
        hidden: hidden.into_iter().collect(),
        immutable: immutable.into_iter().collect(),
        sandbox: server.sandbox.word(),
    })
}

/// Returns the regions of all layers in one list.
fn layers(regions: &Value) -> Vec<Value> {
    let items = regions.as_array().cloned().unwrap_or_default();
    items
        .into_iter()
        .flat_map(|item| match item {
            Value::Array(layer) => layer,
            item => vec![item],
        })
        .collect()
}

impl Rule {
    /// Returns what a region says about a root. `None` unless one of the two contains the other.
    fn of(region: &Value, root: &AbsolutePath) -> Option<Self> {
        let path = region.as_str().or_else(|| region.get("path")?.as_str())?;
        let whole = AbsolutePath::from_system(path)?;
        if root.inner(&whole).is_none() && whole.inner(root).is_none() {
            return None;
        }
        let patterns = |name: &str| {
            let list = region.get(name)?.as_array()?;
            Some(list.iter().filter_map(|pattern| pattern.as_str().map(str::to_owned)).collect::<Vec<_>>())
        };
        Some(Self {
            path: path.to_owned(),
            allow: patterns("allow"),
            deny: patterns("deny").unwrap_or_default(),
            immutable: patterns("immutable").unwrap_or_default(),
            blocked: region.get("blocked").and_then(Value::as_bool).unwrap_or(false),
        })
    }
}
