//! A person may take longer to answer an upstream's question than a call may take (G-41).
use std::sync::Arc;
use std::time::Duration;

use overt_gateway::{Gateway, Options};
use overt_transport::client::{
    Client, ClientError, ClientOptions, Command, Environment, Listener, Protocol, Target,
};
use overt_transport::limits::Limits;
use overt_transport::pair;
use overt_wire::era::Version;
use overt_wire::json::{Json, JsonBuf};
use overt_wire::{BoxFuture, ErrorObject, Id, Message};

/// The deadline of requests, both at the gateway and at the client.
const DEADLINE: Duration = Duration::from_secs(2);
/// How long the person takes to answer.
const THINKS: Duration = Duration::from_secs(5);

/// Asks a question when it receives the call of `ask`, without naming the call. Answers all calls
/// when it gets the answer.
const LEGACY: &str = r#"
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9][0-9]*\).*/\1/p')
  case "$line" in
    *'"initialize"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}';;
    *'"tools/list"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"tools":[{"name":"ask","inputSchema":{"type":"object"}},{"name":"wait","inputSchema":{"type":"object"}}]}}';;
    *'"tools/call"'*) calls="$calls $id"
      case "$line" in *'"name":"ask"'*) echo '{"jsonrpc":"2.0","id":"q","method":"METHOD","params":{"message":"Sure?"}}';; esac;;
    *'"id":"q"'*) for id in $calls; do echo '{"jsonrpc":"2.0","id":'$id',"result":{"content":[]}}'; done; calls="";;
  esac
done"#;

/// Asks its question in a result.
const MODERN: &str = r#"
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9][0-9]*\).*/\1/p')
  case "$line" in
    *'"server/discover"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}}';;
    *'"inputResponses"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"resultType":"complete","content":[]}}';;
    *'"tools/list"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"resultType":"complete","tools":[{"name":"ask","inputSchema":{"type":"object"}}]}}';;
    *'"tools/call"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"resultType":"input_required","requestState":"s","inputRequests":{"a":{"method":"METHOD","params":{"message":"Sure?"}}}}}';;
  esac
done"#;

struct Person;

impl Listener for Person {
    fn request<'a>(
        &'a self,
        _method: &'a str,
        _params: Option<Json<'a>>,
        _about: Option<&'a Id>,
    ) -> BoxFuture<'a, Result<JsonBuf, ErrorObject>> {
        Box::pin(async {
            tokio::time::sleep(THINKS).await;
            Ok(JsonBuf::parse(r#"{"action":"accept"}"#).unwrap())
        })
    }
}

/// A legacy client in front of the gateway, with a person who answers its questions.
async fn client_of(upstream: &str, version: Version, question: &str) -> Client {
    let limits = Limits { request_deadline: DEADLINE, ..Limits::default() };
    let mut command = Command::new("sh");
    command.args = vec!["-c".into(), upstream.replace("METHOD", question).into()];
    command.env = Environment::empty().with("PATH", "/usr/bin:/bin");
    let options =
        Options { limits: limits.clone(), protocol: Protocol::Only(version), ..Options::new("upstream") };
    let handler = overt_layers::open(Gateway::new(Target::Command(command), options));
    let (stream, _served) = pair::connect(handler, limits);
    let (output, input) = tokio::io::split(stream);
    let options = ClientOptions {
        capabilities: JsonBuf::parse(r#"{"elicitation":{},"sampling":{}}"#).unwrap(),
        protocol: Protocol::Legacy,
        ..ClientOptions::new("tester", "1")
    };
    Client::over(input, output, options, Arc::new(Person)).await.unwrap()
}

async fn call(client: &Client, tool: &str) -> Result<Message, ClientError> {
    let params = format!(r#"{{"name":"{tool}"}}"#);
    client.request("tools/call", Some(Json::parse(&params).unwrap())).await
}

#[tokio::test]
async fn g_41_a_legacy_upstream_waits_for_a_person() {
    let client = client_of(LEGACY, Version::NEWEST_LEGACY, "elicitation/create").await;
    call(&client, "ask").await.unwrap();
}

#[tokio::test]
async fn g_41_a_question_that_names_no_call_may_be_of_any() {
    let client = client_of(LEGACY, Version::NEWEST_LEGACY, "elicitation/create").await;
    let later = async {
        tokio::time::sleep(DEADLINE / 10).await;
        call(&client, "ask").await
    };
    let (first, second) = tokio::join!(call(&client, "wait"), later);
    first.unwrap();
    second.unwrap();
}

#[tokio::test]
async fn g_41_an_upstream_that_waits_for_a_person_is_not_stuck() {
    let client = client_of(LEGACY, Version::NEWEST_LEGACY, "elicitation/create").await;
    let later = async {
        tokio::time::sleep(DEADLINE / 2).await;
        tokio::join!(call(&client, "wait"), call(&client, "wait"), call(&client, "wait"))
    };
    let (asked, (first, second, third)) = tokio::join!(call(&client, "ask"), later);
    for late in [first, second, third] {
        assert!(matches!(late, Err(ClientError::Refused(error)) if error.code == 1408));
    }
    asked.unwrap();
}

#[tokio::test]
async fn g_41_a_modern_upstream_waits_for_a_person() {
    let client = client_of(MODERN, Version::NEWEST, "elicitation/create").await;
    call(&client, "ask").await.unwrap();
}

#[tokio::test]
async fn g_41_a_model_has_no_more_time_than_the_call() {
    let client = client_of(LEGACY, Version::NEWEST_LEGACY, "sampling/createMessage").await;
    let Err(ClientError::Refused(error)) = call(&client, "ask").await else { panic!("no error") };
    assert_eq!(error.code, 1408, "{error}");
    assert!(error.data.unwrap().as_str().contains(r#""executed":"unknown""#));
}
