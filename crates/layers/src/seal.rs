//! Sealed state: the client carries it and returns it. The client can read it but not change it.
use std::sync::atomic::{AtomicU64, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

/// A key that seals text and opens sealed text.
pub struct Seal {
    key: [u8; 32],
}

impl Seal {
    /// Makes a key that only this process knows. After a restart, values that it sealed no longer
    /// open, which is safe.
    pub fn random() -> Self {
        let mut key = [0; 32];
        getrandom::fill(&mut key).expect("the operating system gives random numbers");
        Self { key }
    }

    /// Uses a key that the caller stores.
    pub fn with(key: [u8; 32]) -> Self {
        Self { key }
    }

    /// Derives the key from text. It proves only that the sealed value was meant for the same text.
    pub fn of(text: &str) -> Self {
        Self { key: Sha256::digest(text).into() }
    }

    pub fn close(&self, payload: &str) -> String {
        format!("{}.{}", URL_SAFE_NO_PAD.encode(payload), URL_SAFE_NO_PAD.encode(self.mac(payload)))
    }

    /// Returns the payload, or `None` if it was changed.
    pub fn open(&self, sealed: &str) -> Option<String> {
        let (payload, mac) = sealed.split_once('.')?;
        let payload = String::from_utf8(URL_SAFE_NO_PAD.decode(payload).ok()?).ok()?;
        let mac = URL_SAFE_NO_PAD.decode(mac).ok()?;
        self.keyed(&payload).verify_slice(&mac).ok()?;
        Some(payload)
    }

    fn mac(&self, payload: &str) -> Vec<u8> {
        self.keyed(payload).finalize().into_bytes().to_vec()
    }

    fn keyed(&self, payload: &str) -> Hmac<Sha256> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.key).expect("HMAC takes keys of any length");
        mac.update(payload.as_bytes());
        mac
    }
}

/// Makes names that are unique within this process and across processes. They can be guessed, so
/// knowing a name must not prove anything.
#[derive(Debug)]
pub struct UniqueNames {
    ours: String,
    next: AtomicU64,
}

impl Default for UniqueNames {
    fn default() -> Self {
        Self { ours: random_name(), next: AtomicU64::new(1) }
    }
}

impl UniqueNames {
    pub fn next(&self) -> String {
        format!("{}.{}", self.ours, self.next.fetch_add(1, Ordering::Relaxed))
    }
}

/// Returns an unguessable name of 192 random bits. People type it as an argument, so it never
/// begins with `-`.
pub fn random_name() -> String {
    let mut bits = [0; 24];
    loop {
        // Without random numbers an attacker could guess a handle and take it over, so panic is the
        // only safe response.
        getrandom::fill(&mut bits).expect("the operating system gives random numbers");
        let name = URL_SAFE_NO_PAD.encode(bits);
        if !name.starts_with('-') {
            return name;
        }
    }
}

/// Returns a short digest of texts. The boundaries between the texts are part of it. It stays
/// SHA-256, because trusted definitions are stored with it.
pub fn digest(parts: &[&str]) -> String {
    let mut digest = Sha256::new();
    for part in parts {
        digest.update((part.len() as u64).to_be_bytes());
        digest.update(part);
    }
    URL_SAFE_NO_PAD.encode(digest.finalize())
}

impl std::fmt::Debug for Seal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Seal(****)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_looks_like_an_option() {
        assert!((0..2_000).all(|_| !random_name().starts_with('-')));
    }

    #[test]
    fn what_was_changed_does_not_open() {
        let seal = Seal::random();
        let sealed = seal.close("payload");
        assert_eq!(seal.open(&sealed).as_deref(), Some("payload"));
        assert_eq!(seal.open(&format!("{sealed}-TAMPERED")), None);
        assert_eq!(seal.open(&sealed.replacen('c', "d", 1)), None);
        assert_eq!(Seal::random().open(&sealed), None);
        for garbage in ["", ".", "a.b", "é.é"] {
            assert_eq!(seal.open(garbage), None);
        }
    }
}
