//! The process that serves one grant. It reads its configuration from the spawner, enters its
//! walls, and only then listens to the server.
use std::io::{Read as _, stdin};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::Duration;

use overt_policy::scope::Scope;
use overt_policy::{Findings, Pointer};
use overt_servers::files::sandbox::{self, SandboxPaths};
use overt_servers::files::{Compat, WorkerOptions, open_worker};
use overt_settings::{Origin, SettingValues};
use overt_toolbox::RemoteCalls;
use overt_transport::frames::{PendingAnswer, serve_frames};
use overt_wire::json::Json;

use super::config::{Walls, WorkerConfig, read};
use crate::settings::{OfFiles, Table as _};

/// The only argument of this program when it serves what a person granted.
pub(crate) const WORKER_ARGUMENT: &str = "--serve-grant";

/// How long a worker for one call waits for it.
const ONE_CALL: Duration = Duration::from_secs(30);

/// Serves until the server closes the socket. Nobody reads an exit code or an error: the server
/// sees that the worker is gone.
pub(crate) fn run_worker() -> Option<()> {
    let mut text = Vec::new();
    stdin().lock().read_to_end(&mut text).ok()?;
    let config: WorkerConfig = read(&text)?;
    let _ = rustix::thread::disable_transparent_huge_pages(true);
    enter_walls(&config)?;
    let socket = UnixStream::from(rustix::io::dup(rustix::stdio::stdout()).ok()?);
    let is_for_one_call = config.is_for_one_call;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
    runtime.block_on(async {
        let calls = open_worker(options(config)?)
            .inspect_err(|error| tracing::error!(%error, "a granted place can't be served"))
            .ok()?;
        let idle = is_for_one_call.then_some(ONE_CALL);
        serve_frames(socket, idle, |body| answer(&calls, body, is_for_one_call)).await.ok()
    })
}

fn enter_walls(config: &WorkerConfig) -> Option<()> {
    let write = config.write.iter().chain(&config.common.journal);
    let paths = SandboxPaths {
        read: config.read.iter().filter(|path| !config.write.contains(path)).cloned().collect(),
        write: write.cloned().collect(),
        read_if_there: Vec::new(),
    };
    match config.common.walls {
        Walls::Off => Some(()),
        Walls::Try => sandbox::enter(&paths).ok().map(drop),
        Walls::Require => sandbox::enter(&paths).ok().filter(sandbox::Sandbox::holds).map(drop),
    }
}

fn options(config: WorkerConfig) -> Option<WorkerOptions> {
    let WorkerConfig { folders, scopes, hidden, common, .. } = config;
    let texts = |paths: Vec<PathBuf>| {
        paths.into_iter().filter_map(|path| path.into_os_string().into_string().ok()).collect()
    };
    let defaults = SettingValues::from(OfFiles::declared());
    let mut findings = Findings::default();
    let given =
        defaults.declared().read(&common.settings, &Pointer::root(), |_| Origin::Default, &mut findings);
    // A setting that can't be read might be one that hides something.
    findings.is_empty().then(|| WorkerOptions {
        folders,
        scopes: scopes.iter().filter_map(|scope| Scope::parse(scope).ok()).collect(),
        hidden: texts(hidden),
        immutable: texts(common.immutable),
        client_folders: common.client_folders,
        journal: common.journal,
        settings: defaults.over(given),
        compat: common.is_official.then_some(Compat::Official),
    })
}

fn answer(calls: &RemoteCalls, body: Vec<u8>, is_for_one_call: bool) -> Option<PendingAnswer> {
    let text = String::from_utf8(body).ok()?;
    let request = Json::parse(&text).ok()?;
    let is_last = is_for_one_call && request.get("op").string().as_deref() != Some("plan");
    let answer = calls.answer(request)?;
    let answer = Box::pin(async move { answer.await.into_string().into_bytes() });
    Some(PendingAnswer { answer, is_last })
}
