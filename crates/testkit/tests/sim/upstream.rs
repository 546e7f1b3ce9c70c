//! Starts a server for each session that the gateway opens, with the faults that the schedule
//! assigns to it.
use std::io;
use std::sync::Arc;

use overt_transport::client::{ByteStream, Connector};

use super::link;
use super::schedule::ProcessPlan;
use super::server;
use super::world::{EndedBy, World};

pub(crate) struct Upstream {
    world: Arc<World>,
}

impl Upstream {
    pub(crate) fn new(world: &Arc<World>) -> Arc<Self> {
        Arc::new(Self { world: Arc::clone(world) })
    }
}

impl Connector for Upstream {
    fn name(&self) -> &str {
        "sim"
    }

    fn connect(&self) -> io::Result<Box<dyn ByteStream>> {
        let world = &self.world;
        let number = world.start_process();
        let plan = match world.is_healed() {
            true => ProcessPlan::default(),
            false => world.schedule.server.processes.get(number).cloned().unwrap_or_default(),
        };
        world.say(|| format!("server {number} starts: {plan:?}"));
        let stays_down = world.schedule.sabotage == Some(super::schedule::Sabotage::StayDown);
        if plan.refuses_to_start || stays_down {
            world.end_process(number, EndedBy::Fault);
            return Err(io::Error::other("the schedule says no"));
        }
        let seed = world.schedule.seed.wrapping_mul(1_000).wrapping_add(number as u64);
        let (near, far) = link::connect(world.schedule.server.link, seed);
        tokio::spawn(server::run(Arc::clone(world), number, plan, far));
        Ok(Box::new(near))
    }
}

impl std::fmt::Debug for Upstream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Upstream")
    }
}
