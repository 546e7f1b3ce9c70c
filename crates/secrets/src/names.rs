//! Recognises names of members and variables that mean a credential.
//!
//! Most names that end in `key` identify something: `issue_key`, `fileKey`, `old_key`. Such a name
//! means a credential only if the word before `key` says so (`api_key`, `signingKey`), or if it is
//! the name of an environment variable (`COHERE_KEY`).

/// A name that contains one of these means a secret.
const INSIDE: [&str; 7] =
    ["password", "secret", "apikey", "privatekey", "credential", "accesskey", "accountkey"];
/// A name that ends with one of these means a secret.
const AT_END: [&str; 11] = [
    "token",
    "passwd",
    "passphrase",
    "cookie",
    "cookies",
    "requeststate",
    "connectionstring",
    // A session id is an identifier, unless it alone gives access to the session.
    "mcpsessionid",
    "jsessionid",
    "phpsessid",
    // The handle of a session that is kept for a client of the newer era.
    "devovertsession",
];
/// A name that equals one of these means a secret.
const WHOLE: [&str; 10] =
    ["auth", "authorization", "proxyauthorization", "pwd", "pass", "jwt", "otp", "pin", "tokens", "bearer"];
/// Words that turn a following `key` into a credential.
const BEFORE_KEY: [&str; 43] = [
    "admin",
    "aes",
    "api",
    "app",
    "application",
    "auth",
    "authentication",
    "authorization",
    "bearer",
    "cipher",
    "client",
    "consumer",
    "crypto",
    "decryption",
    "deploy",
    "ed25519",
    "encryption",
    "gpg",
    "hmac",
    "integration",
    "jwt",
    "licence",
    "license",
    "master",
    "oauth",
    "pgp",
    "psk",
    "recovery",
    "root",
    "rsa",
    "security",
    "service",
    "shared",
    "signature",
    "signing",
    "ssh",
    "ssl",
    "subscription",
    "tls",
    "token",
    "vault",
    "wallet",
    "webhook",
];
/// Words before `token` that make it a position in a list.
const BEFORE_POSITION_TOKEN: [&str; 7] =
    ["progress", "page", "next", "cursor", "pagination", "continuation", "sync"];
/// Words before `KEY` in the name of an environment variable that holds no credential.
const NOT_SECRET_IN_ENVIRONMENT: [&str; 2] = ["public", "publishable"];
/// Names that mean a secret only in the query of a URL.
const IN_QUERY: [&str; 7] =
    ["key", "sig", "signature", "sessionid", "xamzsignature", "xgoogsignature", "hmac"];
/// A longer text is not a name.
const LONGEST: usize = 64;

/// Returns whether a member with this name holds a credential. Case and separators make no
/// difference.
pub fn is_secret_name(name: &str) -> bool {
    if name.len() > LONGEST {
        return false;
    }
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let plain = plain(name);
    let is_inside = |part: &&str| plain.len() >= part.len() && plain.contains(*part);
    if INSIDE.iter().any(is_inside) || WHOLE.contains(&plain.as_str()) {
        return true;
    }
    if AT_END.iter().any(|end| plain.ends_with(end)) {
        return !BEFORE_POSITION_TOKEN.iter().any(|word| ends_with_words(&plain, word, "token"));
    }
    // Few names end so, and splitting a name into words takes longer than this check.
    (plain.ends_with("key") || plain.ends_with("keys")) && is_secret_key(name)
}

pub(super) fn is_secret_in_query(name: &str) -> bool {
    name.len() <= LONGEST && IN_QUERY.contains(&plain(name).as_str())
}

/// Returns whether the name ends in `key` or `keys` and the word before it makes that a credential.
fn is_secret_key(name: &str) -> bool {
    let words = words(name);
    let Some((last, before)) = words.split_last() else { return false };
    let Some(attached) = last.strip_suffix("keys").or_else(|| last.strip_suffix("key")) else { return false };
    // `signing_key` has the word separate, `signingkey` has it attached.
    let word = if attached.is_empty() { before.last().map_or("", String::as_str) } else { attached };
    if is_environment_name(name) && attached.is_empty() {
        return !NOT_SECRET_IN_ENVIRONMENT.contains(&word);
    }
    BEFORE_KEY.contains(&word)
}

/// Returns whether a name looks like `COHERE_KEY`: capitals in more than one word.
fn is_environment_name(name: &str) -> bool {
    let name = name.trim_matches(['_', '-']);
    name.contains('_') && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
}

fn ends_with_words(plain: &str, first: &str, second: &str) -> bool {
    plain.strip_suffix(second).is_some_and(|rest| rest.ends_with(first))
}

fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

/// Splits a name into words in lower case: `api`, `key` for `api_key`, `apiKey`, `API-Key` and
/// `APIKey`.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut previous = None;
    let mut rest = name.chars().peekable();
    while let Some(c) = rest.next() {
        if c.is_ascii_alphanumeric() {
            let follows_lower = previous.is_some_and(|p: char| !p.is_ascii_uppercase());
            let before_lower = rest.peek().is_some_and(char::is_ascii_lowercase);
            let is_hump = c.is_ascii_uppercase() && (follows_lower || before_lower);
            match words.last_mut().filter(|_| previous.is_some() && !is_hump) {
                Some(word) => word.push(c.to_ascii_lowercase()),
                None => words.push(c.to_ascii_lowercase().to_string()),
            }
        }
        previous = c.is_ascii_alphanumeric().then_some(c);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_credentials_are_known_in_every_spelling() {
        for name in [
            "authorization",
            "Authorization",
            "AUTHORIZATION",
            "Proxy-Authorization",
            "token",
            "access_token",
            "accessToken",
            "refresh-token",
            "id_token",
            "tokens",
            "password",
            "Password",
            "db_password",
            "passwordHash",
            "passwd",
            "passphrase",
            "secret",
            "client_secret",
            "clientSecret",
            "aws_secret_access_key",
            "api_key",
            "apiKey",
            "API-KEY",
            "x-api-key",
            "apikeys",
            "private_key",
            "AccountKey",
            "COHERE_KEY",
            "encryption_key",
            "X-Master-Key",
            "--api-key",
            "credential",
            "credentials",
            "cookie",
            "Set-Cookie",
            "mcp-session-id",
            "requestState",
            "token2",
            "auth",
            "pwd",
            "jwt",
            "pin",
        ] {
            assert!(is_secret_name(name), "{name}");
        }
        for name in [
            "progressToken",
            "page_token",
            "nextPageToken",
            "NextToken",
            "--page-token",
            "public_key",
            "idempotencyKey",
            "sort-key",
            "monkey",
            "sessionId",
            "session_id",
            "Key",
            "_key",
            "KEY",
            "maxTokens",
            "inputTokens",
            "name",
            "author",
            "key",
            "keys",
            "tokenizer",
            "passed",
            "compass",
            "path",
            "description",
            "cursor",
            "id",
            "spin",
            "authority",
        ] {
            assert!(!is_secret_name(name), "{name}");
        }
    }

    #[test]
    fn h_34_a_key_is_a_credential_only_if_the_word_before_it_says_so() {
        for name in [
            "api_key",
            "apiKey",
            "APIKey",
            "private_key",
            "secret_key",
            "access_key",
            "encryption_key",
            "signing_key",
            "signingKey",
            "signingkey",
            "master_key",
            "X-Master-Key",
            "account_key",
            "auth_key",
            "client_key",
            "service_key",
            "Ocp-Apim-Subscription-Key",
            "ssh_keys",
            "master_key_2",
            "COHERE_KEY",
            "OPENAI_KEY",
            "--COHERE_KEY",
        ] {
            assert!(is_secret_name(name), "{name}");
        }
        for name in [
            "item_key",
            "record_key",
            "old_key",
            "new_key",
            "epic_key",
            "space_key",
            "fileKey",
            "sessionId",
            "issue_key",
            "issueKey",
            "project-key",
            "parentKey",
            "key",
            "KEY",
            "Key",
            "key2",
            "_key",
            "keys",
            "cache_key",
            "sortkey",
            "hotkey",
            "keyboard",
            "monkey",
            "map_key",
            "PUBLIC_KEY",
            "public_key",
            "public_keys",
        ] {
            assert!(!is_secret_name(name), "{name}");
        }
    }

    #[test]
    fn a_session_id_is_hidden_only_where_it_gives_access() {
        for name in ["Mcp-Session-Id", "mcp_session_id", "JSESSIONID", "PHPSESSID"] {
            assert!(is_secret_name(name), "{name}");
        }
        assert!(!is_secret_name("sessionId"));
        assert!(is_secret_in_query("sessionId"));
    }
}
