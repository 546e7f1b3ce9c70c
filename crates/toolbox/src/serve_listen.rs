//! `subscriptions/listen`: acknowledges, forwards changes, and ends when the server stops.
use std::collections::HashSet;

use overt_wire::era::{self, key};
use overt_wire::json::{Json, Object};
use overt_wire::{ErrorObject, Exchange, Message};

use super::announcement::{Announcement, MOST_URIS, subscription_meta};
use super::context::CallConditions;
use super::endpoint::ToolServer;
use super::reply::Answer;
use super::task::Tasks;

impl ToolServer {
    /// Answers the request. The state of each requested task is sent at once, because the task may
    /// have ended already.
    pub(super) async fn listen(&self, exchange: &Exchange, conditions: &CallConditions) -> Answer {
        let (mut wanted, watches) = self.watched(exchange, conditions).await?;
        let Some(id) = exchange.message.id() else { return Err(ErrorObject::internal()) };
        wanted.tasks = match &self.tasks {
            Some(tasks) => known_tasks(exchange, tasks)?,
            None => HashSet::new(),
        };
        let task_ids: Vec<String> = wanted.tasks.iter().cloned().collect();
        let acknowledged = wanted.acknowledgement(id);
        let Some(mut listening) = self.changes.listen(wanted, watches) else {
            let message = "too many subscriptions are open; try again later";
            return Err(ErrorObject::new(overt_wire::error::code::OVERLOADED, message));
        };
        let mut reachable = exchange.sink.notify(acknowledged).await.is_ok();
        for task in task_ids.iter().filter_map(|id| self.tasks.as_ref()?.find(id)) {
            let state = Announcement::Task { id: task.id.clone(), detail: task.detail() };
            reachable = reachable && exchange.sink.notify(state.message(Some(id))).await.is_ok();
        }
        while reachable {
            let Some(announcement) = listening.next().await else { break };
            reachable = exchange.sink.notify(announcement.message(Some(id))).await.is_ok();
        }
        if reachable {
            // The specification requires both a notice that the subscription is over and an answer.
            let params =
                Object::new().raw("requestId", id.token()).string("reason", "the server is stopping");
            let params = params.json("_meta", subscription_meta(id).as_json()).finish();
            let notice = Message::notification("notifications/cancelled", Some(params.as_json()));
            let _ = exchange.sink.notify(notice).await;
        }
        let meta = Object::new()
            .raw(key::SUBSCRIPTION_ID, id.token())
            .json(key::SERVER_INFO, self.info.as_json())
            .finish();
        Ok(Object::new().string("resultType", "complete").json("_meta", meta.as_json()).finish())
    }
}

/// Returns the tasks that a listener asks for, without those that don't exist.
fn known_tasks(exchange: &Exchange, tasks: &Tasks) -> Result<HashSet<String>, ErrorObject> {
    let Some(ids) = exchange.message.param("notifications").get("taskIds").value() else {
        return Ok(HashSet::new());
    };
    if !exchange.caller.has_extension(key::TASKS) {
        return Err(era::missing_extension(key::TASKS));
    }
    let ids: Vec<_> = ids.elements().filter_map(Json::string).take(MOST_URIS + 1).collect();
    if ids.len() > MOST_URIS {
        return Err(ErrorObject::invalid_params(format!("a client may watch at most {MOST_URIS} tasks")));
    }
    Ok(ids.iter().filter(|id| tasks.find(id).is_some()).map(|id| id.clone().into_owned()).collect())
}
