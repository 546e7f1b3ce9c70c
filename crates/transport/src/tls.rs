//! TLS for outgoing connections: one choice of provider and root certificates for all of them.
use std::sync::Arc;

use rustls::{ClientConfig, Error};
use rustls_platform_verifier::BuilderVerifierExt as _;

/// Returns a TLS configuration with our choice of provider and the system's root certificates.
/// Loading the certificates takes time.
pub fn trusting_the_system() -> Result<ClientConfig, Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    Ok(builder.with_platform_verifier()?.with_no_client_auth())
}
