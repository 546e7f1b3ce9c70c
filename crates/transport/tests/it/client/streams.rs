//! A server that is reached over byte streams in memory, with paused time.
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use overt_transport::client::{
    ByteStream, Client, ClientError, ClientOptions, Connector, Protocol, SilentListener, Target,
};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream};
use tokio::time::Instant;

use super::lines::LEGACY_HELLO;

/// Starts a server for each session. The first start fails.
#[derive(Debug, Default)]
struct Servers {
    starts: AtomicUsize,
}

impl Connector for Servers {
    fn name(&self) -> &str {
        "in-memory"
    }

    fn connect(&self) -> io::Result<Box<dyn ByteStream>> {
        if self.starts.fetch_add(1, Ordering::Relaxed) == 0 {
            return Err(io::Error::other("not ready"));
        }
        let (ours, theirs) = tokio::io::duplex(1 << 10);
        tokio::spawn(serve(theirs));
        Ok(Box::new(ours))
    }
}

/// Answers `initialize`, and no other request.
async fn serve(stream: DuplexStream) {
    let (input, mut output) = tokio::io::split(stream);
    let mut lines = BufReader::new(input).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        if line.contains("initialize\"") && line.contains("\"id\":") {
            let id = line.split("\"id\":").nth(1).unwrap().split([',', '}']).next().unwrap();
            let answer = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{LEGACY_HELLO}}}\n");
            output.write_all(answer.as_bytes()).await.unwrap();
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_session_over_streams_is_opened_anew_each_time_and_follows_the_paused_clock() {
    let servers = Arc::new(Servers::default());
    let target = Target::Streams(Arc::<Servers>::clone(&servers));
    let options = || ClientOptions { protocol: Protocol::Legacy, ..ClientOptions::new("test", "1") };
    let failed = Client::connect(&target, options(), Arc::new(SilentListener)).await.unwrap_err();
    assert!(matches!(&failed, ClientError::Start { program, .. } if program == "in-memory"), "{failed:?}");
    for starts in [2, 3] {
        let client = Client::connect(&target, options(), Arc::new(SilentListener)).await.unwrap();
        assert_eq!(servers.starts.load(Ordering::Relaxed), starts);
        let began = Instant::now();
        let late = client.request("tools/list", None).await.unwrap_err();
        assert!(matches!(late, ClientError::TimedOut { .. }), "{late:?}");
        assert_eq!(began.elapsed(), Duration::from_secs(300), "in virtual time");
    }
}
