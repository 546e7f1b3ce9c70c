//! Decides about resources, prompts, and methods that Overt does not know. A request is allowed or
//! refused, and no person is asked. Reading, subscribing and completing follow the same decision.
use std::sync::Arc;

use overt_policy::record::Hints;
use overt_policy::scope::Scope;
use overt_policy::uri::ResourceUri;
use overt_policy::{Decision, Limits, Subject, ToolFacts, Verdict};
use overt_wire::error::code;
use overt_wire::{ErrorObject, Exchange, Message, Method, Principal};

use super::bounds::CallTimeout;
use super::decide::decide_use;
use super::effective::EffectivePolicy;
use super::layer::{Authorize, ReadRecords, Revision};
use super::limiter::Buckets;
use super::lists::beneath;
use super::records::{CallRecord, RecordedCall, outcome_of};
use super::result_size::{TooLarge, check_answer};
use super::scope_check;
use super::tools::Lookup;
use crate::Endpoint;
use crate::audit::CallOutcome;
use crate::permit::{Conditions, Permitted};
use crate::read_decision::ReadDecision;
use crate::veto::{self, NamedItem};

/// What a request wants to use.
enum Target {
    Resource {
        uri: ResourceUri,
        /// The scopes that a manifest declares for reading the resource.
        declared: Vec<Scope>,
    },
    Template(String),
    Prompt(String),
}

/// A use that was allowed, with its limits.
struct Allowed {
    decision: Decision,
    /// `None` if the request may have an effect.
    read: Option<ReadDecision>,
    limits: Limits,
    buckets: Buckets,
}

impl Authorize {
    pub(super) async fn use_named(&self, exchange: Exchange) -> Option<Message> {
        let message = &exchange.message;
        let method = message.method().unwrap_or(Method::Other(""));
        let target = NamedItem::of(method, message);
        let target = target.first().map_or(method.name(), |named| named.name()).to_owned();
        let mut record = self.open_record(&exchange, &target);
        let refuse = |record: &CallRecord, error: ErrorObject| {
            record.denied(&error.message);
            Some(Message::error(message.id(), &error))
        };
        let effective = match self.effective(&exchange) {
            Ok(effective) => effective,
            Err(error) => return refuse(&record, error),
        };
        record.set(|entry| entry.policy_version = Some(effective.snapshot.version.clone()));
        let (forwarded, uris) = match self.listed_uris.resolve_request(method, message) {
            Ok(resolved) => resolved,
            Err(error) => return refuse(&record, error),
        };
        let uses = match self.targets(method, message, uris) {
            Ok(uses) => uses,
            Err(error) => return refuse(&record, error),
        };
        if let Some(why) = self.review_refused(&exchange, &effective, &uses).await {
            return refuse(&record, ErrorObject::invalid_params(format!("not allowed: {why}")));
        }
        let allowed = match self.decide_uses(exchange.principal(), method, &uses, &effective, &mut record) {
            Ok(allowed) => allowed,
            Err(error) => return refuse(&record, error),
        };
        if let Err(refusal) = veto::check(&self.control.vetoes, &forwarded) {
            return refuse(&record, ErrorObject::invalid_params(refusal.reason));
        }
        let Allowed { decision, read, limits, buckets } = allowed;
        let charges = match self.charge(&exchange, &buckets) {
            Ok(charges) => charges,
            Err(error) => return refuse(&record, error),
        };
        let recorded = match read {
            Some(read) => record.intend_read().await.map(|receipt| RecordedCall::Read(read, receipt)),
            None => record.intend().await.map(RecordedCall::Effect),
        };
        let recorded = match recorded {
            Ok(recorded) => recorded,
            Err(error) => {
                tracing::error!(%error, "a request was refused because it can't be recorded");
                let error =
                    ErrorObject::new(code::INTERNAL, "the request can't be recorded; nothing was done");
                return refuse(&record, error);
            }
        };
        let trusts = effective.snapshot.approval.trust_grants;
        let onward = Exchange { message: effective.options.onward(&forwarded, trusts), ..exchange.clone() };
        let named = uses.iter().find_map(|target| match target {
            Target::Resource { uri, .. } => Some(uri),
            Target::Template(_) | Target::Prompt(_) => None,
        });
        let server = self.endpoint.description().name.as_str();
        let checks = named.is_some() || method == Method::PromptsGet;
        let scopes = checks.then(|| scope_check::while_reading(server, named, &effective));
        let settings = effective.values.clone();
        let conditions = Conditions { settings, limits, scopes, ..Conditions::default() };
        let annotation = Arc::clone(&conditions.annotation);
        let Some(permitted) = recorded.permit(onward, &decision, Arc::new(conditions), None) else {
            return refuse(&record, ErrorObject::internal());
        };
        charges.keep();
        record.sent();
        // A subscription stays open until one side ends it.
        let time = limits.time.filter(|_| method != Method::Listen);
        let failed = |error: ErrorObject| Some(Message::error(message.id(), &error));
        let reply = match self.carry(permitted, time).await {
            Ok(Some(reply)) => match check_answer(&limits, &reply) {
                Ok(()) => Some(self.without_hidden(method, reply, &effective)),
                Err(TooLarge { bytes, most }) => {
                    let what = format!("not allowed: it has {bytes} bytes, and the policy allows {most}");
                    failed(ErrorObject::invalid_params(what))
                }
            },
            Ok(None) => None,
            Err(CallTimeout(time)) => {
                let what = format!("it took longer than the {} s that the policy allows", time.as_secs_f64());
                failed(ErrorObject::new(code::DEADLINE, what))
            }
        };
        reply.iter().for_each(|reply| self.listed_uris.learn(reply));
        match annotation.refusal() {
            Some(reason) => record.refused(reason, reply.as_ref()),
            None => record.ended(outcome_of(reply.as_ref()), reply.as_ref()),
        }
        reply
    }

    /// Forwards a notification that Overt does not know, if a request of the same name would be
    /// allowed.
    pub(super) async fn notify_unknown(&self, exchange: Exchange) -> Option<Message> {
        let method = exchange.message.method().unwrap_or(Method::Other(""));
        if !method.is_notification() {
            return None;
        }
        let effective = self.effective(&exchange).ok()?;
        let mut record = self.open_record(&exchange, method.name());
        let allowed = self.decide_uses(exchange.principal(), method, &[], &effective, &mut record).ok()?;
        veto::check(&self.control.vetoes, &exchange.message).ok()?;
        let charges = self.charge(&exchange, &allowed.buckets).ok()?;
        let receipt = record.intend().await.ok()?;
        let permitted = Permitted::for_effect(exchange, &allowed.decision, receipt, Arc::default(), None)?;
        charges.keep();
        record.sent();
        let reply = self.carry(permitted, allowed.limits.time).await.ok().flatten();
        record.ended(CallOutcome::Ok, None);
        reply
    }

    /// Returns everything that a request wants to use. `uris` are the canonical URIs of its
    /// resources.
    fn targets(
        &self,
        method: Method<'_>,
        message: &Message,
        uris: Vec<ResourceUri>,
    ) -> Result<Vec<Target>, ErrorObject> {
        let scopes = &self.endpoint.description().resource_scopes;
        if method == Method::DirectoryRead {
            // A rule that denies an entry of a directory doesn't hide the rest. So the directory is
            // decided about as a template that stands for many resources.
            return Ok(uris.iter().map(|uri| Target::Template(beneath(uri.as_str()))).collect());
        }
        let resources = uris.into_iter().map(|uri| match scopes.of_uri(&uri) {
            Ok(declared) => Ok(Target::Resource { uri, declared }),
            Err(error) => Err(ErrorObject::invalid_params(format!(
                "Overt can't tell which scopes reading this resource needs: {error}"
            ))),
        });
        let named = NamedItem::of(method, message).into_iter().filter_map(|named| match named {
            NamedItem::Template(text) => Some(Ok(Target::Template(text.into_owned()))),
            NamedItem::Prompt(name) => Some(Ok(Target::Prompt(name.into_owned()))),
            // `uris` has the resources, in canonical form.
            NamedItem::Resource(_) | NamedItem::Tool(_) => None,
        });
        resources.chain(named).collect()
    }

    /// Decides about everything that a request names. All of it must be allowed.
    fn decide_uses(
        &self,
        principal: &Principal,
        method: Method<'_>,
        uses: &[Target],
        effective: &EffectivePolicy,
        record: &mut CallRecord,
    ) -> Result<Allowed, ErrorObject> {
        let server = self.endpoint.description().name.as_str();
        // A method that Overt does not know may do anything (POL-21), so it is decided like an
        // undeclared tool of that name.
        let facts = ToolFacts::undeclared(server, method.name(), Hints::default());
        let nothing = serde_json::Value::Object(serde_json::Map::new());
        let subjects: Vec<Subject<'_>> = match (method, uses) {
            (Method::Other(_), _) => vec![Subject::Tool { facts: &facts, arguments: Some(&nothing) }],
            // The request names nothing, so it reads the server as a whole.
            (_, []) => vec![Subject::Server { server }],
            _ => uses
                .iter()
                .map(|target| match target {
                    Target::Resource { uri, declared } => Subject::Resource { server, uri, declared },
                    Target::Template(text) => Subject::Template { server, text },
                    Target::Prompt(name) => Subject::Prompt { server, name },
                })
                .collect(),
        };
        let (mut limits, mut buckets) = (Limits::default(), Buckets::default());
        let mut last = None;
        for subject in subjects {
            let (decision, read) = decide_use(effective, subject);
            record.decided(&decision);
            if decision.verdict != Verdict::Allow {
                return Err(match method {
                    Method::Other(name) => ErrorObject::method_not_found(name),
                    _ => {
                        let why = decision.decisive().map_or("it is not allowed", |said| said.why.as_str());
                        ErrorObject::invalid_params(format!("not allowed: {why}"))
                    }
                });
            }
            limits = limits.meet(&decision.limits);
            let name = (method.name(), None);
            let Buckets { common, own } = self.buckets(effective, principal, subject, name, &decision.limits);
            buckets.common.extend(common);
            buckets.own.extend(own);
            last = Some((decision, read));
        }
        match last {
            Some((decision, read)) => Ok(Allowed { decision, read, limits, buckets }),
            None => Err(ErrorObject::internal()),
        }
    }

    /// Returns why the caller may not see the changes of a call: the call itself would be refused.
    async fn review_refused(
        &self,
        exchange: &Exchange,
        effective: &EffectivePolicy,
        uses: &[Target],
    ) -> Option<String> {
        let tools = &self.endpoint.description().tools;
        for target in uses {
            let Target::Resource { uri, .. } = target else { continue };
            let Some(origin) = tools.review_origin(uri.as_str()) else { continue };
            let Lookup::Found(known) = self.find_tool(exchange, &origin.tool).await else {
                return Some("the server's tools can't be listed".to_owned());
            };
            let decision = self.decide_review(&known, &origin, effective);
            if decision.verdict == Verdict::Deny {
                return Some(decision.decisive().map_or_else(String::new, |said| said.why.clone()));
            }
        }
        None
    }
}

impl ReadRecords for Authorize {
    fn revision(&self) -> Revision {
        let tools = self.endpoint.description().tools.generation();
        Revision { policy: self.control.policy_revision(), tools }
    }

    fn count_read(&self, exchange: &Exchange, target: &str) -> Result<(), ErrorObject> {
        let mut record = self.open_record(exchange, target);
        let refuse = |record: &CallRecord, error: ErrorObject| {
            record.denied(&error.message);
            error
        };
        let effective = self.effective(exchange).map_err(|error| refuse(&record, error))?;
        let server = self.endpoint.description().name.as_str();
        let method = exchange.message.method().map_or("", |method| method.name());
        let subject = Subject::Server { server };
        let buckets =
            self.buckets(&effective, exchange.principal(), subject, (method, None), &Limits::default());
        self.charge(exchange, &buckets).map_err(|error| refuse(&record, error))?.keep();
        record.set(|entry| entry.policy_version = Some(effective.snapshot.version.clone()));
        record.read();
        Ok(())
    }
}
