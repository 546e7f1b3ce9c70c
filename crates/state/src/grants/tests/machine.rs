//! SCP-15: both stores give the same answers as a model of fifty lines, for any sequence of steps.
use overt_wire::Principal;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use overt_layers::grants::{
    Clock, Grant, GrantLifetime, GrantVerdict, GrantedTools, Holder, HolderClient, MemoryStore, Need, Terms,
};
use overt_policy::scope::Scope;
use overt_policy::word::StringEnum as _;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::super::SqliteStore;
use super::probe::Probe;

const SCOPES: [&str; 9] = [
    "write",
    "write:file",
    "write:file:/",
    "write:file:/a",
    "write:file:/a/b",
    "write:file:/ab",
    "read:file:/a/b",
    "write:db:x",
    "write:db:x/y",
];

/// The caller, project, tool and arguments of a step. The ranges are small, so that steps often
/// meet.
#[derive(Debug, Clone, Copy)]
struct Who {
    principal: u8,
    session: u8,
    /// One of three projects; the third is `None`.
    project: u8,
    tool: u8,
    arguments: u8,
}

/// The kind of grant that is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// For one tool.
    One,
    Every,
    /// For the tools that only read, which is the second tool.
    Reading,
    /// A refusal of one tool.
    Refusal,
}

#[derive(Debug, Clone)]
enum Step {
    Give(Who, Kind, Vec<usize>, usize, Option<u64>),
    Revoke(usize),
    Spend(usize),
    Wait(u64),
    EndSession(u8, u8),
    Restart,
    Decide(Who, Vec<usize>),
    Token(usize, Who, Vec<usize>),
    List,
}

/// The expected behaviour, without an index, a cache or a file.
#[derive(Debug, Default)]
struct Model {
    given: Vec<Grant>,
    tokens: Vec<String>,
    gone: Vec<bool>,
    now: u64,
}

fn principal(number: u8) -> Principal {
    Principal::token_holder(&number.to_string())
}

impl Model {
    fn is_live(&self, at: usize) -> bool {
        !self.gone[at] && self.given[at].terms.expires.is_none_or(|end| self.now < end)
    }

    fn allows(&self, at: usize, who: Who, wanted: &[usize]) -> bool {
        let Grant { holder, terms, .. } = &self.given[at];
        let session = holder.client == HolderClient::Session(who.session.to_string());
        let arguments = terms.arguments.as_deref() == Some(&who.arguments.to_string());
        let reach = match terms.lifetime {
            GrantLifetime::Always => true,
            GrantLifetime::Session => session,
            GrantLifetime::Once => session && arguments,
        };
        let granted: Vec<String> = terms.scopes.iter().map(ToString::to_string).collect();
        let is_covered = |wanted: &usize| granted.iter().any(|wide| covers(wide, SCOPES[*wanted]));
        self.is_live(at)
            && reach
            && (terms.project.is_none() || terms.project == project(who))
            && holder.principal == principal(who.principal)
            && terms.verdict == GrantVerdict::Allow
            && match &terms.tools {
                GrantedTools::One(tool) => *tool == who.tool.to_string(),
                GrantedTools::Every => true,
                GrantedTools::Reading => only_reads(who),
            }
            && wanted.iter().all(is_covered)
    }

    fn refuses(&self, at: usize, who: Who, wanted: &[usize]) -> bool {
        let Grant { holder, terms, .. } = &self.given[at];
        let refused: Vec<String> = terms.scopes.iter().map(ToString::to_string).collect();
        let touches =
            |one: &String, wanted: &usize| covers(one, SCOPES[*wanted]) || covers(SCOPES[*wanted], one);
        self.is_live(at)
            && terms.verdict == GrantVerdict::Refuse
            && (terms.project.is_none() || terms.project == project(who))
            && holder.principal == principal(who.principal)
            && terms.tools == GrantedTools::One(who.tool.to_string())
            && wanted.iter().any(|wanted| refused.iter().any(|one| touches(one, wanted)))
    }

    fn live(&self) -> Vec<String> {
        (0..self.given.len()).filter(|at| self.is_live(*at)).map(|at| self.given[at].id.to_string()).collect()
    }
}

/// Compares these few scopes by their text alone.
fn covers(wide: &str, narrow: &str) -> bool {
    wide == narrow
        || narrow.starts_with(&format!("{wide}:"))
        || narrow.starts_with(&format!("{}/", wide.strip_suffix('/').unwrap_or(wide)))
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let who = || {
        (0..2u8, 0..2u8, 0..3u8, 0..2u8, 0..2u8).prop_map(|(principal, session, project, tool, arguments)| {
            Who { principal, session, project, tool, arguments }
        })
    };
    let scopes = || prop::collection::vec(0..SCOPES.len(), 1..3);
    let kind = prop_oneof![
        4 => Just(Kind::One),
        1 => Just(Kind::Every),
        1 => Just(Kind::Reading),
        1 => Just(Kind::Refusal),
    ];
    let step = prop_oneof![
        4 => (who(), kind, scopes(), 0..3usize, prop::option::of(1..20u64))
            .prop_map(|(w, k, s, l, e)| Step::Give(w, k, s, l, e)),
        2 => any::<usize>().prop_map(Step::Revoke),
        2 => any::<usize>().prop_map(Step::Spend),
        1 => (1..9u64).prop_map(Step::Wait),
        1 => (0..2u8, 0..2u8).prop_map(|(who, session)| Step::EndSession(who, session)),
        1 => Just(Step::Restart),
        9 => (who(), scopes()).prop_map(|(w, s)| Step::Decide(w, s)),
        3 => (any::<usize>(), who(), scopes()).prop_map(|(at, w, s)| Step::Token(at, w, s)),
        1 => Just(Step::List),
    ];
    prop::collection::vec(step, 100)
}

fn texts(who: Who) -> (Holder, String, String) {
    let holder = Holder::session(principal(who.principal), who.session.to_string());
    (holder, who.tool.to_string(), who.arguments.to_string())
}

fn only_reads(who: Who) -> bool {
    who.tool == 1
}

/// The project of a call, or the project in which a grant holds.
fn project(who: Who) -> Option<String> {
    (who.project < 2).then(|| format!("/{}", who.project))
}

fn parsed(scopes: &[usize]) -> Vec<Scope> {
    scopes.iter().map(|at| Scope::parse(SCOPES[*at]).unwrap()).collect()
}

/// Applies one step to the store and to the model. `restart` restarts the store and returns true,
/// or returns false for a store that can't be restarted.
fn take<S: Probe>(step: Step, store: &mut S, model: &mut Model, restart: impl Fn(&mut S) -> bool) {
    let place = |at: usize| (!model.given.is_empty()).then(|| at % model.given.len());
    match step {
        Step::Give(who, kind, scopes, lifetime, expires) => {
            let (holder, tool, arguments) = texts(who);
            let is_refusal = kind == Kind::Refusal;
            let lifetime = if is_refusal { GrantLifetime::Always } else { GrantLifetime::ALL[lifetime] };
            let terms = Terms {
                server: "server".to_owned(),
                project: project(who),
                verdict: if is_refusal { GrantVerdict::Refuse } else { GrantVerdict::Allow },
                client: None,
                tools: match kind {
                    Kind::One | Kind::Refusal => GrantedTools::One(tool),
                    Kind::Every => GrantedTools::Every,
                    Kind::Reading => GrantedTools::Reading,
                },
                tool_digest: None,
                scopes: parsed(&scopes),
                lifetime,
                arguments: (lifetime == GrantLifetime::Once).then_some(arguments),
                plan: None,
                expires: expires.map(|after| model.now + after),
            };
            let (grant, token) = store.give(&holder, terms.clone());
            assert_eq!(grant.terms, terms);
            if !model.given.contains(&grant) {
                model.given.push(grant);
                model.tokens.push(token);
                model.gone.push(false);
            }
        }
        Step::Revoke(at) => {
            let Some(at) = place(at) else { return };
            assert_eq!(store.revoke(&model.given[at]), model.is_live(at));
            model.gone[at] = true;
        }
        Step::Spend(at) => {
            let Some(at) = place(at) else { return };
            assert_eq!(store.spend_grant(&model.given[at]), model.is_live(at));
            model.gone[at] |= model.given[at].terms.lifetime == GrantLifetime::Once;
        }
        Step::Wait(seconds) => model.now += seconds,
        Step::EndSession(who, session) => {
            let ended = Holder::session(principal(who), session.to_string());
            store.session_ended(&ended);
            for (grant, gone) in model.given.iter().zip(&mut model.gone) {
                *gone |= grant.terms.lifetime != GrantLifetime::Always && grant.holder == ended;
            }
        }
        Step::Restart => {
            if restart(store) {
                let lasting = model.given.iter().map(|grant| grant.terms.lifetime == GrantLifetime::Always);
                model.gone.iter_mut().zip(lasting).for_each(|(gone, is_lasting)| *gone |= !is_lasting);
            }
        }
        Step::Decide(who, wanted) => {
            let (holder, tool, arguments) = texts(who);
            let (scopes, project) = (parsed(&wanted), project(who));
            let need = Need {
                holder: &holder,
                server: "server",
                project: project.as_deref(),
                tool: &tool,
                tool_digest: "definition",
                server_digest: "all",
                only_reads: only_reads(who),
                scopes: &scopes,
                arguments: &arguments,
                plan: None,
                each_time: false,
            };
            let found = store.covering(&need);
            let allowed = (0..model.given.len()).any(|at| model.allows(at, who, &wanted));
            assert_eq!(found.is_some(), allowed, "{who:?} {wanted:?} {found:?}");
            let found = store.refusing(&need);
            let refused = (0..model.given.len()).any(|at| model.refuses(at, who, &wanted));
            assert_eq!(found.is_some(), refused, "{who:?} {wanted:?} {found:?}");
        }
        Step::Token(at, who, wanted) => {
            let Some(at) = place(at) else { return };
            let (holder, tool, arguments) = texts(who);
            let (scopes, project) = (parsed(&wanted), project(who));
            let need = Need {
                holder: &holder,
                server: "server",
                project: project.as_deref(),
                tool: &tool,
                tool_digest: "definition",
                server_digest: "all",
                only_reads: only_reads(who),
                scopes: &scopes,
                arguments: &arguments,
                plan: None,
                each_time: false,
            };
            let found = store.of_token(&model.tokens[at], &need);
            assert_eq!(found.is_some(), model.allows(at, who, &wanted));
        }
        Step::List => {
            let ids: Vec<String> = store.grants().into_iter().map(|grant| grant.id.0).collect();
            assert_eq!(ids, model.live());
        }
    }
}

fn runner(cases: u32) -> TestRunner {
    TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() })
}

#[test]
fn scp_15_the_store_in_memory_does_what_the_model_does() {
    runner(1_000)
        .run(&steps(), |steps| {
            let time = Arc::new(AtomicU64::new(0));
            let clock = Arc::clone(&time);
            let mut store = MemoryStore::new(Clock::of(move || clock.load(Ordering::Relaxed)));
            let mut model = Model::default();
            for step in steps {
                take(step, &mut store, &mut model, |_| false);
                time.store(model.now, Ordering::Relaxed);
            }
            Ok(())
        })
        .unwrap();
}

#[test]
fn scp_15_the_store_on_the_disk_does_what_the_model_does() {
    runner(60)
        .run(&steps(), |steps| {
            let (dir, time) = (tempfile::tempdir().unwrap(), Arc::new(AtomicU64::new(0)));
            let mut store = super::process(dir.path(), &time);
            let other = super::process(dir.path(), &time);
            let restart = |store: &mut SqliteStore| {
                *store = super::process(dir.path(), &time);
                true
            };
            let mut model = Model::default();
            for (number, mut step) in steps.into_iter().enumerate() {
                // The other process revokes grants, too.
                if let (Step::Revoke(at), true) = (&step, number % 2 == 0) {
                    let Some(at) = (!model.given.is_empty()).then(|| at % model.given.len()) else {
                        continue;
                    };
                    assert_eq!(Probe::revoke(&other, &model.given[at]), model.is_live(at));
                    model.gone[at] = true;
                    step = Step::List;
                }
                take(step, &mut store, &mut model, restart);
                time.store(model.now, Ordering::Relaxed);
            }
            Ok(())
        })
        .unwrap();
}
