//! Tables of what is a finding and what is not, and the same for random values.
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

/// Random enough for every kind, but not anybody's credential.
const BODY: &str = "q7Zr2LmX0vT9bKc4WnYs8HdJ";

fn kinds(text: &str) -> Vec<Kind> {
    scan_text(text).into_iter().map(|(kind, _)| kind).collect()
}

#[test]
fn each_kind_is_found() {
    let key_block = format!("-----BEGIN RSA PRIVATE KEY-----\nMIIE{BODY}\n-----END RSA PRIVATE KEY-----");
    for (text, kind) in [
        (format!("key ghp_{BODY} here"), Kind::ServiceKey("GitHub")),
        (format!("sk-ant-api03-{BODY}"), Kind::ServiceKey("Anthropic")),
        (format!("`sk-proj-{BODY}`"), Kind::ServiceKey("OpenAI or alike")),
        ("AKIAQ7ZR2LMX0VT9BKC4".to_owned(), Kind::ServiceKey("AWS")),
        (format!("(xoxb-123456789012-{BODY})"), Kind::ServiceKey("Slack")),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln".to_owned(), Kind::Jwt),
        (format!("curl -H 'X: Bearer {BODY}'"), Kind::Header),
        ("a header Basic YWxhZGRpbjpvcGVuc2VzYW1l".to_owned(), Kind::Header),
        (key_block.clone(), Kind::PrivateKey),
        (key_block.replace('\n', "\\n"), Kind::PrivateKey),
        ("postgres://app:hunter2@db.example.com/x".to_owned(), Kind::UserInfo),
        (format!("https://{BODY}@git.example.com/x"), Kind::UserInfo),
        (format!("https://example.com/x?api_key={BODY}"), Kind::Query),
        (format!("https://example.com/x?a=1&sig={BODY}"), Kind::Query),
        (format!("API_KEY={BODY}"), Kind::Assignment),
        (format!("export DB_PASSWORD='{BODY}'"), Kind::Assignment),
        (format!("{{\"clientSecret\": \"{BODY}\"}}"), Kind::Assignment),
        ("password: S3cr3tPassw0rd".to_owned(), Kind::Assignment),
        (format!("Authorization: Bearer {BODY}"), Kind::Header),
        (format!("token: ghp_{BODY}"), Kind::ServiceKey("GitHub")),
        (format!("token: use sk-proj-{BODY}"), Kind::ServiceKey("OpenAI or alike")),
        (format!("token: 'use sk-proj-{BODY} today'"), Kind::ServiceKey("OpenAI or alike")),
        (format!("COHERE_KEY={BODY}"), Kind::Assignment),
        (format!("encryption_key: {BODY}="), Kind::Assignment),
        ("run with --password S3cr3tPass99".to_owned(), Kind::Assignment),
        (format!("--token '{BODY}' -v"), Kind::Assignment),
        (format!("Authorization: token {BODY}"), Kind::Assignment),
        (format!("{{\"Authorization\": \"token {BODY}\"}}"), Kind::Assignment),
        ("curl -u admin:S3cr3tPass99 https://example.com".to_owned(), Kind::Header),
        ("curl --user 'admin:S3cr3tPass99'".to_owned(), Kind::Header),
        (format!("sudo -u 'a: ghp_{BODY} b'"), Kind::ServiceKey("GitHub")),
        (format!("the bearer 'of ghp_{BODY} b'"), Kind::ServiceKey("GitHub")),
        ("postgres://app:hunter2@localhost/x".to_owned(), Kind::UserInfo),
        ("postgres://app:app@localhost.example.com/x".to_owned(), Kind::UserInfo),
        ("http://10.0.0.7/x".to_owned(), Kind::Internal),
    ] {
        assert_eq!(kinds(&text), [kind], "{text}");
    }
}

#[test]
fn keys_of_services_are_known_by_their_forms() {
    let hex = "5743bf2b672850882161db80a1e9ad8c";
    for (text, service) in [
        ("ABIAQ7ZR2LMX0VT9BKC4".to_owned(), "AWS"),
        (format!("SK{hex}"), "Twilio"),
        (format!("sk_{hex}{}", &hex[..16]), "ElevenLabs"),
        (format!("fc-{hex}"), "Firecrawl"),
        (format!("oy2{hex}abcdefghijk"), "NuGet"),
        (format!("q7Zr2LmX0vT9bK.atlasv1.{BODY}{BODY}"), "Terraform"),
        (format!("bot 8184745378:AA{BODY}pJpb9ATPt"), "Telegram"),
        (format!("https://api.telegram.org/bot8184745378:AA{BODY}pJpb9ATPt/getMe"), "Telegram"),
        (format!("https://hooks.slack.com/services/TQ7ZR2LMX/BQ7ZR2LMX/{BODY}"), "Slack"),
        (format!("https://discord.com/api/webhooks/170471874633191284/{BODY}"), "Discord"),
        (format!("https://acme.webhook.office.com/webhookb2/{hex}@acme/IncomingWebhook/{BODY}"), "Teams"),
        (format!("refresh with 1//0{BODY}{BODY}"), "Google"),
    ] {
        assert_eq!(kinds(&text), [Kind::ServiceKey(service)], "{text}");
    }
}

#[test]
fn placeholders_and_ordinary_text_are_no_findings() {
    for text in [
        "API_KEY=your_key_here",
        "API_KEY=<token>",
        "API_KEY=${API_KEY_2}",
        "API_KEY=$API_KEY2",
        "token: {{ secrets.TOKEN_V2 }}",
        "sk-...",
        "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "ghp_XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX",
        "Authorization: Bearer <your-access-token>",
        "Authorization: Bearer $TOKEN",
        "Bearer YOUR_ACCESS_TOKEN",
        "the bearer of this letter",
        "AKIAIOSFODNN7EXAMPLE",
        "set GITHUB_PERSONAL_ACCESS_TOKEN or OPENAI_API_KEY",
        "needs GITHUB_TOKEN: see the documentation",
        "auth: oauth2",
        "auth: oauth2-client-credentials",
        "password: string",
        "token = get_token2(user1)",
        "token: https://auth.example.com/v2/oauth2/token",
        "credentials: ~/.config/acme/credentials2",
        "550e8400-e29b-41d4-a716-446655440000",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "fd7c948b3204d8aa01c8f3d0b1e2c3d4e5f60718",
        "version 1.2.3-beta.4+build.5",
        "https://example.com/a/b?page=2&key=name#part",
        "http://localhost:3000/mcp and 127.0.0.1",
        "me@example.com, ssh://git@example.com/x.git",
        "https://user:password@example.com/",
        "https://USER:PASS@example.com/ https://{user}:{pass}@example.com/",
        "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
        "the file begins with `-----BEGIN PRIVATE KEY-----`; paste it",
        "-----BEGIN CERTIFICATE-----\nMIIEq7Zr2LmX0vT9bKc4WnYs8HdJ\n-----END CERTIFICATE-----",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
        "npm_config_registry_of_the_project",
        "hf_transformers_pipeline_name",
        "pypi-attestations-and-others",
        "maxTokens: 4096abc123def",
        "page_token: eyJvZmZzZXQiOjEwMH0 and next_token=CAoQAA7xZ9",
        "public_key: q7Zr2LmX0vT9bKc4WnYs8HdJ",
        "issue_key: ACME-12345",
        "SORT_KEY=created_at",
        "password_hash: sha512crypt",
        "pass=sha256sum1x",
        "jwt: RS256signed",
        "postgres://postgres:postgres@localhost/db",
        "mysql://root:root@127.0.0.1:3306/test",
        "--password-file /run/secrets/pw1",
        "--token TOKEN",
        "--token --verbose2now",
        "docker run -u 1000:1000 and chown --user www-data:www-data",
        "curl -u user:password",
        "Authorization: token <token>",
        "SK_and_other_identifiers_of_forty_letters",
        "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
        "https://discord.com/api/webhooks/{id}/{token}",
        "https://api.telegram.org/bot<token>/getMe",
    ] {
        assert_eq!(scan_text(text), [], "{text}");
    }
}

#[test]
fn lines_are_counted_from_one() {
    let text = format!("# Title\n\nfine\nAPI_KEY={BODY}\n\n10.0.0.7 and 10.0.0.8\n");
    assert_eq!(scan_text(&text), [(Kind::Assignment, 4), (Kind::Internal, 6)]);
}

#[test]
fn d_30_documents_are_searched_in_values_and_names() {
    let document = json!({
        "description": format!("Use with sk-proj-{BODY}"),
        "examples": [{"input": {"password": BODY, "tokens": ["fine", BODY], "n": 5, "token": null}}],
        "schema": {"properties": {"password": {"type": "string", "description": "The password"}}},
        "requires": {"auth": ["api-key", "oauth2"], "env": ["API_KEY"]},
        "secrets_exposure": "reads_secret_material",
        "map": {format!("ghp_{BODY}"): {"address": "http://10.0.0.7/"}},
    });
    let found: Vec<String> =
        scan(&document).iter().map(|secret| format!("/{} {}", secret.steps.join("/"), secret.kind)).collect();
    assert_eq!(
        found,
        [
            "/description a key of OpenAI or alike",
            "/examples/0/input/password a value for a member whose name means a credential",
            "/examples/0/input/tokens/1 a value for a member whose name means a credential",
            "/map/[hidden name] a key of GitHub",
            "/map/[hidden name]/address an address of a private network",
        ]
    );
}

#[test]
fn findings_are_bounded() {
    let many: Vec<Value> = (0..10_000).map(|_| json!(BODY)).collect();
    assert_eq!(scan(&json!({"token": many})).len(), 100);
    assert_eq!(scan_text(&"10.0.0.7\n".repeat(1000)).len(), 100);
}

/// These texts would take minutes if each of their parts were read again.
#[test]
fn long_texts_of_beginnings_are_read_once() {
    for piece in [
        "token=",
        "token='",
        "-----BEGIN ",
        "-----BEGIN PRIVATE KEY-----",
        "://",
        "://a@",
        "bearer ",
        "a.",
        "a:",
        "eyJ.",
        "token ",
        "10.0.",
        "a_key=",
        "--token ",
        "--token '",
        "--token/",
        "bearer/",
        "-u/",
        "-u 'a:",
        "-u ",
        "-u a:",
        "1//0",
        "://api.telegram.org/bot",
        "12345678:AA",
        "version 10.0.0.1 ",
    ] {
        scan_text(&piece.repeat(20_000));
    }
}

fn alphanumeric(range: &str) -> impl Strategy<Value = String> + use<> {
    // A digit and letters of both cases are always present, as in nearly every real key.
    proptest::string::string_regex(&format!("[A-Za-z0-9]{range}"))
        .expect("a valid pattern")
        .prop_map(|body| format!("{}a7{}Q4", &body[..body.len() / 2], &body[body.len() / 2..]))
}

fn prose() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        "[a-z]{1,12}",
        "[A-Z][a-z]{1,9}",
        Just("token".to_owned()),
        Just("password".to_owned()),
        Just("Bearer".to_owned()),
        Just("API_KEY".to_owned()),
        Just("https://example.com/".to_owned()),
        Just("é…".to_owned()),
        "[0-9]{1,4}",
    ];
    let end = prop_oneof![Just(" "), Just(". "), Just(", "), Just("\n"), Just(": ")];
    proptest::collection::vec((word, end), 0..12)
        .prop_map(|words| words.into_iter().flat_map(|(word, end)| [word, end.to_owned()]).collect())
}

fn secret() -> impl Strategy<Value = String> {
    let starts: Vec<(&str, usize)> = super::forms::beginnings().collect();
    prop_oneof![
        (proptest::sample::select(starts), alphanumeric("{60,80}"))
            .prop_map(|((start, _), body)| format!("{start}{body}")),
        alphanumeric("{20,40}").prop_map(|body| format!("eyJ{body}.eyJ{body}.{body}")),
        alphanumeric("{16,40}").prop_map(|body| format!("Bearer {body}")),
        alphanumeric("{64}")
            .prop_map(|body| format!("-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----")),
        alphanumeric("{4,20}").prop_map(|body| format!("https://user:{body}@example.com/")),
        alphanumeric("{16,40}").prop_map(|body| format!("https://example.com/?access_token={body}")),
        alphanumeric("{16,40}").prop_map(|body| format!("API_KEY={body}")),
        (0..=255_u8, 0..=255_u8, 1..=254_u8).prop_map(|(b, c, d)| format!("10.{b}.{c}.{d}")),
        "[a-z]{3,8}[0-9]\\.(internal|local|lan|corp|intranet|consul|localdomain|private|home)"
            .prop_map(|host| format!("http://{host}/")),
    ]
}

proptest! {
    #[test]
    fn a_secret_in_prose_is_found(before in prose(), secret in secret(), after in prose()) {
        let text = format!("{before}\n{secret} {after}");
        prop_assert!(!scan_text(&text).is_empty(), "{}", text);
        let found = scan(&json!({"a": [{"b": text}]}));
        prop_assert!(found.iter().any(|found| found.steps == ["a", "0", "b"]));
        let shown = format!("{found:?}");
        prop_assert!(!shown.contains(&secret));
    }

    #[test]
    fn prose_is_no_secret(text in prose()) {
        prop_assert_eq!(scan_text(&text), []);
    }

    #[test]
    fn no_text_makes_it_stumble(text in any::<String>()) {
        scan_text(&text);
        for span in secret_spans(&text) {
            prop_assert!(text.get(span.range).is_some());
        }
    }
}
