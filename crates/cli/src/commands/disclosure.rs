//! Surveys the upstream before clients connect, and compares it with what a manifest declares.
use std::sync::Arc;

use overt_disclosure::{Disclosure, ServerCapabilities};
use overt_transport::client::{Client, ClientOptions, SilentListener, Target};

use overt_wire::json::Object;

use super::manifest::{refusal, remark};
use crate::error::CommandError;
use crate::output::Printer;
use crate::settings::ManifestFile;
use crate::survey::{OwnText, survey};

/// Returns what clients will be told, or why the manifest can't be used. The survey's connection is
/// closed before the first client's opens.
pub(super) async fn survey_server(
    file: &ManifestFile,
    target: &Target,
    options: &overt_gateway::Options,
    printer: &Printer,
) -> Result<Disclosure, CommandError> {
    let options = ClientOptions {
        limits: options.limits.clone(),
        protocol: options.protocol,
        ..ClientOptions::new("overt", env!("CARGO_PKG_VERSION"))
    };
    let client = Client::connect(target, options, Arc::new(SilentListener)).await?;
    let offers = ServerCapabilities::read(client.server().capabilities.as_json());
    let found = survey(&client, OwnText::Published, printer).await;
    printer.progress_stop();
    client.close().await;
    match Disclosure::new(file.manifest.declaration.clone(), found?.live, offers) {
        Ok((disclosure, findings)) => {
            remark(file, &findings, printer);
            Ok(disclosure)
        }
        Err(findings) => Err(refusal(file, &findings)),
    }
}

/// Adds the declaration to `options`, so that decisions take it into account.
pub(super) fn declared(
    options: overt_gateway::Options,
    disclosure: Option<&Disclosure>,
) -> overt_gateway::Options {
    let Some(disclosure) = disclosure else { return options };
    let info = disclosure.info();
    let info = Object::new().string("name", &info.name).string("version", &info.version).finish();
    overt_gateway::Options {
        declaration: Some(Arc::new(disclosure.declaration().clone())),
        info: Some(info),
        ..options
    }
}
