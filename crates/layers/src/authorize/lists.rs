//! Filters lists by the same decision as calls: the caller sees the entries that it may use, or for
//! which a person can be asked.
use overt_policy::{Subject, Verdict};
use overt_wire::edit::{self, Step};
use overt_wire::json::{Array, Json, Member};
use overt_wire::skill::DIRECTORY_TYPE;
use overt_wire::{ErrorObject, Exchange, Message, Method};

use super::control::PolicySnapshot;
use super::effective::EffectivePolicy;
use super::layer::Authorize;
use super::request_options::RequestOptions;
use super::uris::ListedUris;
use crate::Endpoint;
use crate::veto::VetoSubject;

/// Where the entries of a list are, how they are named, and what kind they are.
#[derive(Clone, Copy)]
pub(super) struct List {
    member: &'static str,
    key: &'static str,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Tools,
    Prompts,
    Resources,
    Templates,
    Skills,
    /// The contents of a directory: files and directories.
    Children,
}

const CHILDREN: List = List { member: "resources", key: "uri", kind: Kind::Children };
/// The files of a skill.
const FILES: List = List { member: "resources", key: "uri", kind: Kind::Resources };

impl List {
    pub(super) fn of(method: Method<'_>) -> Option<Self> {
        let (member, key, kind) = match method {
            Method::ToolsList => ("tools", "name", Kind::Tools),
            Method::PromptsList => ("prompts", "name", Kind::Prompts),
            Method::ResourcesList => ("resources", "uri", Kind::Resources),
            Method::ResourceTemplatesList => ("resourceTemplates", "uriTemplate", Kind::Templates),
            Method::SkillsList => ("skills", "uri", Kind::Skills),
            _ => return None,
        };
        Some(Self { member, key, kind })
    }
}

impl Authorize {
    pub(super) async fn list(&self, exchange: Exchange, list: List) -> Option<Message> {
        let EffectivePolicy { snapshot, options, .. } = match self.effective(&exchange) {
            Ok(effective) => effective,
            Err(error) => {
                let method = exchange.message.method().map_or("", |method| method.name()).to_owned();
                let record = self.open_record(&exchange, &method);
                record.denied(&error.message);
                return Some(Message::error(exchange.message.id(), &error));
            }
        };
        let trusts = snapshot.approval.trust_grants;
        let onward = Exchange { message: RequestOptions::without(&exchange.message, trusts), ..exchange };
        let reply = self.pass_unprivileged(onward).await?;
        match list.kind {
            Kind::Tools => self.note_tools(&reply),
            Kind::Resources | Kind::Skills | Kind::Children => self.listed_uris.learn(&reply),
            Kind::Prompts | Kind::Templates => {}
        }
        Some(self.filter(list, reply, &snapshot, &options))
    }

    /// Removes what the caller may not read from the result of a permitted read: entries of a
    /// directory, or a whole skill.
    pub(super) fn without_hidden(
        &self,
        method: Method<'_>,
        reply: Message,
        effective: &EffectivePolicy,
    ) -> Message {
        let (snapshot, options) = (&effective.snapshot, &effective.options);
        match method {
            Method::DirectoryRead => self.filter(CHILDREN, reply, snapshot, options),
            Method::SkillsGet => match reply.result_body().get("skill") {
                Member::Value(skill) if self.has_hidden_file(skill, snapshot, options) => {
                    let error =
                        ErrorObject::invalid_params("not allowed: a file of the skill may not be read");
                    Message::error(reply.id(), &error)
                }
                _ => reply,
            },
            _ => reply,
        }
    }

    /// Returns whether a file of a skill may not be read. A host can't verify a part of a skill, so
    /// a skill is shown whole or not at all.
    fn has_hidden_file(&self, skill: Json<'_>, snapshot: &PolicySnapshot, options: &RequestOptions) -> bool {
        let files = skill.get("resources").value().into_iter().flat_map(Json::elements);
        std::iter::once(skill).chain(files).any(|file| self.is_hidden(FILES, file, snapshot, options))
    }

    /// Removes from a list every entry whose use would be refused.
    fn filter(
        &self,
        list: List,
        reply: Message,
        snapshot: &PolicySnapshot,
        options: &RequestOptions,
    ) -> Message {
        let Member::Value(items) = reply.result_body().get(list.member) else { return reply };
        let hidden: Vec<usize> = items
            .elements()
            .enumerate()
            .filter(|(_, item)| self.is_hidden(list, *item, snapshot, options))
            .map(|(index, _)| index)
            .collect();
        if hidden.len() > MOST_EDITS {
            return rebuilt(&reply, list, items, &hidden);
        }
        let mut shown = reply.clone();
        // Remove from the end, so that the indices stay valid.
        for index in hidden.into_iter().rev() {
            let path = [Step::Member("result"), Step::Member(list.member), Step::Element(index)];
            match edit::remove_in(&shown, &path) {
                Ok(edited) => shown = edited,
                // Answer with an error rather than show hidden entries.
                Err(_) => return Message::error(reply.id(), &ErrorObject::internal()),
            }
        }
        shown
    }

    fn is_hidden(
        &self,
        list: List,
        item: Json<'_>,
        snapshot: &PolicySnapshot,
        options: &RequestOptions,
    ) -> bool {
        if list.kind == Kind::Skills {
            return self.has_hidden_file(item, snapshot, options);
        }
        let Some(name) = item.get(list.key).string() else { return false };
        let subject = match list.kind {
            Kind::Tools => VetoSubject::CallTool(&name),
            Kind::Prompts => VetoSubject::GetPrompt(&name),
            Kind::Resources | Kind::Templates | Kind::Skills | Kind::Children => {
                VetoSubject::ReadResource(&name)
            }
        };
        if self.control.vetoes.iter().any(|veto| veto.check(subject).is_err()) {
            return true;
        }
        let server = self.endpoint.description().name.as_str();
        let (known, uri, declared, folder);
        let subject = match list.kind {
            Kind::Tools => {
                // A tool about which nothing is known stays hidden.
                let Some(found) = self.tools.last_listed(&name) else { return true };
                known = found;
                Subject::Tool { facts: &known.facts, arguments: None }
            }
            Kind::Prompts => Subject::Prompt { server, name: &name },
            Kind::Children if item.get("mimeType").string().as_deref() == Some(DIRECTORY_TYPE) => {
                folder = beneath(&name);
                Subject::Template { server, text: &folder }
            }
            Kind::Resources | Kind::Skills | Kind::Children => {
                // A URI that can't be decided about can't be read either.
                let Ok(found) = ListedUris::of_list(&name) else { return true };
                let Ok(scopes) = self.endpoint.description().resource_scopes.of_uri(&found) else {
                    return true;
                };
                (uri, declared) = (found, scopes);
                Subject::Resource { server, uri: &uri, declared: &declared }
            }
            Kind::Templates => Subject::Template { server, text: &name },
        };
        let is_denied = |subject: Subject<'_>| {
            snapshot.authority.decide_without_grants(subject, &options.overlays()).verdict == Verdict::Deny
        };
        // Only callers that may make a call may see its changes.
        let of_a_call = || {
            if list.kind != Kind::Resources {
                return None;
            }
            let (tool, arguments) = self.endpoint.description().tools.review_origin(&name)?;
            let known = self.tools.last_listed(&tool)?;
            Some(is_denied(Subject::Tool { facts: &known.facts, arguments: Some(&arguments) }))
        };
        is_denied(subject) || of_a_call().unwrap_or(false)
    }
}

/// Returns the text that stands for everything in a directory.
pub(super) fn beneath(directory: &str) -> String {
    format!("{}/", directory.trim_end_matches('/'))
}

/// The most entries that are removed one by one. Beyond that, the list is rebuilt.
const MOST_EDITS: usize = 32;

/// Returns the list without the hidden entries. The other entries keep their bytes.
fn rebuilt(reply: &Message, list: List, items: Json<'_>, hidden: &[usize]) -> Message {
    let mut hidden = hidden.iter().copied().peekable();
    let mut shown = Array::new();
    for (index, item) in items.elements().enumerate() {
        if hidden.next_if_eq(&index).is_none() {
            shown = shown.json(item);
        }
    }
    let path = [Step::Member("result"), Step::Member(list.member)];
    edit::set_in(reply, &path, shown.finish().as_json())
        // Answer with an error rather than show hidden entries.
        .unwrap_or_else(|_| Message::error(reply.id(), &ErrorObject::internal()))
}
