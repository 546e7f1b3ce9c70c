//! `overt fs` over stdio: reading 4 KiB and editing 64 KiB.

use std::time::Duration;

use serde_json::{Value, json};

use super::config::{Config, Log, Series};
use super::options::Options;
use super::proxy::read_cpu_us;
use super::table::Cell;
use crate::proxy::Programs;
use xtask::failure::Failure;
use xtask::run::Job;

/// The rows of the load generator, with their titles in the report.
const ROWS: [(&str, &str); 2] = [("read-4k", "fs, read 4 KiB"), ("edit-64k", "fs, edit 64 KiB")];

/// Measures all configurations. Each keeps one process for all rounds; the load generator
/// alternates between them.
pub(crate) fn measure(
    programs: &Programs<'_>,
    options: &Options,
    configs: &[Config],
) -> Result<Vec<Cell>, Failure> {
    let (repo, harness) = (programs.repo, programs.bench.join("bench-load"));
    let corpus = repo.target.join("bench-files");
    let job = |name: &str| Job::new(repo, name, &harness).deadline(Duration::from_secs(7200));
    job("bench-corpus").arg("corpus").arg(&corpus).succeed()?;
    let mut servers = Vec::new();
    for config in configs {
        let mut command = vec![config.overt.display().to_string(), "fs".into(), corpus.display().to_string()];
        command.extend(["--durability", "rename", "--rate-limit", "1000000/second"].map(String::from));
        command.extend(config.audit_flags().iter().map(|word| (*word).to_owned()));
        servers.push(json!({
            "name": name(&config.series()), "profile": "overt", "command": command,
            "environment": { "OVERT_STATE_DIR": config.new_state(repo, "fs")? },
        }));
    }
    let plan = json!({
        "corpus": corpus, "seconds": 0, "calls": options.calls, "rounds": options.rounds, "starts": 0,
        "in_flight": options.in_flight, "rows": ROWS.map(|(row, _)| row), "servers": servers, "programs": [],
    });
    let file = repo.out.join("bench-cpu-fs.json");
    std::fs::write(&file, plan.to_string()).map_err(Failure::file("write", &file))?;
    let measured = job("bench-cpu-fs").arg("fs").arg(&file).succeed()?.stdout();
    let lines = measured.lines().map(|line| serde_json::from_str(line).unwrap_or_default());
    let mut cells = Vec::new();
    for line in lines.filter(|line: &Value| line["server"].is_string() && line["memory"].is_null()) {
        cells.push(cell(&line, configs).ok_or_else(|| Failure::new(format!("no measurement: {line}")))?);
    }
    Ok(cells)
}

fn cell(line: &Value, configs: &[Config]) -> Option<Cell> {
    let config = configs.iter().find(|config| line["server"] == name(&config.series()))?;
    let (_, title) = ROWS.iter().find(|(row, _)| line["row"] == *row)?;
    let in_flight = usize::try_from(line["in_flight"].as_u64()?).ok()?;
    Some(Cell::new(title, in_flight, config.series(), read_cpu_us(&line["measured"])?))
}

fn name((build, log): &Series) -> String {
    format!("{build}, log {}", if *log == Log::On { "on" } else { "off" })
}
