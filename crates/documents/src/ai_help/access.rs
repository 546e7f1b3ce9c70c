//! Installation, authentication, and alternatives to the MCP server.
use serde_json::{Map, Value, json};

use super::help::Part;
use super::lines::bullets;
use super::section::Section;
use crate::description::Description;
use crate::front_matter::FrontMatter;
use crate::markdown::{LINE, code, json_fence};
use crate::text_source::TextSource;
use overt_policy::record::{ServerRecord, Urls};

/// Returns the command that installs a package, if the manager is known and the name is well
/// formed.
fn install_command(manager: &str, package: &str) -> Option<String> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "@/._:+-[]=".contains(c);
    if package.is_empty() || package.starts_with('-') || !package.chars().all(is_name) {
        return None;
    }
    let command = match manager {
        "npm" => "npm install -g",
        "pip" => "pip install",
        "docker" => "docker pull",
        "brew" => "brew install",
        "cargo" => "cargo install",
        "go" => "go install",
        _ => return None,
    };
    Some(format!("{command} {package}"))
}

/// Returns an entry for the `mcpServers` files of clients: with the URL if there is one, otherwise
/// with the program. It contains names of secrets, never values.
pub(crate) fn config(description: &Description, front: &FrontMatter) -> Option<Value> {
    let entry = match &front.urls.mcp {
        Some(url) => json!({ "type": "http", "url": url }),
        None => program(&description.server)?,
    };
    Some(json!({ "mcpServers": { &description.name: entry } }))
}

pub(super) fn installation(description: &Description, front: &FrontMatter) -> Option<Part> {
    let install = &description.server.install;
    let mut text = String::new();
    for (manager, package) in install {
        let command = install_command(manager, package);
        let manager = description.source.line(manager, 40);
        match command {
            Some(command) => {
                text.push_str(&format!("### {manager}\n\n```bash\n{command}\n```\n\n"));
            }
            None => text.push_str(&format!("### {manager}\n\n{}\n\n", code(package))),
        }
    }
    let config = config(description, front);
    if let Some(fence) = config.as_ref().and_then(json_fence) {
        text.push_str(&format!("### Configuration of a client\n\n{fence}\n"));
    }
    if text.is_empty() {
        return None;
    }
    let mut data = Map::new();
    if !install.is_empty() {
        data.insert("packages".to_owned(), json!(install));
    }
    if let Some(config) = config {
        data.insert("config".to_owned(), config);
    }
    Some(Part::new(Section::Installation, text.trim_end().to_owned() + "\n", data.into()))
}

pub(super) fn authentication(server: &ServerRecord, source: TextSource) -> Option<Part> {
    let written = server.authentication.as_deref().unwrap_or_default();
    let requires = &server.requires;
    let lists =
        [("Methods", &requires.auth), ("Environment variables", &requires.env), ("Scopes", &requires.scopes)];
    let list = bullets(&lines_of(&lists));
    let with_list = |written: String| match (written.is_empty(), list.is_empty()) {
        (false, false) => format!("{written}\n{list}"),
        _ => written + &list,
    };
    let text = with_list(source.block(written));
    // The JSON contains the original Markdown.
    let data = with_list(TextSource::Author.block(written));
    (!text.is_empty()).then(|| Part::new(Section::Authentication, text, json!(data.trim_end())))
}

pub(super) fn alternatives(server: &ServerRecord, urls: &Urls, source: TextSource) -> Option<Part> {
    let places = [
        ("CLI", "cliUrl", &urls.cli),
        ("API", "apiUrl", &urls.api),
        ("Web", "webUrl", &urls.web),
        ("MCP", "mcpUrl", &urls.mcp),
        ("Homepage", "homepage", &server.homepage),
        ("Source", "repository", &server.repository),
        ("Status", "statusPage", &server.status_page),
    ];
    let known: Vec<_> =
        places.iter().filter_map(|(word, name, url)| Some((*word, *name, url.as_ref()?))).collect();
    let lines: Vec<String> =
        known.iter().map(|(word, _, url)| format!("**{word}:** {}", source.line(url, LINE))).collect();
    let data: Map<String, Value> =
        known.iter().map(|(_, name, url)| ((*name).to_owned(), json!(url))).collect();
    (!known.is_empty()).then(|| Part::new(Section::AlternativeAccess, bullets(&lines), data.into()))
}

fn lines_of(lists: &[(&str, &Vec<String>)]) -> Vec<String> {
    let lists = lists.iter().filter(|(_, list)| !list.is_empty());
    lists
        .map(|(word, list)| {
            let names: Vec<String> = list.iter().map(|name| code(name)).collect();
            format!("{word}: {}", names.join(", "))
        })
        .collect()
}

/// Returns the command by which a client starts the server, by the convention of each package
/// manager and with the declared arguments.
fn program(server: &ServerRecord) -> Option<Value> {
    let env = &server.requires.env;
    let (command, mut args) = server.install.iter().find_map(|(manager, package)| {
        install_command(manager, package)?;
        Some(match manager.as_str() {
            "npm" => ("npx", vec!["-y".to_owned(), package.clone()]),
            "pip" => ("uvx", vec![package.clone()]),
            "docker" => {
                let mut args = vec!["run".to_owned(), "-i".to_owned(), "--rm".to_owned()];
                args.extend(env.iter().flat_map(|name| ["-e".to_owned(), name.clone()]));
                args.push(package.clone());
                ("docker", args)
            }
            _ => return None,
        })
    })?;
    args.extend(server.args.iter().cloned());
    let mut entry = json!({ "command": command, "args": args });
    if !env.is_empty() {
        let values = env.iter().map(|name| (name.clone(), json!(format!("${{{name}}}"))));
        entry["env"] = values.collect::<Map<_, _>>().into();
    }
    Some(entry)
}
