//! How we trust servers: one choice of provider and roots for everything that calls out.
use std::sync::Arc;

use rustls::{ClientConfig, Error};
use rustls_platform_verifier::BuilderVerifierExt as _;

/// TLS with our own choice of provider, and the roots that the system trusts. Looking for them
/// takes time.
pub fn trusting_the_system() -> Result<ClientConfig, Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    Ok(builder.with_platform_verifier()?.with_no_client_auth())
}
