//! The test bench: the layers under test, with the server, the store, the ledger, the clients, and
//! the calls under way.
use std::collections::HashMap;
use std::sync::Arc;

use overt_layers::Control;
use overt_layers::grants::{Grant, QuestionId, StateStore};
use overt_layers::person::{GiveAnswer, NotDone, act};
use overt_testkit::person::{AlwaysPerson, revoking};
use overt_wire::{Handler, Message};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use super::client::{Client, KINDS, Kind};
use super::evidence::Evidence;
use super::form::{Said, Shown};
use super::ledger::{Mode, Notebook};
use super::rules::{Policy, Tool};
use super::world::{Server, World};

/// Opens the store, also again after a crash.
pub(crate) type OpenStore = Box<dyn Fn() -> Arc<dyn StateStore>>;

pub(crate) struct Bench {
    pub(crate) world: Arc<World>,
    pub(crate) ledger: Arc<Notebook>,
    pub(crate) store: Arc<dyn StateStore>,
    open_store: OpenStore,
    control: Control,
    handler: Arc<dyn Handler>,
    pub(crate) clients: Vec<Client>,
    pub(crate) calls: Vec<Call>,
    pub(crate) asked: Vec<InResult>,
    pub(crate) evidence: Evidence,
    /// The definitions of all tools when each question appeared.
    pub(crate) appeared: HashMap<QuestionId, HashMap<Tool, u64>>,
    /// Tokens of grants that were found in results.
    pub(crate) tokens: Vec<String>,
    epoch: u64,
    pub(crate) seen_lines: usize,
    pub(crate) seen_reached: usize,
    pub(crate) seen_planned: usize,
}

/// A call that a client made.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) number: u64,
    pub(crate) client: Client,
    pub(crate) tool: Tool,
    pub(crate) path: &'static str,
    pub(crate) task: Option<JoinHandle<Option<Message>>>,
    pub(crate) answer: Option<Value>,
    pub(crate) is_cancelled: bool,
    pub(crate) has_reached: bool,
    /// Whether an old or foreign state came with it, so that it must be refused.
    pub(crate) must_fail: bool,
    /// The earlier call that this one continues.
    pub(crate) resumes: Option<u64>,
}

/// A question that was asked in a result.
#[derive(Debug, Clone)]
pub(crate) struct InResult {
    pub(crate) client: Client,
    pub(crate) tool: Tool,
    pub(crate) path: &'static str,
    pub(crate) state: String,
    /// Overt's question. `None` for a question of the server.
    pub(crate) question: Option<(Value, Shown)>,
    /// The number of the call that asked.
    pub(crate) number: u64,
    pub(crate) is_used: bool,
}

/// How a modern client comes back with an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Return {
    Honestly,
    /// With a state that was used before.
    Again,
    /// With other arguments.
    Otherwise,
    /// As another client.
    AsAnother,
}

impl InResult {
    /// Returns whether it can still be answered.
    pub(crate) fn is_open(&self) -> bool {
        !self.is_used
    }
}

impl Bench {
    pub(crate) fn new(policy: Policy, open_store: OpenStore) -> Self {
        let world = World::new(policy);
        let ledger = Notebook::new(&world);
        let store = open_store();
        let (control, handler) = stack(&world, &ledger, &store);
        let clients = KINDS.map(|kind| Client::new(kind, 0)).to_vec();
        Self {
            world,
            ledger,
            store,
            open_store,
            control,
            handler,
            clients,
            calls: Vec::new(),
            asked: Vec::new(),
            evidence: Evidence::default(),
            appeared: HashMap::new(),
            tokens: Vec::new(),
            epoch: 0,
            seen_lines: 0,
            seen_reached: 0,
            seen_planned: 0,
        }
    }

    pub(crate) fn client(&self, kind: Kind) -> Client {
        self.clients.iter().find(|client| client.kind == kind).unwrap().clone()
    }

    /// Makes a call, and returns its number.
    pub(crate) fn call(&mut self, client: &Client, tool: Tool, path: &'static str) -> usize {
        // A client without a session sends the last grant token that it saw.
        let token = self.tokens.last().filter(|_| client.kind == Kind::Sessionless);
        let more = token.map_or(Value::Null, |token| json!({ "_meta": { "dev.overt/grant": token } }));
        self.send(client, tool, path, more)
    }

    fn send(&mut self, client: &Client, tool: Tool, path: &'static str, more: Value) -> usize {
        let number = self.calls.len();
        let exchange = client.request(u64::try_from(number).unwrap(), tool.name(), path, more);
        let handler = Arc::clone(&self.handler);
        let task = tokio::spawn(async move { handler.call(exchange).await });
        self.calls.push(Call {
            number: u64::try_from(number).unwrap(),
            client: client.clone(),
            tool,
            path,
            task: Some(task),
            answer: None,
            is_cancelled: false,
            has_reached: false,
            must_fail: false,
            resumes: None,
        });
        number
    }

    /// Answers a dialog.
    pub(crate) fn answer(&mut self, place: usize, said: Said) -> bool {
        let client = self.client(Kind::Dialogs);
        let Some(dialog) = client.take_dialog(place) else { return false };
        let (result, agreed) = said.to_form(&dialog.form, &dialog.shown);
        if let Some(agreed) = agreed {
            self.evidence.yes(self.world.tick(), client.holder(), dialog.shown.clone(), agreed);
        }
        dialog.answer(result);
        true
    }

    /// A modern client comes back with an answer.
    pub(crate) fn come_back(&mut self, place: usize, said: Said, how: Return) {
        let is_again = how == Return::Again;
        let places: Vec<usize> =
            (0..self.asked.len()).filter(|index| self.asked[*index].is_used == is_again).collect();
        if places.is_empty() {
            return;
        }
        let index = places[place % places.len()];
        let asked = self.asked[index].clone();
        self.asked[index].is_used = true;
        let answers = match &asked.question {
            Some((form, shown)) => {
                let (result, agreed) = said.to_form(form, shown);
                if let Some(agreed) = agreed.filter(|_| how == Return::Honestly) {
                    let holder = asked.client.holder();
                    self.evidence.yes(self.world.tick(), holder, shown.clone(), agreed);
                }
                json!({ "dev.overt/approval": result })
            }
            None => json!({ "own": { "action": "accept", "content": {} } }),
        };
        let more = json!({ "requestState": asked.state, "inputResponses": answers });
        self.epoch += 1;
        let client = match how {
            Return::AsAnother => Client::new(Kind::InResults, self.epoch),
            _ => asked.client.clone(),
        };
        let path = match how {
            Return::Otherwise => super::rules::PATHS.into_iter().find(|path| *path != asked.path).unwrap(),
            _ => asked.path,
        };
        let number = self.send(&client, asked.tool, path, more);
        // The server's own state goes to the server, with a call that is decided normally.
        let is_ours = asked.state.starts_with("overt1.");
        self.calls[number].must_fail = how != Return::Honestly && is_ours;
        self.calls[number].resumes = (is_ours && asked.question.is_none()).then_some(asked.number);
    }

    /// A person answers in the list of all questions.
    pub(crate) async fn answer_elsewhere(&mut self, place: usize, said: Said) {
        let questions = self.store.questions().await.unwrap();
        if questions.is_empty() {
            return;
        }
        let open = &questions[place % questions.len()];
        let all = self.appeared.get(&open.id).cloned().unwrap_or_default();
        let shown = Shown { all, ..Shown::of_open(open) };
        let (answer, agreed) = said.elsewhere(open, &shown);
        if let Some(agreed) = agreed {
            let holder = open.question.holder.client.to_text();
            self.evidence.yes(self.world.tick(), holder, shown, agreed);
        }
        let Some(given) = GiveAnswer::elsewhere(open, answer) else { return };
        let acted = act(&AlwaysPerson, &*self.ledger, given, |given| self.store.answer(given)).await;
        assert!(matches!(acted, Ok(_) | Err(NotDone::NotRecorded(_))), "{acted:?}");
    }

    pub(crate) fn reload(&mut self, policy: Policy) {
        self.world.set_policy(policy);
        self.control.replace(policy.snapshot());
    }

    pub(crate) async fn revoke(&mut self, place: usize) {
        let grants = self.store.grants().await.unwrap();
        if grants.is_empty() {
            return;
        }
        let grant = &grants[place % grants.len()];
        // Revoke grants that differ only in the tool's definition together, because the model tells
        // grants apart by their words.
        let is_alike = |other: &&Grant| {
            let (one, two) = (&other.terms, &grant.terms);
            other.holder == grant.holder
                && (one.verdict, &one.tools, &one.scopes, one.lifetime)
                    == (two.verdict, &two.tools, &two.scopes, two.lifetime)
        };
        for alike in grants.iter().filter(is_alike) {
            assert!(self.store.revoke(revoking(alike)).await.unwrap());
        }
        self.read_events();
        self.evidence.revoke(grant, self.world.tick());
    }

    /// Drops a running call.
    pub(crate) fn cancel(&mut self, place: usize) {
        let running: Vec<usize> = self.waiting().collect();
        if running.is_empty() {
            return;
        }
        let call = &mut self.calls[running[place % running.len()]];
        call.is_cancelled = true;
        call.task.take().unwrap().abort();
    }

    /// The client leaves, and comes back later in another session.
    pub(crate) fn end_session(&mut self, place: usize) {
        self.epoch += 1;
        let place = place % self.clients.len();
        let before = self.clients[place].clone();
        self.clients[place] = Client::new(before.kind, self.epoch);
        before.leave();
        self.handler.closed(&before.session);
        self.evidence.end_session(&before.holder());
        self.asked.retain(|asked| asked.client.session.id() != before.session.id());
    }

    /// The process ends abruptly, and another one starts.
    pub(crate) async fn crash(&mut self) {
        let mode = self.ledger.set(Mode::Crashed);
        for call in &mut self.calls {
            if let Some(task) = call.task.take() {
                call.is_cancelled = true;
                task.abort();
                let _ = task.await;
            }
        }
        self.read_events();
        self.ledger.set(if mode == Mode::Slow { Mode::Works } else { mode });
        self.evidence.crash();
        self.asked.clear();
        self.epoch += 1;
        self.clients = KINDS.map(|kind| Client::new(kind, self.epoch)).to_vec();
        self.store = (self.open_store)();
        (self.control, self.handler) = stack(&self.world, &self.ledger, &self.store);
    }

    /// Returns the calls that have no answer yet.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = usize> {
        (0..self.calls.len()).filter(|index| self.calls[*index].task.is_some())
    }
}

fn stack(
    world: &Arc<World>,
    ledger: &Arc<Notebook>,
    store: &Arc<dyn StateStore>,
) -> (Control, Arc<dyn Handler>) {
    let control = Control::new(world.policy().snapshot())
        .ledger(Arc::<Notebook>::clone(ledger))
        .store(Arc::clone(store));
    (control.clone(), overt_layers::build(Server::new(world), control))
}
