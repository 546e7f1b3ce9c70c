//! The programs that are compared, and how each is started.

use std::ffi::OsString;

use super::install;
use super::running_proxy::{Programs, RunningProxy, free_port};
use xtask::failure::Failure;
use xtask::repo::Repo;
use xtask::run::Job;

/// Starts a proxy in front of its own upstream.
type Start = fn(&Programs<'_>) -> Result<RunningProxy, Failure>;

/// Returns the command of a proxy that speaks stdio in front of an HTTP upstream.
type Words = fn(&Programs<'_>, &str) -> Vec<OsString>;

/// `overt run` as users have it: the tool `echo` runs without asking a person, pins are on, and the
/// audit log is `strict`.
pub(crate) const ONE_ALLOW_RULE: [&str; 3] = ["run", "--allow", "execute"];
/// Additional options for the rows without the audit log.
pub(crate) const LOG_OFF: [&str; 2] = ["--audit", "off"];

#[derive(Debug)]
pub(crate) struct Contender {
    pub(crate) name: &'static str,
    /// The name of the tool `echo` behind it.
    pub(crate) tool: &'static str,
    /// Ensures that it is installed.
    pub(crate) install: fn(&Repo) -> Result<(), Failure>,
    /// Starts it, if it serves HTTP.
    pub(crate) http: Option<Start>,
    /// Its command, if it speaks stdio.
    pub(crate) stdio: Option<Words>,
}

/// All contenders, in the order of the report. The others are compared with the first two.
pub(crate) const CONTENDERS: &[Contender] = &[
    Contender {
        name: "direct",
        tool: "echo",
        install: |_| Ok(()),
        http: Some(|programs| Ok(RunningProxy::direct(programs.upstream("direct")?))),
        stdio: None,
    },
    Contender {
        name: "nginx",
        tool: "echo",
        install: install::nginx,
        http: Some(|programs| nginx(programs, programs.nginx_workers)),
        stdio: None,
    },
    Contender {
        name: "overt",
        tool: "echo",
        install: |_| Ok(()),
        http: Some(|programs| overt(programs, &[])),
        stdio: Some(|programs, url| [overt_command(programs, &[]), words([url.into()])].concat()),
    },
    Contender {
        name: "overt-log-off",
        tool: "echo",
        install: |_| Ok(()),
        http: Some(|programs| overt(programs, &LOG_OFF)),
        stdio: Some(|programs, url| [overt_command(programs, &LOG_OFF), words([url.into()])].concat()),
    },
    Contender {
        name: "mcp-proxy-rs",
        tool: "up/echo",
        install: install::mcp_proxy_rs,
        http: Some(mcp_proxy_rs),
        stdio: None,
    },
    Contender {
        name: "supergateway",
        tool: "echo",
        install: install::npm,
        http: Some(supergateway),
        stdio: Some(|programs, url| {
            let repo = programs.repo;
            words([
                repo.node().into(),
                install::module(repo, "supergateway/dist/index.js").into(),
                "--streamableHttp".into(),
                url.into(),
                "--logLevel".into(),
                "none".into(),
            ])
        }),
    },
    Contender {
        name: "mcp-remote",
        tool: "echo",
        install: install::npm,
        http: None,
        stdio: Some(|programs, url| {
            let repo = programs.repo;
            let script = install::module(repo, "mcp-remote/dist/proxy.js");
            words([repo.node().into(), script.into(), url.into(), "--transport".into(), "http-only".into()])
        }),
    },
    Contender {
        name: "mcp-proxy-py",
        tool: "echo",
        install: install::mcp_proxy_py,
        http: Some(mcp_proxy_py),
        stdio: Some(|programs, url| {
            let program = install::mcp_proxy_py_program(programs.repo);
            words([program.into(), "--transport".into(), "streamablehttp".into(), url.into()])
        }),
    },
    Contender {
        name: "fastmcp",
        tool: "echo",
        install: xtask::setup::install,
        http: Some(fastmcp),
        stdio: Some(|programs, url| fastmcp_command(programs, "--stdio", url)),
    },
];

/// Starts `overt run` over HTTP with these additional options, in its own empty state folder.
pub(crate) fn overt(programs: &Programs<'_>, options: &[&str]) -> Result<RunningProxy, Failure> {
    let name = if options.is_empty() { "bench-overt" } else { "bench-overt-log-off" };
    let upstream = programs.upstream(name)?;
    let state = programs.new_state(name)?;
    let job =
        Job::command(programs.repo, name, overt_command(programs, options)).env("OVERT_STATE_DIR", state);
    RunningProxy::announced(&job.args(["--http", "127.0.0.1:0", &upstream.url]), upstream)
}

/// Returns the command for `overt run`. The caller adds the target.
pub(crate) fn overt_command(programs: &Programs<'_>, options: &[&str]) -> Vec<OsString> {
    let options = ONE_ALLOW_RULE.iter().chain(options).map(OsString::from);
    [vec![programs.overt.as_os_str().into()], options.collect()].concat()
}

/// Starts nginx with this number of workers. It does not interpret the traffic, so it is the
/// minimum cost of one hop.
pub(crate) fn nginx(programs: &Programs<'_>, workers: usize) -> Result<RunningProxy, Failure> {
    let upstream = programs.upstream("nginx")?;
    let port = free_port()?;
    let dir = programs.repo.out.join("bench-nginx");
    std::fs::create_dir_all(&dir).map_err(Failure::file("create", &dir))?;
    let place = |name: &str| dir.join(name).display().to_string();
    let address = upstream.url.trim_start_matches("http://").trim_end_matches("/mcp").to_owned();
    let config = format!(
        "worker_processes {workers};\ndaemon off;\npid {};\nerror_log stderr error;\n\
         events {{ worker_connections 1024; }}\n\
         http {{\n  access_log off;\n  client_body_temp_path {};\n  proxy_temp_path {};\n  \
         fastcgi_temp_path {};\n  uwsgi_temp_path {};\n  scgi_temp_path {};\n  \
         upstream echo {{ server {address}; keepalive 128; keepalive_requests 1000000000; }}\n  \
         server {{\n    listen 127.0.0.1:{port};\n    tcp_nodelay on;\n    keepalive_requests 1000000000;\n    \
         location / {{\n      proxy_pass http://echo;\n      proxy_http_version 1.1;\n      \
         proxy_set_header Connection \"\";\n      proxy_set_header Host {address};\n      proxy_buffering off;\n    \
         }}\n  }}\n}}\n",
        place("pid"),
        place("body"),
        place("proxy"),
        place("fastcgi"),
        place("uwsgi"),
        place("scgi"),
    );
    let file = dir.join("nginx.conf");
    std::fs::write(&file, config).map_err(Failure::file("write", &file))?;
    let job = Job::new(programs.repo, "bench-nginx", install::nginx_program())
        .arg("-p")
        .arg(&dir)
        .arg("-c")
        .arg(&file);
    RunningProxy::on_port(&job, port, "/mcp", Some(upstream))
}

fn mcp_proxy_rs(programs: &Programs<'_>) -> Result<RunningProxy, Failure> {
    let upstream = programs.upstream("mcp-proxy-rs")?;
    let port = free_port()?;
    let config = format!(
        "[proxy]\nname = \"bench\"\nseparator = \"/\"\n\n[proxy.listen]\nhost = \"127.0.0.1\"\nport = {port}\n\n\
         [[backends]]\nname = \"up\"\ntransport = \"http\"\nurl = \"{}\"\n\n\
         [observability]\naudit = false\nlog_level = \"error\"\n",
        upstream.url
    );
    let file = programs.repo.out.join("bench-mcp-proxy.toml");
    std::fs::write(&file, config).map_err(Failure::file("write", &file))?;
    let program = install::mcp_proxy_rs_program(programs.repo);
    let job = Job::new(programs.repo, "bench-mcp-proxy-rs", program).arg("--config").arg(&file);
    RunningProxy::on_port(&job, port, "/", Some(upstream))
}

/// Starts supergateway. It has no HTTP-to-HTTP mode, so its upstream is a child process on stdio.
fn supergateway(programs: &Programs<'_>) -> Result<RunningProxy, Failure> {
    let port = free_port()?;
    let command = format!("{} --stdio", programs.echo().display());
    let job = Job::new(programs.repo, "bench-supergateway", programs.repo.node())
        .arg(install::module(programs.repo, "supergateway/dist/index.js"))
        .args(["--stdio", &command, "--outputTransport", "streamableHttp", "--stateful"])
        .args(["--logLevel", "none", "--port", &port.to_string()]);
    RunningProxy::on_port(&job, port, "/mcp", None)
}

/// Starts mcp-proxy for Python. It has no HTTP-to-HTTP mode, so its upstream is a child process on
/// stdio.
fn mcp_proxy_py(programs: &Programs<'_>) -> Result<RunningProxy, Failure> {
    let port = free_port()?;
    let job = Job::new(programs.repo, "bench-mcp-proxy-py", install::mcp_proxy_py_program(programs.repo))
        .args(["--host", "127.0.0.1", "--port", &port.to_string(), "--log-level", "ERROR", "--"])
        .arg(programs.echo())
        .arg("--stdio");
    RunningProxy::on_port(&job, port, "/mcp", None)
}

fn fastmcp(programs: &Programs<'_>) -> Result<RunningProxy, Failure> {
    let upstream = programs.upstream("fastmcp")?;
    let port = free_port()?;
    let job = Job::command(
        programs.repo,
        "bench-fastmcp",
        fastmcp_command(programs, &port.to_string(), &upstream.url),
    );
    RunningProxy::on_port(&job, port, "/mcp", Some(upstream))
}

fn fastmcp_command(programs: &Programs<'_>, front: &str, url: &str) -> Vec<OsString> {
    let script = programs.repo.root.join("tools/bench/fastmcp_proxy.py");
    words([programs.repo.python().into(), script.into(), front.into(), url.into()])
}

fn words<const N: usize>(words: [OsString; N]) -> Vec<OsString> {
    words.into()
}
