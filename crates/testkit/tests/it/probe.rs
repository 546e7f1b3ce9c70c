//! A server whose tools report what they do: how often they ran, and whether they were dropped. A
//! test decides when they may finish.
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use overt_testkit::http_raw::PATIENCE;
use overt_toolbox::{Content, Context, Server, Tool, ToolError, Toolbox};
use overt_wire::Handler;
use overt_wire::era::LogLevel;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::watch;
use tokio::time::timeout;

/// What the tools of one server did.
#[derive(Clone)]
pub(crate) struct Probe {
    counts: Arc<Counts>,
}

struct Counts {
    /// Calls that have begun.
    begun: watch::Sender<usize>,
    /// Calls of `hold` that were given up before their end.
    given_up: watch::Sender<usize>,
    /// Whether `hold` may end.
    released: watch::Sender<bool>,
    /// Reports that `flood` got rid of.
    flooded: AtomicUsize,
}

/// Notes when a call is dropped before its end.
struct Held {
    counts: Arc<Counts>,
    ended: bool,
}

#[derive(Deserialize, JsonSchema)]
struct Anything {
    #[serde(default)]
    value: Value,
}

type Said = Result<Vec<Content>, ToolError>;

impl Probe {
    /// The server: `hit` answers at once, `hold` when it is released, `flood` reports progress for
    /// ever, `big` returns so many kilobytes at once, `noted` logs something first.
    pub(crate) fn serve() -> (Self, Arc<dyn Handler>) {
        let counts = Arc::new(Counts {
            begun: watch::Sender::new(0),
            given_up: watch::Sender::new(0),
            released: watch::Sender::new(false),
            flooded: AtomicUsize::new(0),
        });
        let tool = |name: &str, run: fn(Arc<Counts>, Anything, Context) -> Running| {
            let counts = Arc::clone(&counts);
            Tool::content(name, "Is watched by a test.", move |input, context| {
                counts.begun.send_modify(|count| *count += 1);
                run(Arc::clone(&counts), input, context)
            })
        };
        let toolbox = Toolbox::new(Server::new("probe", "1.0.0", "Only for tests."))
            .tool(tool("hit", |_, input, _| Box::pin(hit(input))))
            .tool(tool("hold", |counts, _, context| Box::pin(hold(counts, context))))
            .tool(tool("flood", |counts, _, context| Box::pin(flood(counts, context))))
            .tool(tool("big", |_, input, _| Box::pin(big(input))))
            .tool(tool("noted", |_, input, context| Box::pin(noted(input, context))));
        (Self { counts: Arc::clone(&counts) }, overt_layers::open(toolbox.build().unwrap()))
    }

    /// How many calls have begun.
    pub(crate) fn begun(&self) -> usize {
        *self.counts.begun.borrow()
    }

    pub(crate) async fn wait_until_begun(&self, count: usize) {
        wait_for(&self.counts.begun, count).await;
    }

    pub(crate) fn given_up(&self) -> usize {
        *self.counts.given_up.borrow()
    }

    pub(crate) async fn wait_until_given_up(&self, count: usize) {
        wait_for(&self.counts.given_up, count).await;
    }

    pub(crate) fn release(&self) {
        self.counts.released.send_replace(true);
    }

    pub(crate) fn flooded(&self) -> usize {
        self.counts.flooded.load(Ordering::Relaxed)
    }
}

type Running = overt_wire::BoxFuture<'static, Said>;

async fn wait_for(counter: &watch::Sender<usize>, count: usize) {
    let mut seen = counter.subscribe();
    let reached = timeout(PATIENCE, seen.wait_for(|seen| *seen >= count)).await;
    reached.expect("it happens in time").expect("the server lives");
}

async fn hit(input: Anything) -> Said {
    Ok(vec![Content::text(&input.value.to_string())])
}

async fn hold(counts: Arc<Counts>, context: Context) -> Said {
    let mut held = Held { counts: Arc::clone(&counts), ended: false };
    context.progress(1.0, None, "held").await;
    let _ = counts.released.subscribe().wait_for(|released| *released).await;
    held.ended = true;
    Ok(vec![Content::text("released")])
}

async fn flood(counts: Arc<Counts>, context: Context) -> Said {
    for n in 1_u32.. {
        context.progress(f64::from(n), None, "and on").await;
        counts.flooded.fetch_add(1, Ordering::Relaxed);
        tokio::task::yield_now().await;
    }
    Ok(vec![])
}

async fn big(input: Anything) -> Said {
    let kilobytes = usize::try_from(input.value.as_u64().unwrap_or(1))?;
    Ok(vec![Content::text(&"x".repeat(kilobytes << 10))])
}

async fn noted(input: Anything, context: Context) -> Said {
    context.log(LogLevel::Error, "probe", "noted").await;
    big(input).await
}

impl Drop for Held {
    fn drop(&mut self) {
        if !self.ended {
            self.counts.given_up.send_modify(|count| *count += 1);
        }
    }
}
