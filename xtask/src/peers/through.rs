//! Other people's clients, `overt run`, other people's servers: stdio and HTTP on both sides, older
//! clients with newer servers and the reverse.

use std::ffi::OsString;

use super::case::{self, Case};
use super::clients::{CLIENTS, ERAS};
use super::inspector;
use super::servers::Servers;
use super::upstreams::{Answer, Upstream, upstreams};
use crate::example::{self, Server};
use crate::failure::Failure;
use crate::repo::{CONTROLLED, Repo};
use crate::run::Job;

/// The cases, and the HTTP gateways that they need while they run.
pub(crate) struct Behind {
    pub(crate) cases: Vec<Case>,
    _gateways: Vec<Server>,
}

/// A way for clients to reach `overt run`.
struct Front {
    name: &'static str,
    target: Vec<OsString>,
}

/// Authorization, the audit log and pins are on. Every client meets every upstream once in each era
/// that the client speaks, alternately over stdio and HTTP.
pub(crate) fn start(repo: &Repo, servers: &Servers) -> Result<Behind, Failure> {
    let (mut cases, mut gateways, mut fronts) = (Vec::new(), Vec::new(), Vec::new());
    let upstreams = upstreams(repo, servers)?;
    for upstream in &upstreams {
        let job = Job::command(repo, &format!("peer run {}", upstream.name), repo.overt());
        let job = job.args(CONTROLLED).args(["--http", "127.0.0.1:0"]).args(upstream.words.iter().cloned());
        let gateway = example::announced(&job)?;
        let stdio = [repo.overt(), CONTROLLED.map(OsString::from).to_vec(), upstream.words.clone()].concat();
        fronts.push([
            Front { name: "stdio", target: stdio },
            Front { name: "http", target: vec![OsString::from(&gateway.url)] },
        ]);
        gateways.push(gateway);
    }
    for (number, client) in CLIENTS.iter().enumerate() {
        for (era, version) in client.eras {
            for (index, upstream) in upstreams.iter().enumerate() {
                if upstream.not_with.contains(&client.name) {
                    continue;
                }
                let turn = number + index + usize::from(*era == "modern");
                let front = &fronts[index][turn % 2];
                let name = format!("{}, {}, run, {}, {version}", client.name, front.name, upstream.name);
                let job = client.job(repo, &name, era, (upstream.tool, &upstream.arguments));
                let job = job.args(front.target.iter().cloned());
                let (tool, answer) = (upstream.tool, upstream.answer.clone());
                cases.push(Case::new(name, move || check(&job, version, tool, &answer)));
            }
        }
    }
    cases.extend(inspector_cases(repo, &upstreams, &fronts)?);
    Ok(Behind { cases, _gateways: gateways })
}

fn check(job: &Job, version: &str, tool: &str, answer: &Answer) -> Result<String, Failure> {
    let report = case::json(job)?;
    let tools = case::texts(&report["tools"]);
    case::demand("tool", &tools, &[tool])?;
    case::demand_equal("the version", case::text(&report["version"]), version)?;
    answer.check(case::text(&report["text"]))?;
    Ok(format!("{} tools, call", tools.len()))
}

/// The number of servers that the Inspector meets. It is slow to start.
const INSPECTED: usize = 3;

/// Returns the cases of the Inspector with some of the servers, alternating the eras.
fn inspector_cases(repo: &Repo, upstreams: &[Upstream], fronts: &[[Front; 2]]) -> Result<Vec<Case>, Failure> {
    let mut entries = Vec::new();
    let mut cases = Vec::new();
    let path = repo.out.join("inspector-run.json");
    for ((upstream, fronts), (era, version)) in
        upstreams.iter().zip(fronts).step_by(2).take(INSPECTED).zip(ERAS.iter().cycle())
    {
        for front in fronts {
            let key = format!("{} {}", upstream.name, front.name);
            entries.push((key.clone(), front.target.clone()));
            let name = format!("Inspector, {}, run, {}, {version}", front.name, upstream.name);
            let job = inspector::job(repo, &name, &path, &key).args(["--protocol-era", era]);
            let (tool, arguments) = (upstream.tool, upstream.arguments.to_string());
            let answer = upstream.answer.clone();
            cases.push(Case::new(name, move || {
                let listed = case::json(&job.clone().args(["--method", "tools/list"]))?;
                case::demand("tool", &case::names(inspector::member(&listed, "tools"), "name"), &[tool])?;
                let call = ["--method", "tools/call", "--tool-name", tool, "--tool-args-json", &arguments];
                let called = case::json(&job.clone().args(call))?;
                let text = inspector::member(&called, "content")[0]["text"].as_str().unwrap_or_default();
                answer.check(text)?;
                Ok("list, call".to_owned())
            }));
        }
    }
    inspector::write_config(&path, &entries)?;
    Ok(cases)
}
