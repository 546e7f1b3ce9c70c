//! A running proxy with its own upstream.

use std::net::TcpListener;
use std::path::PathBuf;
use std::time::Duration;

use xtask::example::{self, Server};
use xtask::failure::Failure;
use xtask::repo::Repo;
use xtask::run::{Job, Running};

/// The paths of the programs.
pub(crate) struct Programs<'a> {
    pub(crate) repo: &'a Repo,
    /// The directory of the programs below `bench/`.
    pub(crate) bench: PathBuf,
    pub(crate) overt: PathBuf,
    /// As many as `overt run` has threads, so that both can use the same number of cores.
    pub(crate) nginx_workers: usize,
}

/// A running HTTP server. It runs as long as this value exists.
pub(crate) struct RunningProxy {
    pub(crate) url: String,
    /// The process id of the proxy, if there is a proxy.
    pub(crate) pid: Option<u32>,
    _proxy: Option<Running>,
    _upstream: Option<Server>,
}

/// How long a proxy may take to start. Those written in Python take seconds.
const START: Duration = Duration::from_secs(60);

impl Programs<'_> {
    /// Starts a separate upstream.
    pub(crate) fn upstream(&self, name: &str) -> Result<Server, Failure> {
        example::start_http(&Job::new(self.repo, &format!("bench-upstream-{name}"), self.echo()))
    }

    pub(crate) fn echo(&self) -> PathBuf {
        self.bench.join("echo-rmcp")
    }

    pub(crate) fn load(&self) -> Job {
        Job::new(self.repo, "bench-load", self.bench.join("bench-load"))
    }

    /// Returns the job of a load generator that starts `overt` itself, and passes on its
    /// environment.
    pub(crate) fn load_of_command(&self) -> Result<Job, Failure> {
        Ok(self.load().env("OVERT_STATE_DIR", self.new_state("bench-load")?))
    }

    /// Returns the path of an empty state folder. The log of an earlier run must not be read at
    /// startup.
    pub(crate) fn new_state(&self, name: &str) -> Result<PathBuf, Failure> {
        let state = self.repo.out.join(format!("{name}-state"));
        if state.exists() {
            std::fs::remove_dir_all(&state).map_err(Failure::file("remove", &state))?;
        }
        Ok(state)
    }
}

impl RunningProxy {
    /// Uses the upstream without a proxy.
    pub(crate) fn direct(upstream: Server) -> Self {
        Self { url: upstream.url.clone(), pid: None, _proxy: None, _upstream: Some(upstream) }
    }

    /// Starts a proxy that announces its URL.
    pub(crate) fn announced(job: &Job, upstream: Server) -> Result<Self, Failure> {
        let mut proxy = job.start()?;
        let url = proxy.announced("listening on ", START)?;
        Ok(Self { url, pid: Some(proxy.pid()), _proxy: Some(proxy), _upstream: Some(upstream) })
    }

    /// Starts a proxy that listens on a given port.
    pub(crate) fn on_port(
        job: &Job,
        port: u16,
        path: &str,
        upstream: Option<Server>,
    ) -> Result<Self, Failure> {
        let mut proxy = job.start()?;
        proxy.reachable(port, START)?;
        let url = format!("http://127.0.0.1:{port}{path}");
        Ok(Self { url, pid: Some(proxy.pid()), _proxy: Some(proxy), _upstream: upstream })
    }
}

/// Returns a port that was free a moment ago.
pub(crate) fn free_port() -> Result<u16, Failure> {
    let bound = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    bound.map(|address| address.port()).map_err(|cause| Failure::new(format!("no free port: {cause}")))
}
