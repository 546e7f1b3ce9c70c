//! Runs one schedule: builds the real stack around the simulated server, runs the clients, and
//! checks what remains at the end.
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use overt_gateway::pins::{Identity, PinGuard, PinMode, PinStore};
use overt_gateway::{Gateway, Options};
use overt_layers::{Control, PolicySnapshot};
use overt_policy::Authority;
use overt_policy::scope::Scope;
use overt_transport::client::Target;
use overt_transport::limits::Limits;
use overt_wire::Handler;
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::client::{Client, DEADLINE};
use super::ledger::MemoryLedger;
use super::promise::Promise;
use super::schedule::{IDLE, SUSPENDED, Sabotage, Schedule, Speaks};
use super::upstream::Upstream;
use super::world::{Violation, World};

/// The outcome of one schedule.
pub(crate) struct Report {
    pub(crate) violations: Vec<Violation>,
    pub(crate) trace: Vec<String>,
}

impl Report {
    pub(crate) fn is_kept(&self) -> bool {
        self.violations.is_empty()
    }
}

/// Runs one schedule in virtual time. `folder` is an empty folder for the pins.
pub(crate) fn run(schedule: Schedule, folder: &Path, is_traced: bool) -> Report {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    let runtime = runtime.unwrap();
    runtime.block_on(async {
        let world = World::new(schedule, is_traced);
        Box::pin(play(&world, folder)).await;
        // By now everything that was started for the schedule must have ended.
        sleep(Duration::from_secs(60)).await;
        let tasks = tokio::runtime::Handle::current().metrics().num_alive_tasks();
        if tasks > 0 {
            world.violate(Promise::NothingIsLeft, format!("{tasks} tasks are left"));
        }
        Report { violations: world.violations(), trace: world.trace() }
    })
}

async fn play(world: &Arc<World>, folder: &Path) {
    let limits = Limits { request_deadline: DEADLINE, ..Limits::default() };
    let ledger = MemoryLedger::new(world);
    let (handler, gateway) = stack(world, &ledger, &limits, folder);
    let count = world.schedule.clients.len();
    let clients: Vec<_> = (0..count).map(|index| Client::new(world, index, &handler, &limits)).collect();
    all(clients.iter().cloned().map(Client::run)).await;
    check_starts(world);

    world.say(|| "the server is well".to_owned());
    world.heal();
    // Wait as long as the gateway may wait before it tries again.
    sleep(Duration::from_secs(40)).await;
    all(clients.iter().cloned().map(Client::check_recovered)).await;

    if world.schedule.sabotage == Some(Sabotage::LeaveTask) {
        tokio::spawn(std::future::pending::<()>());
    }
    for client in &clients {
        client.leave().await;
    }
    drop(clients);
    sleep(SUSPENDED + IDLE + Duration::from_secs(60)).await;
    let stats = gateway.stats();
    // All clients share one session with a modern server, which may stay open.
    let shared = usize::from(matches!(world.schedule.server.speaks, Speaks::Modern | Speaks::Both));
    if stats.sessions + stats.in_flight + stats.suspended + stats.upstream_sessions.saturating_sub(shared) > 0
    {
        world.violate(Promise::IdleIsSwept, format!("all clients are gone, and there is {stats:?}"));
    }
    world.say(|| format!("the gateway is closed: {stats:?}"));
    gateway.close().await;
    drop((gateway, handler));
    sleep(Duration::from_secs(20)).await;
    let running = world.running_processes();
    if !running.is_empty() {
        world.violate(Promise::NothingIsLeft, format!("servers {running:?} still run"));
    }
    for call in ledger.without_outcome() {
        world.violate(Promise::OutcomeRecorded, call);
    }
    world.check_end();
}

/// Builds authorization with one rule, the audit log and the pins around the gateway, as in `overt
/// run`.
fn stack(
    world: &Arc<World>,
    ledger: &Arc<MemoryLedger>,
    limits: &Limits,
    folder: &Path,
) -> (Arc<dyn Handler>, Gateway) {
    let mode = if world.schedule.strict_pins { PinMode::Strict } else { PinMode::Warn };
    let target = Target::Streams(Upstream::new(world));
    let identity = Identity::of(&target, None);
    let pins = PinGuard::new(mode, PinStore::new(folder), identity, Arc::new(|_| {}));
    let is_alone = matches!(&world.schedule.clients[..], [only] if only.kind.is_stdio());
    let options = Options {
        // As in `overt run`, the gateway gives up before the client does.
        limits: Limits {
            request_deadline: limits.request_deadline - Duration::from_secs(2),
            ..limits.clone()
        },
        pins: Some(pins.clone()),
        one_client: is_alone,
        ..Options::new("sim")
    };
    let gateway = Gateway::new(target, options);
    let allowed = ["read", "write:sim"].map(|scope| Scope::parse(scope).unwrap());
    let authority =
        Authority { base: allowed.into_iter().collect(), believes_claims: true, ..Authority::careful() };
    let control = Control::new(PolicySnapshot::new(authority)).ledger(Arc::<MemoryLedger>::clone(ledger));
    (overt_layers::build(gateway.clone(), control.veto(pins)), gateway)
}

/// Checks that, without faults, each client causes only one start.
fn check_starts(world: &World) {
    let schedule = &world.schedule;
    let most = schedule.most_starts();
    let is_idle = world.elapsed() > IDLE;
    if schedule.is_calm() && !is_idle && world.starts() > most {
        world.violate(Promise::OneStart, format!("{} starts, and {most} would do", world.starts()));
    }
}

async fn all<F: Future<Output = ()> + Send + 'static>(tasks: impl Iterator<Item = F>) {
    let mut running: JoinSet<()> = tasks.collect();
    while let Some(ended) = running.join_next().await {
        ended.unwrap();
    }
}
