//! A server behind our own layers in one process, so that `overt call` decides about a call as
//! `overt run` does.
use std::sync::Arc;
use std::time::Duration;

use overt_gateway::{Gateway, Options};
use overt_layers::{Approval, Control, PolicySnapshot};
use overt_policy::Authority;
use overt_transport::client::{Client, ClientOptions, Listener};
use overt_transport::pair;

use super::disclosure;
use crate::error::CommandError;
use crate::output::Printer;
use crate::settings::{CallLimits, Connection, ControlSettings, current_project};

/// Our own layers in front of one server, with the limits of an `overt call`.
#[derive(Debug)]
pub(super) struct InProcessProxy<'a> {
    limits: &'a CallLimits,
}

impl<'a> InProcessProxy<'a> {
    pub(super) fn new(limits: &'a CallLimits) -> Self {
        Self { limits }
    }

    pub(super) async fn connect(
        &self,
        connection: &Connection,
        options: ClientOptions,
        listener: Arc<dyn Listener>,
        printer: &Printer,
    ) -> Result<(Client, Gateway), CommandError> {
        let gateway = Options {
            name: connection.name.clone(),
            identity: connection.identity(),
            limits: connection.limits.clone(),
            protocol: connection.protocol,
            one_client: true,
            project: current_project(),
            ..Options::new(connection.label.clone())
        };
        let mut disclosure = None;
        if let Some(file) = &self.limits.manifest {
            let surveying = disclosure::survey_server(file, &connection.target, &gateway, printer);
            disclosure = Some(Box::pin(surveying).await?);
        }
        let gateway =
            Gateway::new(connection.target.clone(), disclosure::declared(gateway, disclosure.as_ref()));
        let control = Control::new(self.snapshot());
        let handler = overt_disclosure::build_with(gateway.clone(), control, disclosure);
        let (stream, _) = pair::connect(handler, connection.limits.clone());
        let (output, input) = tokio::io::split(stream);
        let client = Box::pin(Client::over(input, output, options, listener)).await?;
        Ok((client, gateway))
    }

    /// Returns the policy. A person who types a call wants it; so without settings, only tools that
    /// declare that they need agreement require approval.
    fn snapshot(&self) -> PolicySnapshot {
        let settings = self.limits.control.as_ref();
        let snapshot = settings.map_or_else(
            || PolicySnapshot::new(Authority { honour_declared_approval: true, ..Authority::open() }),
            ControlSettings::snapshot,
        );
        // The grants come from our own command line, so they are trusted.
        PolicySnapshot {
            approval: Approval { trust_grants: true, quick: Duration::ZERO, ..snapshot.approval },
            ..snapshot
        }
    }
}
