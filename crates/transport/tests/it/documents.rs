//! Documents outside the MCP endpoint, tested at the byte level: who may read them, how they are
//! cached, and which paths are not documents.
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use overt_transport::http::{Options, Server};
use overt_transport::limits::Limits;
use overt_wire::{BoxFuture, Document, DocumentRequest, Exchange, Handler, Message, NoDocument};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;

/// A few documents, and a record of the requests for them.
struct Library {
    asked: Mutex<Vec<DocumentRequest>>,
    /// Delays the document `/waits`.
    open: Semaphore,
}

impl Handler for Library {
    fn call(&self, _exchange: Exchange) -> BoxFuture<'_, Option<Message>> {
        Box::pin(std::future::ready(None))
    }

    fn document(&self, request: DocumentRequest) -> BoxFuture<'_, Result<Document, NoDocument>> {
        let path = request.path.clone();
        self.asked.lock().unwrap().push(request);
        Box::pin(async move {
            let (media_type, text, max_age) = match path.as_str() {
                "/llms.txt" => ("text/markdown", "# Example — é\n".to_owned(), 3600),
                "/mcp/server-card" => ("application/mcp-server-card+json", "{}".to_owned(), 0),
                "/large" => ("text/plain", "x".repeat(2000), 0),
                "/panics" => panic!("a document that can't be made"),
                "/broken" => ("text/plain\r\nX: y", String::new(), 0),
                "/waits" => {
                    self.open.acquire().await.unwrap().forget();
                    ("text/plain", "at last".to_owned(), 0)
                }
                "/later" => return Err(NoDocument::Unavailable),
                _ => return Err(NoDocument::NotFound),
            };
            let max_age = Duration::from_secs(max_age);
            Ok(Document { media_type: media_type.into(), text: text.into(), max_age })
        })
    }
}

async fn start(limits: Limits) -> (SocketAddr, Arc<Library>) {
    start_with(Options { limits, ..Options::default() }).await
}

async fn start_with(options: Options) -> (SocketAddr, Arc<Library>) {
    let server = Server::bind("127.0.0.1:0".parse().unwrap(), options).await.unwrap();
    let address = server.address();
    let library = Arc::new(Library { asked: Mutex::default(), open: Semaphore::new(0) });
    tokio::spawn(server.serve(Arc::<Library>::clone(&library), std::future::pending()));
    (address, library)
}

/// Sends a request line and headers, and reads until the server closes. `HERE` stands for the
/// address.
async fn ask(address: SocketAddr, line: &str, headers: &[&str]) -> String {
    let mut request = format!("{line} HTTP/1.1\r\nConnection: close\r\n");
    if !headers.iter().any(|header| header.starts_with("Host:")) {
        request += "Host: HERE\r\n";
    }
    for header in headers {
        request += &format!("{header}\r\n");
    }
    request = (request + "\r\n").replace("HERE", &address.to_string());
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    let reading = stream.read_to_string(&mut answer);
    tokio::time::timeout(Duration::from_secs(60), reading).await.unwrap().unwrap();
    answer
}

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap()
}

fn header<'a>(answer: &'a str, name: &str) -> Option<&'a str> {
    let head = answer.split("\r\n\r\n").next().unwrap();
    head.lines().filter_map(|line| line.split_once(": ")).find(|(known, _)| *known == name).map(|(_, v)| v)
}

#[tokio::test]
async fn a_document_is_read_with_its_type_and_tag() {
    let (address, library) = start(Limits::default()).await;
    let got = ask(address, "GET /llms.txt?from=here", &[]).await;
    assert_eq!(status(&got), "200", "{got}");
    for (name, value) in [
        ("content-type", "text/markdown; charset=utf-8"),
        ("content-length", "17"),
        ("cache-control", "public, max-age=3600"),
        ("access-control-allow-origin", "*"),
        ("access-control-expose-headers", "etag, link, x-llms-txt"),
        ("x-content-type-options", "nosniff"),
    ] {
        assert_eq!(header(&got, name), Some(value), "{name} in {got}");
    }
    assert!(got.ends_with("\r\n\r\n# Example — é\n"), "{got}");
    assert_eq!(
        library.asked.lock().unwrap()[0],
        DocumentRequest {
            path: "/llms.txt".into(),
            mcp_url: format!("http://{address}/mcp"),
            mcp_path: "/mcp".into(),
        }
    );
    let head = ask(address, "HEAD /llms.txt", &[]).await;
    assert!(head.ends_with("\r\n\r\n"), "{head}");
    for name in ["content-type", "content-length", "etag", "cache-control"] {
        assert_eq!(header(&head, name), header(&got, name), "{name}");
    }
    let card = ask(address, "GET /mcp/server-card", &["Host: localhost:PORT"]).await;
    assert_eq!(status(&card), "403", "a port is part of the host: {card}");
    let host = format!("Host: LOCALHOST:{}", address.port());
    let card = ask(address, "GET /mcp/server-card", &[&host]).await;
    assert_eq!(header(&card, "content-type"), Some("application/mcp-server-card+json"), "{card}");
    assert_eq!(header(&card, "cache-control"), Some("no-cache"), "{card}");
    let asked = library.asked.lock().unwrap().last().unwrap().mcp_url.clone();
    assert_eq!(asked, format!("http://localhost:{}/mcp", address.port()));
}

#[tokio::test]
async fn what_the_reader_has_is_not_sent_again() {
    let (address, _) = start(Limits::default()).await;
    let got = ask(address, "GET /llms.txt", &[]).await;
    let tag = header(&got, "etag").unwrap();
    assert!(tag.starts_with('"') && tag.ends_with('"'), "a strong tag: {tag}");
    for method in ["GET", "HEAD"] {
        for have in [tag.to_owned(), format!("W/{tag}"), format!("\"other,\", {tag}"), "*".into()] {
            let have = format!("If-None-Match: {have}");
            let again = ask(address, &format!("{method} /llms.txt"), &[&have]).await;
            assert_eq!(status(&again), "304", "{have}: {again}");
            assert!(again.ends_with("\r\n\r\n"), "{again}");
            assert_eq!(header(&again, "etag"), Some(tag));
            assert_eq!(header(&again, "cache-control"), header(&got, "cache-control"));
            assert_eq!(header(&again, "access-control-allow-origin"), Some("*"));
            assert_eq!(header(&again, "content-type"), None);
        }
    }
    for have in ["\"other\"", "nonsense", ""] {
        let again = ask(address, "GET /llms.txt", &[&format!("If-None-Match: {have}")]).await;
        assert_eq!(status(&again), "200", "{have}: {again}");
    }
    let missing = ask(address, "GET /nothing", &["If-None-Match: *"]).await;
    assert_eq!(status(&missing), "404", "{missing}");
}

#[tokio::test]
async fn http_03_pages_of_every_origin_may_read_documents_and_nothing_else() {
    let (address, library) = start(Limits::default()).await;
    let evil = "Origin: http://evil.example";
    let got = ask(address, "GET /llms.txt", &[evil]).await;
    assert_eq!((status(&got), header(&got, "access-control-allow-origin")), ("200", Some("*")), "{got}");
    let asked = ["Origin: null", "Access-Control-Request-Method: GET"];
    let preflight = ask(address, "OPTIONS /llms.txt", &asked).await;
    assert_eq!(status(&preflight), "204", "{preflight}");
    assert_eq!(header(&preflight, "access-control-allow-methods"), Some("GET, HEAD"));
    assert_eq!(header(&preflight, "access-control-allow-origin"), Some("*"));
    assert!(header(&preflight, "access-control-allow-headers").unwrap().contains("if-none-match"));
    assert_eq!(header(&preflight, "access-control-allow-credentials"), None);
    library.asked.lock().unwrap().clear();
    for line in ["POST /llms.txt", "GET /mcp", "POST /mcp", "OPTIONS /mcp", "DELETE /mcp/server-card"] {
        let got = ask(address, line, &[evil, "Content-Length: 0"]).await;
        assert_eq!(status(&got), "403", "{line}: {got}");
        assert_eq!(header(&got, "access-control-allow-origin"), None, "{line}: {got}");
    }
    assert!(library.asked.lock().unwrap().is_empty());
}

#[tokio::test]
async fn http_02_documents_have_known_hosts_only() {
    let (address, library) = start(Limits::default()).await;
    for (headers, expected) in [
        (&["Host: evil.example"][..], "403"),
        (&["Host: HERE", "Host: evil.example"], "400"),
        (&["Host: "], "400"),
    ] {
        let got = ask(address, "GET /llms.txt", headers).await;
        assert_eq!(status(&got), expected, "{headers:?}: {got}");
    }
    let got = ask(address, "GET http://evil.example/llms.txt", &[]).await;
    assert_eq!(status(&got), "400", "{got}");
    assert!(library.asked.lock().unwrap().is_empty());
}

/// A document that is temporarily unavailable differs from one that does not exist.
#[tokio::test]
async fn a_document_that_can_not_be_made_now_may_be_asked_for_later() {
    let (address, _) = start(Limits::default()).await;
    let answer = ask(address, "GET /later", &[]).await;
    assert_eq!((status(&answer), header(&answer, "retry-after")), ("503", Some("1")), "{answer}");
}

#[tokio::test]
async fn documents_are_only_read() {
    let (address, _) = start(Limits::default()).await;
    for method in ["POST", "PUT", "DELETE", "PATCH", "TRACE", "BREW"] {
        let got = ask(address, &format!("{method} /llms.txt"), &["Content-Length: 0"]).await;
        assert_eq!(status(&got), "405", "{method}: {got}");
        assert_eq!(header(&got, "allow"), Some("GET, HEAD, OPTIONS"), "{method}: {got}");
        let got = ask(address, &format!("{method} /nothing"), &["Content-Length: 0"]).await;
        assert_eq!(status(&got), "404", "{method}: {got}");
    }
    assert_eq!(status(&ask(address, "OPTIONS /nothing", &[]).await), "404");
}

#[tokio::test]
async fn card_09_no_path_leads_elsewhere() {
    let (address, library) = start(Limits::default()).await;
    let never_asked = [
        "/../llms.txt",
        "/a/../llms.txt",
        "/%2e%2e/llms.txt",
        "/a%2f..%2fllms.txt",
        "/%2fllms.txt",
        "//llms.txt",
        "/llms.txt/",
        "/./llms.txt",
        "/llms.txt%00",
        "/llms.txt%0d%0aX:%20y",
        "/..%5cllms.txt",
        "/%252e%252e/llms.txt",
        "/%c0%ae%c0%ae/llms.txt",
        "/%",
        "/%6dcp",
        "/mcp/",
    ];
    for path in never_asked {
        let got = ask(address, &format!("GET {path}"), &[]).await;
        assert_eq!(status(&got), "404", "{path}: {got}");
    }
    assert_eq!(*library.asked.lock().unwrap(), []);
    for path in ["/", "/nothing", "/llms.txt;a=b", "/LLMS.TXT", "/.well-known/mcp-tools/none.json"] {
        let got = ask(address, &format!("GET {path}"), &[]).await;
        assert_eq!(status(&got), "404", "{path}: {got}");
        assert_eq!(library.asked.lock().unwrap().pop().unwrap().path, path);
    }
}

#[tokio::test]
async fn a_document_that_cannot_be_served_is_an_error_and_the_server_lives() {
    let limits =
        Limits { max_document_bytes: 1000, request_deadline: Duration::from_millis(20), ..Limits::default() };
    let (address, _) = start(limits).await;
    for (path, expected) in [("/large", "500"), ("/panics", "500"), ("/broken", "500"), ("/waits", "504")] {
        let got = ask(address, &format!("GET {path}"), &[]).await;
        assert_eq!(status(&got), expected, "{path}: {got}");
        assert!(!got.contains("X: y"), "{got}");
    }
    assert_eq!(status(&ask(address, "GET /llms.txt", &[]).await), "200");
}

#[tokio::test]
async fn only_so_many_documents_are_made_at_once() {
    let (address, library) = start(Limits { max_document_requests: 1, ..Limits::default() }).await;
    let first = tokio::spawn(async move { ask(address, "GET /waits", &[]).await });
    while library.asked.lock().unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    let second = ask(address, "GET /llms.txt", &[]).await;
    assert_eq!((status(&second), header(&second, "retry-after")), ("503", Some("1")), "{second}");
    library.open.add_permits(1);
    assert!(first.await.unwrap().ends_with("at last"));
    assert_eq!(status(&ask(address, "GET /llms.txt", &[]).await), "200");
}

#[tokio::test]
async fn g_52_documents_name_the_address_that_the_operator_gives() {
    let public_url = Some("https://mcp.example.com/tools/mcp".parse().unwrap());
    let (address, library) = start_with(Options { public_url, ..Options::default() }).await;
    let forwarded = ["X-Forwarded-Proto: https", "X-Forwarded-Host: evil.com", "Forwarded: host=evil.com"];
    let through_proxy = [&["Host: mcp.example.com"], &forwarded[..]].concat();
    for headers in [&[][..], &forwarded, &through_proxy] {
        assert_eq!(status(&ask(address, "GET /llms.txt", headers).await), "200", "{headers:?}");
        let asked = library.asked.lock().unwrap().pop().unwrap();
        assert_eq!(asked.mcp_url, "https://mcp.example.com/tools/mcp");
        assert_eq!(asked.mcp_path, "/mcp", "where it is here");
    }
    assert_eq!(status(&ask(address, "GET /llms.txt", &["Host: evil.com"]).await), "403");
    // Without a public URL, headers about a proxy have no effect.
    let (address, library) = start(Limits::default()).await;
    assert_eq!(status(&ask(address, "GET /llms.txt", &forwarded).await), "200");
    assert_eq!(library.asked.lock().unwrap().pop().unwrap().mcp_url, format!("http://{address}/mcp"));
    assert_eq!(status(&ask(address, "GET /llms.txt", &["Host: mcp.example.com"]).await), "403");
}
