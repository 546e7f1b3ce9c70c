//! An upstream whose lists of tools are looked at as they pass.
use overt_layers::{Admitted, Endpoint, ServerDescription};
use overt_wire::{BoxFuture, ErrorObject, Message, Method};

use super::guard::{ListPage, PinGuard, PinMode};
use crate::upstream_marks::move_marks_of_tools;

/// An upstream whose lists are looked at.
#[derive(Debug)]
pub struct Pinned<E> {
    guard: PinGuard,
    endpoint: E,
}

impl<E: Endpoint> Pinned<E> {
    pub fn new(guard: PinGuard, endpoint: E) -> Self {
        Self { guard, endpoint }
    }
}

impl<E: Endpoint> Endpoint for Pinned<E> {
    fn call(&self, admitted: Admitted) -> BoxFuture<'_, Option<Message>> {
        let message = &admitted.exchange().message;
        let is_list = message.method() == Some(Method::ToolsList);
        let page = match message.params().get("cursor").value() {
            None => ListPage::First,
            Some(_) => ListPage::Later,
        };
        let call = self.endpoint.call(admitted);
        if !is_list {
            return call;
        }
        Box::pin(async move {
            let answer = call.await?;
            if self.guard.mode() != PinMode::Off {
                self.guard.glance(page, &answer).await;
            }
            // After the look: what is accepted is what the upstream wrote.
            let id = answer.id().cloned();
            let moved = move_marks_of_tools(answer);
            Some(moved.unwrap_or_else(|_| Message::error(id.as_ref(), &ErrorObject::internal())))
        })
    }

    fn description(&self) -> &ServerDescription {
        self.endpoint.description()
    }
}
