//! Child processes: noise, crashes, descendants, the environment.
use std::path::Path;
use std::time::{Duration, Instant};

use overt_transport::client::{Client, ClientError, Environment, Target};
use overt_wire::era::Version;

use super::seen::{Heard, options};
use super::shell::{command, server};

#[tokio::test]
async fn up_01_noise_is_tolerated_and_reported_once() {
    let script = r#"
        echo "npm notice: welcome"; printf '\033[31mred\033[0m\n'; legacy
        echo '{"level":"info","msg":"a log line"}'; echo '{"jsonrpc":"2.0","id":'
        next; echo "working..."; result '{"ok":true}'; cat >/dev/null"#;
    let heard = Heard::new();
    let client = Client::connect(&server(script, &[]), options(|_| {}), heard.clone()).await.unwrap();
    let answer = client.request("tools/list", None).await.unwrap();
    assert_eq!(answer.result_body().value().unwrap().as_str(), r#"{"ok":true}"#);
    assert_eq!(*heard.noise.lock().unwrap(), ["npm notice: welcome"]);
    client.close().await;
}

#[tokio::test]
async fn up_02_a_crash_fails_the_call_at_once_with_the_last_words() {
    let script = r#"legacy; next; echo "out of cheese" >&2; exit 3"#;
    let client = Client::connect(&server(script, &[]), options(|_| {}), Heard::new()).await.unwrap();
    let began = Instant::now();
    let error = client.request("tools/list", None).await.unwrap_err();
    assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
    let ClientError::Closed { reason, stderr, .. } = &error else { panic!("{error}") };
    assert!(reason.contains("exit status: 3"), "{reason}");
    assert_eq!(stderr, "out of cheese");
    assert_eq!(client.stderr_tail(), "out of cheese");
}

#[tokio::test]
async fn up_02_a_crash_is_noticed_although_a_descendant_holds_the_pipe() {
    let script = "legacy; sleep 60 & next; exit 1";
    let client = Client::connect(&server(script, &[]), options(|_| {}), Heard::new()).await.unwrap();
    let began = Instant::now();
    assert!(matches!(client.request("x/y", None).await, Err(ClientError::Closed { .. })));
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
}

#[tokio::test]
async fn up_02_a_program_that_ends_at_once_or_does_not_exist() {
    let ended = server("echo 'no such option' >&2; exit 2", &[]);
    let error = Client::connect(&ended, options(|_| {}), Heard::new()).await.unwrap_err();
    assert!(error.to_string().contains("exit status: 2; it said last:\nno such option"), "{error}");
    let mut missing = command("", &[], Environment::empty());
    missing.program = "no-such-program".into();
    let error = Client::connect(&Target::Command(missing), options(|_| {}), Heard::new()).await.unwrap_err();
    assert!(matches!(error, ClientError::Start { .. }));
    assert!(error.hint().unwrap().contains("no-such-program"));
}

#[tokio::test]
async fn a_server_that_ends_at_the_probe_is_started_again() {
    let script = r#"next; case $line in *initialize*) ;; *) exit 1;; esac
        result '{"protocolVersion":"2025-06-18","capabilities":{}}'; cat >/dev/null"#;
    let client = Client::connect(&server(script, &[]), options(|_| {}), Heard::new()).await.unwrap();
    assert_eq!(client.server().version, Version::V2025_06_18);
    client.close().await;
}

#[tokio::test]
async fn a_silent_probe_does_not_kill_a_slow_server() {
    let script = r#"next; late=$id; next; result '{"protocolVersion":"2025-11-25"}'
        id=$late; error -32601; cat >/dev/null"#;
    let quick = options(|limits| limits.probe_deadline = Duration::from_millis(200));
    let client = Client::connect(&server(script, &[]), quick, Heard::new()).await.unwrap();
    assert_eq!(client.server().version, Version::V2025_11_25);
    client.close().await;
}

#[tokio::test]
async fn up_10_descendants_end_with_us() {
    // The child and its own child ignore SIGTERM and the end of their input.
    let script = r#"trap '' TERM; sh -c 'trap "" TERM; echo $$ >"$1"; while :; do sleep 1; done' x "$1" &
        legacy; while :; do sleep 1; done"#;
    for polite in [true, false] {
        let file = scratch(&format!("descendants-{polite}"));
        let short = options(|limits| limits.child_grace = Duration::from_millis(300));
        let target = server(script, &[file.to_str().unwrap()]);
        let client = Client::connect(&target, short, Heard::new()).await.unwrap();
        let descendant = read_soon(&file).await;
        assert!(is_alive(&descendant));
        if polite {
            client.close().await;
        } else {
            drop(client);
        }
        wait_until_dead(&descendant).await;
        std::fs::remove_file(file).unwrap();
    }
}

#[tokio::test]
async fn up_10_many_cycles_leave_nothing_behind() {
    let file = scratch("cycles");
    let target = server(r#"sleep 300 & echo $! >>"$1"; legacy; cat >/dev/null"#, &[file.to_str().unwrap()]);
    for cycle in 0..12 {
        let client = Client::connect(&target, options(|_| {}), Heard::new()).await.unwrap();
        if cycle % 2 == 0 {
            client.close().await;
        }
    }
    let descendants = read_soon(&file).await;
    assert_eq!(descendants.lines().count(), 12);
    for descendant in descendants.lines() {
        wait_until_dead(descendant).await;
    }
    std::fs::remove_file(file).unwrap();
}

#[tokio::test]
async fn up_10_giving_up_on_a_handshake_ends_the_child() {
    let file = scratch("handshake");
    let target = server(r#"echo $$ >"$1"; exec sleep 300"#, &[file.to_str().unwrap()]);
    let connecting = Client::connect(&target, options(|_| {}), Heard::new());
    assert!(tokio::time::timeout(Duration::from_millis(500), connecting).await.is_err());
    wait_until_dead(&read_soon(&file).await).await;
    std::fs::remove_file(file).unwrap();
}

#[tokio::test]
async fn up_10_a_server_that_goes_by_itself_is_not_hurried() {
    let file = scratch("goes");
    let script = r#"legacy; cat >/dev/null; sleep 0.3; echo done >"$1""#;
    let target = server(script, &[file.to_str().unwrap()]);
    let client = Client::connect(&target, options(|_| {}), Heard::new()).await.unwrap();
    client.close().await;
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "done\n");
    std::fs::remove_file(file).unwrap();
}

#[tokio::test]
async fn up_11_a_child_sees_what_it_was_given_and_no_more() {
    let file = scratch("env");
    let inherited = [("PATH", "/usr/bin:/bin"), ("API_TOKEN", "s3cret"), ("LANG", "C")];
    let env = Environment::harmless_of(inherited.map(|(name, value)| (name.into(), value.into())))
        .with("CHOSEN", "yes; echo $HOME `id`");
    let script = r#"env >"$1"; legacy; cat >/dev/null"#;
    let target = Target::Command(command(script, &[file.to_str().unwrap()], env));
    let client = Client::connect(&target, options(|_| {}), Heard::new()).await.unwrap();
    client.close().await;
    let seen = std::fs::read_to_string(&file).unwrap();
    let mut names: Vec<_> = seen.lines().filter_map(|line| line.split_once('=')).collect();
    // Shells set these themselves.
    names.retain(|(name, _)| !matches!(*name, "PWD" | "OLDPWD" | "SHLVL" | "_"));
    names.sort_unstable();
    assert_eq!(names, [("CHOSEN", "yes; echo $HOME `id`"), ("LANG", "C"), ("PATH", "/usr/bin:/bin")]);
    std::fs::remove_file(file).unwrap();
}

#[tokio::test]
async fn the_error_output_is_bounded() {
    let script =
        r#"i=0; while [ $i -lt 2000 ]; do echo "line $i" >&2; i=$((i+1)); done; legacy; cat >/dev/null"#;
    let small = options(|limits| limits.max_stderr_bytes = 100);
    let client = Client::connect(&server(script, &[]), small, Heard::new()).await.unwrap();
    let tail = client.stderr_tail();
    assert!(tail.len() <= 100 && tail.starts_with("line 19") && tail.ends_with("line 1999"), "{tail}");
    client.close().await;
}

fn scratch(name: &str) -> std::path::PathBuf {
    let path = std::env::temp_dir().join(format!("overt-client-{}-{name}", std::process::id()));
    let _ = std::fs::remove_file(&path);
    path
}

async fn read_soon(file: &Path) -> String {
    for _ in 0..500 {
        match std::fs::read_to_string(file) {
            Ok(text) if text.ends_with('\n') => return text.trim().to_owned(),
            _ => tokio::time::sleep(Duration::from_millis(10)).await,
        }
    }
    panic!("{} was not written", file.display());
}

async fn wait_until_dead(pid: &str) {
    for _ in 0..300 {
        if !is_alive(pid) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("process {pid} is still there");
}

/// Whether a process is alive. A process that was killed but not reaped yet counts as dead.
fn is_alive(pid: &str) -> bool {
    let pid = rustix::process::Pid::from_raw(pid.parse().unwrap()).unwrap();
    let zombie = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()))
        .is_ok_and(|stat| stat.rsplit(") ").next().is_some_and(|rest| rest.starts_with('Z')));
    rustix::process::test_kill_process(pid).is_ok() && !zombie
}
