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
/// Names that only look like one.
const HARMLESS: [&str; 1] = ["progresstoken"];
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
    !HARMLESS.contains(&plain)
        && (WHOLE.contains(&plain)
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
