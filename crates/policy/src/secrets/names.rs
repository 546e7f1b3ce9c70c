//! Names of members and variables that mean a credential.

/// Names that mean a secret wherever these letters are in them.
const INSIDE: [&str; 7] =
    ["password", "secret", "apikey", "privatekey", "credential", "accesskey", "accountkey"];
/// Names that mean a secret at their end.
const AT_END: [&str; 10] = [
    "token",
    "passwd",
    "passphrase",
    "cookie",
    "cookies",
    "sessionid",
    "requeststate",
    "connectionstring",
    "signingkey",
    // The handle of a session that is held for a newer client.
    "devovertsession",
];
/// Names that mean one as a whole.
const WHOLE: [&str; 10] =
    ["auth", "authorization", "proxyauthorization", "pwd", "pass", "jwt", "otp", "pin", "tokens", "bearer"];
/// Names that only look like one, by their end: marks of a place in a list, and keys that are no secret.
const HARMLESS: [&str; 25] = [
    "progresstoken",
    "pagetoken",
    "nexttoken",
    "cursortoken",
    "paginationtoken",
    "continuationtoken",
    "synctoken",
    "publickey",
    "publishablekey",
    "primarykey",
    "foreignkey",
    "partitionkey",
    "sortkey",
    "rowkey",
    "groupkey",
    "cachekey",
    "idempotencykey",
    "objectkey",
    "issuekey",
    "projectkey",
    "sitekey",
    "hostkey",
    "mapkey",
    "hotkey",
    "routingkey",
];
/// How `…key` is written where it is a word of its own in a name, not the end of `monkey`.
const KEY_AT_END: [&str; 6] = ["_key", "-key", "_KEY", "-KEY", "-Key", "Key"];
/// Names that mean one in the query of a URL, and nowhere else.
const IN_QUERY: [&str; 6] = ["key", "sig", "signature", "xamzsignature", "xgoogsignature", "hmac"];

/// Whether a member of this name holds a credential, whatever the case and the separators.
pub fn is_secret_name(name: &str) -> bool {
    // A name is short; what is long is text.
    if name.len() > 64 {
        return false;
    }
    let plain = plain(name);
    let plain = plain.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_key = name.len() > "_key".len() && KEY_AT_END.iter().any(|end| name.ends_with(end));
    !HARMLESS.iter().any(|end| plain.ends_with(end))
        && (WHOLE.contains(&plain)
            || is_key
            || INSIDE.iter().any(|part| plain.contains(part))
            || AT_END.iter().any(|end| plain.ends_with(end)))
}

pub(super) fn is_secret_in_query(name: &str) -> bool {
    name.len() <= 64 && IN_QUERY.contains(&plain(name).as_str())
}

fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
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
            "cohereKey",
            "--api-key",
            "credential",
            "credentials",
            "cookie",
            "Set-Cookie",
            "session_id",
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
}
