//! The official SDKs read the skills of `overt skills` at every address, over stdio and HTTP, in
//! both eras. They must get the bytes on disk.

use std::ffi::OsString;

use serde_json::{Value, json};

use super::case::{self, Case};
use super::clients::{ERAS, scripted};
use crate::conformance::skills::{LIBRARY, library, start};
use crate::example::Server;
use crate::failure::Failure;
use crate::repo::Repo;
use crate::run::Job;

/// The cases, and the HTTP server that they need while they run.
pub(crate) struct Surfaces {
    pub(crate) cases: Vec<Case>,
    _server: Server,
}

pub(crate) fn cases(repo: &Repo) -> Result<Surfaces, Failure> {
    let library = library(repo)?;
    let server = start(repo, &library)?;
    let stdio =
        [repo.overt(), vec!["skills".into(), "--tools".into(), "--prompts".into(), library.into_os_string()]]
            .concat();
    let clients = scripted(repo, "ask", "ask");
    let targets = [("stdio", stdio), ("http", vec![OsString::from(&server.url)])];
    let mut cases = Vec::new();
    for (era, version) in ERAS {
        for (transport, target) in &targets {
            for (client, command) in &clients {
                let name = format!("skills, {client}, {transport}, {version}");
                // In the newer era this client takes any result for a tool's, so methods of
                // extensions do not work with it.
                let only_core = *client == "rmcp client" && *era == "modern";
                let requests: Vec<Value> =
                    surfaces(only_core).into_iter().map(|surface| surface.request).collect();
                let job = Job::command(repo, &format!("peer {name}"), command.iter().map(OsString::from))
                    .args([era.to_owned(), &Value::from(requests).to_string()])
                    .args(target.iter().cloned());
                cases.push(Case::new(name, move || check(&job, version, &surfaces(only_core))));
            }
        }
    }
    Ok(Surfaces { cases, _server: server })
}

/// A request for a skill, the path of a text in its answer, and the expected text.
struct Surface {
    request: Value,
    text: &'static str,
    wanted: String,
}

/// Returns all ways to reach the skills. `only_core` leaves out the methods of the extension.
fn surfaces(only_core: bool) -> Vec<Surface> {
    let mut surfaces = Vec::new();
    let mut add = |method: &str, params: Value, text, wanted: &str| {
        let request = json!({ "method": method, "params": params });
        surfaces.push(Surface { request, text, wanted: wanted.to_owned() });
    };
    for (path, content) in LIBRARY {
        let uri = format!("skill://{path}");
        add("resources/read", json!({ "uri": uri }), "/contents/0/text", content);
        let arguments = json!({ "name": "read_resource", "arguments": { "uri": uri } });
        add("tools/call", arguments, "/content/0/text", content);
        let Some(folder) = path.strip_suffix("/SKILL.md") else { continue };
        let name = folder.rsplit('/').next().unwrap_or(folder);
        let document = format!("resource://skills/{name}/document");
        add("resources/read", json!({ "uri": document }), "/contents/0/text", content);
        let arguments = json!({ "name": "read_skill", "arguments": { "skill": name } });
        add("tools/call", arguments, "/content/0/text", content);
        let arguments = json!({ "name": "use_skill", "arguments": { "name": name } });
        add("prompts/get", arguments, "/messages/0/content/resource/text", content);
        add("skills/get", json!({ "uri": uri }), "/skill/uri", &uri);
        add("skills/get", json!({ "uri": uri }), "/skill/frontmatter/name", name);
        let manifest = json!({ "uri": format!("skill://{folder}/_manifest") });
        add("resources/read", manifest, "/contents/0/mimeType", "application/json");
    }
    add("skills/list", json!({}), "/skills/0/uri", "skill://docs/pdf-tools/SKILL.md");
    let folder = json!({ "uri": "skill://docs/pdf-tools/references" });
    add("resources/directory/read", folder, "/resources/0/uri", "skill://docs/pdf-tools/references/forms.md");
    let catalog = json!({ "uri": "resource://catalog/skills/mail" });
    add("resources/read", catalog, "/contents/0/uri", "resource://catalog/skills/mail");
    let index = json!({ "uri": "resource://catalog/skills_index" });
    add("resources/read", index, "/contents/0/uri", "resource://catalog/skills_index");
    let is_core = |surface: &Surface| {
        let method = case::text(&surface.request["method"]);
        !method.starts_with("skills/") && method != "resources/directory/read"
    };
    surfaces.retain(|surface| !only_core || is_core(surface));
    surfaces
}

fn check(job: &Job, version: &str, surfaces: &[Surface]) -> Result<String, Failure> {
    let report = case::json(job)?;
    case::demand_equal("the version", case::text(&report["version"]), version)?;
    let answers = case::entries(&report["answers"]);
    compare(surfaces, answers)
}

fn compare(surfaces: &[Surface], answers: &[Value]) -> Result<String, Failure> {
    if answers.len() != surfaces.len() {
        return Err(Failure::new(format!("{} requests had {} answers", surfaces.len(), answers.len())));
    }
    for (surface, answer) in surfaces.iter().zip(answers) {
        if answer.pointer(surface.text).and_then(Value::as_str) != Some(&surface.wanted) {
            let (request, wanted) = (&surface.request, &surface.wanted);
            return Err(Failure::new(format!("{request} was to give {wanted:?}, and gave {answer}")));
        }
    }
    Ok(format!("{} requests, each with what is on the disk", answers.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_text_and_a_missing_answer_are_noticed() {
        let surface = |wanted: &str| Surface {
            request: json!({ "method": "resources/read" }),
            text: "/contents/0/text",
            wanted: wanted.to_owned(),
        };
        let answer = json!({ "contents": [{ "text": "# Mail\n" }] });
        assert!(compare(&[surface("# Mail\n")], std::slice::from_ref(&answer)).is_ok());
        assert!(compare(&[surface("# Mail")], std::slice::from_ref(&answer)).is_err());
        assert!(compare(&[surface("# Mail\n")], &[]).is_err());
        assert!(compare(&[surface("# Mail\n")], &[json!({ "error": "no" })]).is_err());
    }
}
