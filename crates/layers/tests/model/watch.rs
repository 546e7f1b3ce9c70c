//! Lets events happen, and checks them against what may happen.
use std::time::Duration;

use overt_layers::grants::Answer;
use overt_testkit::person::answering;
use overt_wire::json::Json;
use serde_json::Value;
use tokio::task::JoinHandle;

use super::bench::{Bench, Call, InResult};
use super::form::Shown;
use super::ledger::{Line, Mode};
use super::rules::{Tool, Verdict};
use super::world::{Reached, SECRET};

/// The number of yields after which everything has settled that does not wait for time.
const YIELDS: usize = 30;
/// The most times that a call uses the store one after the other.
const STORE_USES: usize = 8;
/// Each attempt queries the tools a few times. More queries than this mean that a call makes no
/// progress.
const MOST_LOOKS: u64 = 10_000;
/// Rounds of half a second after which no call may still wait.
const ROUNDS: usize = 20;

/// An event that the model checks.
enum Event {
    Line(Box<Line>),
    Reached(Reached),
}

impl Bench {
    /// Lets everything happen that can happen now, and checks it.
    pub(crate) async fn settle(&mut self) {
        let before = self.world.looks();
        for _ in 0..STORE_USES {
            for _ in 0..YIELDS {
                tokio::task::yield_now().await;
                assert!(self.world.looks() - before < MOST_LOOKS, "a call is attempted again and again");
            }
            // Takes its turn after everything that calls do with the store on another thread.
            self.store.has_listener().await.unwrap();
        }
        self.look().await;
    }

    /// Lets time pass.
    pub(crate) async fn pass(&mut self, time: Duration) {
        const STEP: Duration = Duration::from_millis(100);
        let mut left = time;
        while !left.is_zero() {
            let step = left.min(STEP);
            tokio::time::advance(step).await;
            self.settle().await;
            left -= step;
        }
    }

    async fn look(&mut self) {
        for index in 0..self.calls.len() {
            let is_finished = self.calls[index].task.as_ref().is_some_and(JoinHandle::is_finished);
            if is_finished {
                let answer = self.calls[index].task.take().unwrap().await;
                let message =
                    answer.unwrap().unwrap_or_else(|| panic!("{:?} has no answer", self.calls[index]));
                self.take_answer(index, Json::parse(message.text()).unwrap().read().unwrap());
            }
        }
        self.read_events();
        let all = self.world.definitions();
        self.clients.iter().for_each(|client| client.note_definitions(&all));
        for open in self.store.questions().await.unwrap() {
            self.appeared.entry(open.id).or_insert_with(|| all.clone());
        }
        for planned in self.world.planned(self.seen_planned) {
            self.seen_planned += 1;
            let verdict = planned.policy.verdict(planned.tool, "/a/other", None, false);
            assert!(planned.tool != Tool::Vault || verdict != Verdict::Deny, "a denied call was planned");
        }
        for grant in self.store.grants().await.unwrap() {
            self.evidence.check_grant(&grant);
        }
    }

    fn take_answer(&mut self, index: usize, answer: Value) {
        let call = &self.calls[index];
        let text = answer.to_string();
        assert!(!text.contains(SECRET), "denied content in an answer: {text}");
        let result = &answer["result"];
        if result["resultType"] == "input_required" {
            let form = result["inputRequests"]["dev.overt/approval"]["params"].clone();
            let all = self.world.definitions();
            let question = form["message"]
                .as_str()
                .map(|text| (form.clone(), Shown { all, ..Shown::read(text, &form) }));
            self.asked.push(InResult {
                client: call.client.clone(),
                tool: call.tool,
                path: call.path,
                state: result["requestState"].as_str().unwrap().to_owned(),
                question,
                number: call.number,
                is_used: false,
            });
        }
        if let Some(token) = result["_meta"]["dev.overt/grant"].as_str() {
            self.tokens.push(token.to_owned());
        }
        self.calls[index].answer = Some(answer);
    }

    /// Checks the events against what may happen, in the order in which they happened.
    pub(crate) fn read_events(&mut self) {
        let lines = self.ledger.lines(self.seen_lines);
        let reached = self.world.reached(self.seen_reached);
        self.seen_lines += lines.len();
        self.seen_reached += reached.len();
        let mut events: Vec<(u64, Event)> = Vec::new();
        events.extend(lines.into_iter().map(|line| (line.at, Event::Line(Box::new(line)))));
        events.extend(reached.into_iter().map(|reached| (reached.at, Event::Reached(reached))));
        events.sort_by_key(|(at, _)| *at);
        for (_, event) in events {
            match event {
                Event::Line(line) => {
                    self.evidence.record(&line);
                    self.evidence.decide(&line);
                }
                Event::Reached(reached) => {
                    let call = &mut self.calls[usize::try_from(reached.number).unwrap()];
                    assert!(!call.has_reached, "a call went out twice: {reached:?}");
                    assert!(!call.must_fail, "a call with a state that is not for it went out: {reached:?}");
                    call.has_reached = true;
                    let resumes = call.resumes;
                    let (holder, session) = (call.client.holder(), call.client.session.id().to_owned());
                    self.evidence.check_reached(&reached, &holder, &session, resumes);
                }
            }
        }
    }

    /// Gives up everything that is open. Then every call has an answer.
    pub(crate) async fn finish(&mut self) {
        self.ledger.set(Mode::Works);
        for _ in 0..ROUNDS {
            for client in &self.clients {
                while let Some(dialog) = client.take_dialog(0) {
                    dialog.hang_up();
                }
            }
            for open in self.store.questions().await.unwrap() {
                self.store.answer(answering(&open.id, &open.question, Answer::No)).await.unwrap();
            }
            self.pass(Duration::from_millis(500)).await;
            if self.waiting().next().is_none() {
                break;
            }
        }
        let left: Vec<&Call> = self.waiting().map(|index| &self.calls[index]).collect();
        assert!(left.is_empty(), "calls that never end: {left:#?}");
        for call in self.calls.iter().filter(|call| !call.is_cancelled) {
            let answer = call.answer.as_ref().unwrap();
            let is_done = answer["result"]["content"][0]["text"] == "done";
            let is_asked = answer["result"]["inputRequests"]["own"].is_object();
            assert_eq!(is_done || is_asked, call.has_reached, "{call:?}");
        }
        self.evidence.check_closed();
    }
}
