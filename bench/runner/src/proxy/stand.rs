//! A started proxy and the upstream that it alone has.

use std::net::TcpListener;
use std::path::PathBuf;
use std::time::Duration;

use xtask::example::{self, Server};
use xtask::failure::Failure;
use xtask::repo::Repo;
use xtask::run::{Job, Running};

/// Where the programs are.
pub(crate) struct Programs<'a> {
    pub(crate) repo: &'a Repo,
    /// Those of the workspace `bench`.
    pub(crate) bench: PathBuf,
    pub(crate) overt: PathBuf,
    /// As many as `overt run` has threads, so that both may use as many cores.
    pub(crate) nginx_workers: usize,
}

/// Something to talk to over HTTP; it lives as long as this value.
pub(crate) struct Stand {
    pub(crate) url: String,
    /// The proxy's own process, if there is one.
    pub(crate) pid: Option<u32>,
    _proxy: Option<Running>,
    _upstream: Option<Server>,
}

/// How long a proxy may take to start; those in Python take seconds.
const START: Duration = Duration::from_secs(60);

impl Programs<'_> {
    /// An upstream of one's own.
    pub(crate) fn upstream(&self, name: &str) -> Result<Server, Failure> {
        example::start_http(&Job::new(self.repo, &format!("bench-upstream-{name}"), self.echo()))
    }

    pub(crate) fn echo(&self) -> PathBuf {
        self.bench.join("echo-rmcp")
    }

    pub(crate) fn load(&self) -> Job {
        Job::new(self.repo, "bench-load", self.bench.join("bench-load"))
    }

    /// For a load generator that starts `overt` itself, and hands its environment on.
    pub(crate) fn load_of_command(&self) -> Result<Job, Failure> {
        Ok(self.load().env("OVERT_STATE_DIR", self.new_state("bench-load")?))
    }

    /// An empty state folder: the log of an earlier run must not be read at the start.
    pub(crate) fn new_state(&self, name: &str) -> Result<PathBuf, Failure> {
        let state = self.repo.out.join(format!("{name}-state"));
        if state.exists() {
            std::fs::remove_dir_all(&state).map_err(Failure::file("remove", &state))?;
        }
        Ok(state)
    }
}

impl Stand {
    /// No proxy at all.
    pub(crate) fn direct(upstream: Server) -> Self {
        Self { url: upstream.url.clone(), pid: None, _proxy: None, _upstream: Some(upstream) }
    }

    /// A proxy that says where it listens.
    pub(crate) fn announced(job: &Job, upstream: Server) -> Result<Self, Failure> {
        let mut proxy = job.start()?;
        let url = proxy.announced("listening on ", START)?;
        Ok(Self { url, pid: Some(proxy.pid()), _proxy: Some(proxy), _upstream: Some(upstream) })
    }

    /// A proxy that was told the port.
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

/// A port that was free a moment ago.
pub(crate) fn free_port() -> Result<u16, Failure> {
    let bound = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    bound.map(|address| address.port()).map_err(|cause| Failure::new(format!("no free port: {cause}")))
}
