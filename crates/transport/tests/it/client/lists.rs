//! Lists are read page by page, and some servers return wrong cursors.
use std::sync::Arc;

use overt_transport::client::{Client, ClientError};
use overt_wire::era::Era;
use overt_wire::json::JsonBuf;
use tokio::task::JoinHandle;

use super::lines::connected;
use super::seen::{Heard, options};

fn listing(client: &Arc<Client>) -> JoinHandle<Result<Vec<JsonBuf>, ClientError>> {
    let client = Arc::clone(client);
    tokio::spawn(async move { client.list("tools/list", "tools").await })
}

#[tokio::test]
async fn pages_are_joined() {
    for era in [Era::Legacy, Era::Modern] {
        let (client, mut server) = connected(era, options(|_| {}), Heard::new()).await;
        let list = listing(&client);
        let request = server.read("tools/list").await;
        assert!(request.param("cursor").is_absent());
        server.result(&request, r#"{"tools":[{"name":"a"},{"name": "b"}],"nextCursor":"two"}"#).await;
        let request = server.read("tools/list").await;
        assert_eq!(request.param("cursor").string().unwrap(), "two");
        server.result(&request, r#"{"tools":[{"name":"c"}]}"#).await;
        let tools: Vec<_> = list.await.unwrap().unwrap().into_iter().map(JsonBuf::into_string).collect();
        assert_eq!(tools, [r#"{"name":"a"}"#, r#"{"name": "b"}"#, r#"{"name":"c"}"#]);
    }
}

#[tokio::test]
async fn a_loop_of_pages_ends() {
    let (client, mut server) = connected(Era::Legacy, options(|_| {}), Heard::new()).await;
    let list = listing(&client);
    for cursor in ["1", "2", "1"] {
        let request = server.read("tools/list").await;
        server.result(&request, &format!(r#"{{"tools":[],"nextCursor":"{cursor}"}}"#)).await;
    }
    assert!(matches!(list.await.unwrap(), Err(ClientError::PageLoop { .. })));
}

#[tokio::test]
async fn endless_pages_end() {
    let (client, mut server) =
        connected(Era::Legacy, options(|limits| limits.max_pages = 3), Heard::new()).await;
    let list = listing(&client);
    for cursor in 0..3 {
        let request = server.read("tools/list").await;
        server.result(&request, &format!(r#"{{"tools":[],"nextCursor":"{cursor}"}}"#)).await;
    }
    assert!(matches!(list.await.unwrap(), Err(ClientError::TooManyPages { limit: 3, .. })));
}

#[tokio::test]
async fn a_result_without_a_list_is_an_error() {
    let (client, mut server) = connected(Era::Legacy, options(|_| {}), Heard::new()).await;
    let list = listing(&client);
    let request = server.read("tools/list").await;
    server.result(&request, r#"{"tools":{}}"#).await;
    assert!(matches!(list.await.unwrap(), Err(ClientError::Protocol { .. })));
}
