//! The process that starts workers. It is started before the walls of the server go up, holds no
//! state but its configuration, and believes nothing that the server says later: it reads each
//! grant in the store itself. When a grant is revoked, its worker ends.
use std::os::fd::{AsFd as _, OwnedFd};
use std::process::Child;

use overt_layers::grants::{Grant, GrantId, GrantLifetime, GrantVerdict};
use overt_policy::scope::{Action, Scope, ScopeSet};
use overt_state::grants::GrantReader;
use overt_transport::helper::{MessageSocket, start_worker};
use overt_wire::json::JsonBuf;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::config::{SpawnerConfig, StartReply, StartRequest, WorkerConfig, read};
use super::walls::WorkerFolders;
use super::worker::WORKER_ARGUMENT;
use crate::settings::Env;

/// The only argument of this program when it starts the workers of a file server.
pub(crate) const SPAWNER_ARGUMENT: &str = "--start-workers";

/// The most workers that run.
const MOST_WORKERS: usize = 16;

struct Spawner {
    config: SpawnerConfig,
    /// `None` until the first grant is read.
    reader: Option<GrantReader>,
    workers: Vec<Worker>,
}

struct Worker {
    /// `None` if only the client says that something was granted.
    grant: Option<Grant>,
    process: Child,
}

/// Starts workers until the server closes the socket. Their processes end with this one.
pub(crate) fn run_spawner(socket: OwnedFd) {
    let socket = MessageSocket::new(socket);
    let Ok(Some((bytes, None))) = socket.receive() else { return };
    let Some(config) = read::<SpawnerConfig>(&bytes) else { return };
    let mut spawner = Spawner { config, reader: None, workers: Vec::new() };
    while spawner.wait(&socket) {
        let Ok(Some((bytes, _))) = socket.receive() else { break };
        let (reply, handle) = match read::<StartRequest>(&bytes) {
            Some(request) => match spawner.start(&request) {
                Ok((reply, handle)) => (reply, Some(handle)),
                Err(why) => (StartReply::Refused { why }, None),
            },
            None => (StartReply::Refused { why: "the request can't be read".to_owned() }, None),
        };
        let Ok(text) = JsonBuf::of(&reply) else { break };
        if socket.send(text.as_str().as_bytes(), handle.as_ref()).is_err() {
            break;
        }
    }
    spawner.workers.iter_mut().for_each(Worker::end);
}

impl Spawner {
    /// Waits for a request, and ends workers meanwhile whose grants are over. Returns false if
    /// there is nothing to wait for any more.
    fn wait(&mut self, socket: &MessageSocket) -> bool {
        loop {
            self.workers.retain_mut(|worker| matches!(worker.process.try_wait(), Ok(None)));
            let timeout = self.next_end().map(|seconds| Timespec { tv_sec: seconds, tv_nsec: 0 });
            let changes = self.reader.as_ref().filter(|_| !self.workers.is_empty()).map(GrantReader::changes);
            let mut waited = vec![PollFd::from_borrowed_fd(socket.as_fd(), PollFlags::IN)];
            waited.extend(changes.map(|changes| PollFd::from_borrowed_fd(changes, PollFlags::IN)));
            match poll(&mut waited, timeout.as_ref()) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(_) => return false,
            }
            let is_asked = !waited[0].revents().is_empty();
            self.end_revoked();
            if is_asked {
                return true;
            }
        }
    }

    /// Returns in how many seconds the next grant ends by itself.
    fn next_end(&self) -> Option<i64> {
        let now = self.reader.as_ref()?.now();
        let ends = self.workers.iter().filter_map(|worker| worker.grant.as_ref()?.terms.expires);
        i64::try_from(ends.min()?.saturating_sub(now).saturating_add(1)).ok()
    }

    /// Ends the workers whose grants no longer hold. A grant for one call leaves the store when the
    /// call begins; its worker ends by itself.
    fn end_revoked(&mut self) {
        let Some(reader) = &self.reader else { return };
        reader.forget_changes();
        for worker in &mut self.workers {
            let Some(grant) = &worker.grant else { continue };
            let is_for_one_call = grant.terms.lifetime == GrantLifetime::Once;
            let holds = || matches!(reader.find(&grant.id), Ok(Some(found)) if found == *grant);
            if !is_for_one_call && !holds() {
                worker.end();
            }
        }
    }

    /// Starts a worker for a grant that the store has, or for one that a client claims if the
    /// operator believes clients. The error is a part of a sentence.
    fn start(&mut self, request: &StartRequest) -> Result<(StartReply, OwnedFd), String> {
        if self.workers.len() >= MOST_WORKERS {
            return Err("too many places are open".to_owned());
        }
        let (grant, scopes) = match request {
            StartRequest::Grant(id) => {
                let grant = self.grant(id)?;
                let scopes = grant.terms.scopes.clone();
                (Some(grant), scopes)
            }
            StartRequest::Claim(scopes) if self.config.believes_clients => {
                let scopes = scopes.iter().filter_map(|scope| Scope::parse(scope).ok());
                // The request is for whatever the client may do with the paths.
                (None, scopes.filter(|scope| self.check(std::slice::from_ref(scope)).is_ok()).collect())
            }
            StartRequest::Claim(_) => return Err("nobody granted it".to_owned()),
        };
        self.check(&scopes)?;
        let folders = WorkerFolders::of(&scopes, &self.config.protected)?;
        let is_for_one_call = grant.as_ref().is_none_or(|grant| grant.terms.lifetime == GrantLifetime::Once);
        let config = WorkerConfig {
            folders: folders.folders.into_iter().collect(),
            scopes: scopes.iter().map(Scope::to_text).collect(),
            read: folders.read.into_iter().collect(),
            write: folders.write.into_iter().collect(),
            hidden: self.config.protected.clone(),
            is_for_one_call,
            common: self.config.common.clone(),
        };
        let failed = |error: &dyn std::fmt::Display| format!("the process can't be started: {error}");
        let input = JsonBuf::of(&config).map_err(|error| failed(&error))?;
        let program = Env::own_executable();
        let (process, handle) = start_worker(&program, WORKER_ARGUMENT, input.as_str().as_bytes())
            .map_err(|error| failed(&error))?;
        let reply = StartReply::Started { scopes: config.scopes, is_for_one_call };
        self.workers.push(Worker { grant, process });
        Ok((reply, handle))
    }

    /// Reads the grant in the store.
    fn grant(&mut self, id: &str) -> Result<Grant, String> {
        let unreadable = |error| format!("the store of grants can't be read: {error}");
        let reader = match &self.reader {
            Some(reader) => reader,
            None => {
                let opened = GrantReader::open(&self.config.state).map_err(unreadable)?;
                self.reader.insert(opened)
            }
        };
        let found = reader.find(&GrantId(id.to_owned())).map_err(unreadable)?;
        let grant = found.ok_or_else(|| "nobody granted it, or the permission is over".to_owned())?;
        let (terms, config) = (&grant.terms, &self.config);
        let is_of_server = terms.verdict == GrantVerdict::Allow
            && terms.server == config.server
            && terms.project.as_ref().is_none_or(|project| Some(project) == config.project.as_ref());
        match is_of_server {
            true => Ok(grant),
            false => Err("the permission is not one of this server".to_owned()),
        }
    }

    /// Checks that the scopes are within what the operator of this server lets people grant.
    fn check(&self, scopes: &[Scope]) -> Result<(), String> {
        let set = |texts: &[String]| -> ScopeSet {
            texts.iter().filter_map(|text| Scope::parse(text).ok()).collect()
        };
        let (ceiling, denied) = (set(&self.config.ceiling), set(&self.config.denied));
        let may_be = |scope: &Scope| {
            [Action::Read, Action::Write].contains(&scope.action())
                && ceiling.covers(scope)
                && !denied.covers(scope)
        };
        match scopes.iter().find(|scope| !may_be(scope)) {
            Some(scope) => Err(format!("`{scope}` can't be granted here")),
            None if scopes.is_empty() => Err("no place is named".to_owned()),
            None => Ok(()),
        }
    }
}

impl Worker {
    fn end(&mut self) {
        // Fails only if it has ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
