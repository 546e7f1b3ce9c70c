//! Checks that nothing that a call passes through is compiled with the options of `overt-cli`,
//! which is built for size. Generic functions and futures are compiled in the crate that names
//! their types or awaits them, whichever crate they are written in, so the source alone doesn't
//! tell.

use std::path::PathBuf;

use crate::failure::Failure;
use crate::repo::Repo;
use crate::run::Job;

/// The crates that a call passes through.
const CALL_PATH: &[&str] = &[
    "overt_transport",
    "overt_layers",
    "overt_disclosure",
    "overt_toolbox",
    "overt_servers",
    "overt_gateway",
    "overt_state::audit",
];

/// What `overt-cli` compiles of these crates and of itself, and no call passes through. A name
/// stands for everything below it.
const BESIDE_IT: &[&str] = &[
    // The page, the status page, and their connections.
    "overt_transport::http::connection",
    "overt_transport::http::pages",
    "overt_transport::http::site",
    // Once for each connection or server.
    "overt_transport::http::server::Server",
    "overt_transport::http::server::accept",
    "overt_transport::http::server::listen",
    "overt_transport::http::server::serve_connections",
    "overt_transport::stdio::serve",
    "overt_transport::signal",
    "overt_transport::guardian",
    "overt_disclosure::stack",
    "overt_gateway::endpoint::Gateway::close",
    "overt_gateway::options",
    "overt_gateway::pins",
    "overt_gateway::pool::SessionPool::close",
    "overt_gateway::pool::SessionPool::end",
    "overt_layers::authorize::control::Control",
    "overt_layers::authorize::layer::Authorize::new",
    "overt_layers::definition",
    "overt_servers::files",
    "overt_state::audit::log::AuditLog::open",
    "overt_state::audit::options",
    // The client of commands such as `overt call`, over pipes in memory, and what names a server.
    "overt_transport::client",
    // Once for each token, question or notification.
    "overt_transport::http::access::Authenticate",
    // Once for each change that a person makes.
    "overt_layers::person",
    // Calls outside the roots of `overt fs`, which wait for another process.
    "overt_toolbox::error::ToolError",
    "overt_toolbox::granted_places",
    "overt_transport::frames",
    "overt_transport::helper",
    "overt_transport::stdio::serve_after",
    // Only with telemetry.
    "overt_layers::observe::observer::Observer",
    "overt_cli::telemetry",
    // A ledger for records beside calls.
    "overt_layers::audit::ledger::Ledger::is_on",
    "overt_cli::commands::late_ledger",
    // What a person is shown.
    "overt_layers::description",
    "overt_layers::grants::question",
    "overt_layers::grants::store::StateStore::is_shared",
];

/// Traits whose implementations are mostly derived, and copied into every crate that uses them.
const DERIVED: &[&str] =
    &["core::clone", "core::cmp", "core::default", "core::fmt", "core::hash", "serde_core::ser::Serialize"];

/// Reads the symbols of `overt-cli`: of this library, or of the one that the suite builds.
pub(crate) fn check(repo: &Repo, args: &[String]) -> Result<(), Failure> {
    let library = match args {
        [path, ..] => PathBuf::from(path),
        [] => built(repo)?,
    };
    let listed = Job::new(repo, "call-path", "nm").args(["--defined-only", "--format=just-symbols"]);
    let symbols = listed.arg(library).succeed()?.stdout();
    let names: Vec<String> = symbols.lines().filter_map(demangled).collect();
    if !names.iter().any(|name| name.starts_with("overt_cli::")) {
        return Err(Failure::new("the symbols of overt-cli have another form than this check reads"));
    }
    let found = found(&names);
    if found.is_empty() {
        return Ok(());
    }
    let list = found.iter().map(|name| format!("\n  {name}")).collect::<String>();
    Err(Failure::new(format!("overt-cli compiles for size what calls may pass through:{list}")).hint(
        "make it neither generic nor awaited by its own type in overt-cli (`Box::pin` in its crate), or list it in \
         xtask/src/call_path.rs if no call passes through it",
    ))
}

fn built(repo: &Repo) -> Result<PathBuf, Failure> {
    let words = ["test", "--quiet", "--workspace", "--no-run", "--message-format=json"];
    let built = Job::linting_cargo(repo, "call-path-build", &words).succeed()?.stdout();
    built.lines().find_map(library).ok_or_else(|| Failure::new("no library of overt-cli"))
}

/// Returns the library of `overt-cli` if this line of cargo's is about it.
fn library(line: &str) -> Option<PathBuf> {
    let line: serde_json::Value = serde_json::from_str(line).ok()?;
    let is_it = line["target"]["name"] == "overt_cli" && line["profile"]["test"] == false;
    let files = line["filenames"].as_array().filter(|_| is_it)?;
    files.iter().filter_map(|file| file.as_str()).find(|file| file.ends_with(".rlib")).map(PathBuf::from)
}

/// Returns the functions that a call may pass through. Names that differ only in closures are one.
fn found(names: &[String]) -> Vec<&str> {
    let is_at = |name: &str, place: &str| {
        name.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '<', '>', ' ']))
    };
    let is_beside = |name: &str| BESIDE_IT.iter().any(|place| is_at(name, place));
    let mut found: Vec<&str> = names
        .iter()
        .map(|name| name.split("::{{closure}}").next().unwrap_or(name))
        .filter(|name| {
            // `Type as Trait>::function`
            let (subject, of) = name.split_once(" as ").unwrap_or((name, ""));
            let is_on_it = |name: &str| CALL_PATH.iter().any(|place| is_at(name, place));
            let is_ours = subject.starts_with("overt_cli::") && is_on_it(of);
            let is_derived =
                DERIVED.iter().any(|derived| of.starts_with(derived) || is_impl_of(name, derived));
            !is_derived && !is_beside(subject) && !is_beside(of) && (is_on_it(subject) || is_ours)
        })
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Returns whether a function belongs to an implementation that a macro placed in a module of its
/// own: `a::_::_<impl Trait for Type>::function`.
fn is_impl_of(name: &str, of: &str) -> bool {
    name.split_once("<impl ").is_some_and(|(_, rest)| rest.starts_with(of))
}

/// Returns the readable name of a function: `overt_wire::frame::push` or, of an implementation of a
/// trait, `Type as Trait>::function`.
fn demangled(symbol: &str) -> Option<String> {
    let mut rest = symbol.strip_prefix("_ZN")?;
    let mut parts = Vec::new();
    while let Some(digits) = rest.find(|c: char| !c.is_ascii_digit()).filter(|digits| *digits > 0) {
        let length = rest[..digits].parse::<usize>().ok()?;
        parts.push(rest.get(digits..digits + length)?);
        rest = &rest[digits + length..];
    }
    // The last part is a hash.
    parts.pop();
    let mut name = parts.join("::");
    for (mangled, text) in [
        ("$LT$", "<"),
        ("$GT$", ">"),
        ("$u20$", " "),
        ("$u7b$", "{"),
        ("$u7d$", "}"),
        ("$RF$", "&"),
        ("$BP$", "*"),
        ("$C$", ","),
        ("..", "::"),
    ] {
        name = name.replace(mangled, text);
    }
    // Of `_<impl a::Trait for b::Type>::f` and `_<&b::Type as a::Trait>::f`, the type counts.
    let name = name.replace("::_{{closure}}", "::{{closure}}");
    let name = name.trim_start_matches(['_', '<', '&', '*']);
    Some(name.strip_prefix("mut ").or_else(|| name.strip_prefix("dyn ")).unwrap_or(name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A symbol as the compiler makes it of these parts.
    fn symbol(parts: &[&str]) -> String {
        let parts: String = parts.iter().map(|part| format!("{}{part}", part.len())).collect();
        format!("_ZN{parts}17h0123456789abcdefE")
    }

    fn found_in(symbols: &[&[&str]]) -> Vec<String> {
        let names: Vec<String> = symbols.iter().filter_map(|parts| demangled(&symbol(parts))).collect();
        found(&names).into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn what_calls_pass_through_is_found() {
        let on_the_path: [&[&str]; 4] = [
            &["overt_transport", "http", "server", "answer_connection", "_$u7b$$u7b$closure$u7d$$u7d$"],
            &["overt_state", "audit", "queue", "Queue", "put"],
            &[
                "_$LT$overt_gateway..endpoint..Gateway$u20$as$u20$overt_layers..endpoint..Endpoint$GT$",
                "call",
            ],
            &["_$LT$overt_cli..commands..Mine$u20$as$u20$overt_layers..endpoint..Endpoint$GT$", "call"],
        ];
        let expected = [
            "overt_cli::commands::Mine as overt_layers::endpoint::Endpoint>::call",
            "overt_gateway::endpoint::Gateway as overt_layers::endpoint::Endpoint>::call",
            "overt_state::audit::queue::Queue::put",
            "overt_transport::http::server::answer_connection",
        ];
        assert_eq!(found_in(&on_the_path), expected);
    }

    #[test]
    fn what_no_call_passes_through_is_not() {
        let beside: [&[&str]; 6] = [
            &["overt_transport", "http", "server", "Server", "bind", "_$u7b$$u7b$closure$u7d$$u7d$"],
            &["overt_state", "grants", "store", "open"],
            &[
                "_$LT$overt_cli..telemetry..Spans$u20$as$u20$overt_layers..observe..observer..Observer$GT$",
                "began",
            ],
            &["_$LT$overt_cli..args..Mine$u20$as$u20$core..fmt..Debug$GT$", "fmt"],
            &["overt_cli", "commands", "call", "call"],
            &[
                "overt_layers",
                "grants",
                "grant",
                "_",
                "_$LT$impl$u20$serde_core..ser..Serialize$u20$for$u20$overt_layers..grants..grant..Verdict$GT$",
                "serialize",
            ],
        ];
        assert_eq!(found_in(&beside), Vec::<String>::new());
        assert_eq!(demangled("main"), None);
    }
}
