//! `overt ui`: what the page's API returns, who may use it, and that an answer counts only for what
//! was shown.
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};

use overt_layers::grants::{Answer, AskOutcome, GrantLifetime, QuestionId, QuestionState, Review};
use serde_json::{Value, json};

use crate::contract;
use crate::day::{edit, everything_verifies};
use crate::environment::TestEnvironment;
use crate::grants::write_a_file;
use crate::support::{PASSPHRASE, Running, overt, set_passphrase, wait_until};

/// A page that is served until it is dropped.
pub(crate) struct Page {
    server: Running,
    /// Host and port.
    host: String,
    token: String,
}

/// A status, and a body.
pub(crate) type Answered = (u16, Value);

impl Page {
    /// Opens the page as a person does, with their passphrase.
    pub(crate) fn start(state: &Path) -> Self {
        set_passphrase(state);
        Self::run(overt().env("OVERT_STATE_DIR", state).args(["ui", "--passphrase-stdin"]))
    }

    pub(crate) fn of_day(day: &TestEnvironment) -> Self {
        set_passphrase(&day.state());
        Self::run(&mut day.command_in("site", &["ui", "--passphrase-stdin"]))
    }

    /// Opens the page as an agent does.
    fn by_agent(state: &Path) -> Self {
        Self::run(overt().env("OVERT_STATE_DIR", state).env("CLAUDE_CODE_CHILD_SESSION", "1").arg("ui"))
    }

    pub(crate) fn of_day_by_agent(day: &TestEnvironment) -> Self {
        Self::run(day.command_in("site", &["ui"]).env("CLAUDE_CODE_CHILD_SESSION", "1"))
    }

    pub(crate) fn run(command: &mut Command) -> Self {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut server = Running(command.spawn().unwrap());
        // If no passphrase is requested, nothing reads it.
        let _ = writeln!(server.0.stdin.take().unwrap(), "{PASSPHRASE}");
        let mut address = String::new();
        BufReader::new(server.0.stdout.take().unwrap()).read_line(&mut address).unwrap();
        let rest = address.trim().strip_prefix("http://").unwrap_or_else(|| panic!("{address:?}"));
        let (host, token) = rest.split_once("/#token=").unwrap();
        Self { host: host.to_owned(), token: token.to_owned(), server }
    }

    fn stream(&self, head: &str, body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(std::time::Duration::from_secs(20))).unwrap();
        let length =
            if body.is_empty() { String::new() } else { format!("Content-Length: {}\r\n", body.len()) };
        write!(stream, "{head}{length}\r\n{body}").unwrap();
        stream
    }

    /// Returns the whole answer as text.
    fn raw(&self, request: &str, headers: &[(&str, &str)], body: &str) -> String {
        let mut head = format!("{request} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(name, _)| *name == "Host") {
            head.push_str(&format!("Host: {}\r\n", self.host));
        }
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        let mut text = String::new();
        self.stream(&head, body).read_to_string(&mut text).unwrap();
        text
    }

    fn bearer(&self) -> String {
        format!("Bearer {}", self.token)
    }

    pub(crate) fn get(&self, path: &str) -> Answered {
        checked("GET", path, &self.raw(&format!("GET {path}"), &[("Authorization", &self.bearer())], ""))
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Answered {
        let headers = [("Authorization", &*self.bearer()), ("Content-Type", "application/json")];
        checked("POST", path, &self.raw(&format!("POST {path}"), &headers, &body.to_string()))
    }

    /// Returns the data of the events with this name from the stream at a path.
    pub(crate) fn events(&self, path: &str, name: &'static str) -> impl Iterator<Item = Value> {
        let head =
            format!("GET {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: {}\r\n", self.host, self.bearer());
        let mut lines = BufReader::new(self.stream(&head, "")).lines().map(Result::unwrap);
        let begin = format!("event: {name}");
        std::iter::from_fn(move || {
            lines.find(|line| *line == begin)?;
            let data = lines.find_map(|line| line.strip_prefix("data: ").map(str::to_owned))?;
            let data: Value = serde_json::from_str(&data).unwrap();
            if name == "questions" {
                contract::check_questions(&data["questions"]);
            }
            Some(data)
        })
    }

    /// Returns the question's id and digest, as an answer to it needs them.
    fn shown(&self, QuestionId(id): &QuestionId) -> Value {
        let (status, question) = self.get(&format!("/api/questions/{id}"));
        assert_eq!(status, 200, "{question}");
        json!({ "id": id, "digest": question["digest"] })
    }

    fn answer(&self, choice: &str, shown: &[Value]) -> Answered {
        self.post("/api/answers", &json!({ "choice": choice, "questions": shown }))
    }
}

/// Returns the answer to a request of the page, which must be what the page expects.
fn checked(method: &str, path: &str, text: &str) -> Answered {
    let (status, answer) = answered(text);
    if status == 200 {
        contract::check(method, path, &answer);
    }
    (status, answer)
}

fn answered(text: &str) -> Answered {
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{text:?}"));
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, serde_json::from_str(body).unwrap_or_else(|_| body.into()))
}

fn numbered(state: &TestEnvironment, number: usize) -> QuestionId {
    let asked = write_a_file();
    state.waits(&overt_layers::grants::Question { arguments: number.to_string(), ..asked })
}

#[test]
fn http_17_the_page_comes_with_a_strict_policy_and_without_a_token() {
    let state = TestEnvironment::new();
    let page = Page::start(&state.state());
    for (path, media) in [("/", "text/html"), ("/overt.js", "text/javascript"), ("/overt.css", "text/css")] {
        let text = page.raw(&format!("GET {path}"), &[], "");
        assert!(text.starts_with("HTTP/1.1 200"), "{path}: {text}");
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let head = head.to_lowercase();
        for part in [
            media,
            "default-src 'none'",
            "frame-ancestors 'none'",
            "require-trusted-types-for 'script'",
            "referrer-policy: no-referrer",
            "cache-control: no-store",
            "x-content-type-options: nosniff",
            "cross-origin-resource-policy: same-origin",
        ] {
            assert!(head.contains(part), "{path} lacks {part}: {head}");
        }
        assert!(!body.contains(&page.token), "{path}");
        assert!(body.len() > 100, "{path} is empty");
    }
    for path in ["/api/nothing", "/api/questions", "/api/hello/x", "/../etc/passwd", "/overt.js/"] {
        assert_eq!(page.get(path).0, 404, "{path}");
    }
}

/// The second origin serves only its one document, only in frames of the page, and has no API.
#[test]
fn http_17_frames_begin_on_another_origin_that_has_nothing_else() {
    let state = TestEnvironment::new();
    let page = Page::start(&state.state());
    let (_, hello) = page.get("/api/hello");
    let sandbox = hello["sandbox"].as_str().unwrap();
    let host = sandbox.strip_prefix("http://").and_then(|rest| rest.strip_suffix("/sandbox.html")).unwrap();
    assert_ne!(host, page.host);
    let head = page.raw("GET /", &[], "").to_lowercase();
    assert!(head.contains(&format!("; frame-src http://{host}\r\n")), "{head}");

    let other = Page { server: page.server, host: host.to_owned(), token: page.token };
    let text = other.raw("GET /sandbox.html", &[], "");
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let head = head.to_lowercase();
    assert!(head.starts_with("http/1.1 200"), "{head}");
    let policy = format!("content-security-policy: frame-ancestors http://{}\r\n", page.host);
    assert!(head.contains(&policy) && !head.contains("x-frame-options"), "{head}");
    assert!(body.contains("<script>"), "{body}");
    for path in ["/", "/overt.js", "/api/hello", "/api/questions/q1"] {
        assert_eq!(other.get(path).0, 404, "{path}");
    }
    assert_eq!(other.post("/api/answers", &json!({})).0, 405);
    for (name, value) in [("Host", page.host.as_str()), ("Origin", "http://evil.example"), ("Origin", "null")]
    {
        let refused = other.raw("GET /sandbox.html", &[(name, value)], "");
        assert!(refused.starts_with("HTTP/1.1 403"), "{name}: {refused}");
    }
}

/// A server's page is returned as text, to be shown on the second origin. An answer is bound to it.
#[test]
fn http_17_the_review_page_of_a_question_is_given_apart() {
    let state = TestEnvironment::new();
    let page = Page::start(&state.state());
    let plain = numbered(&state, 1);
    let (_, question) = page.get(&format!("/api/questions/{}", plain.0));
    assert_ne!(question["hasReviewPage"], true, "{question}");
    assert_eq!(page.get(&format!("/api/reviews/{}", plain.0)).0, 404);
    assert_eq!(page.get("/api/reviews/q99").0, 404);

    let asked = |arguments: &str, html: &str| {
        let question = overt_layers::grants::Question { arguments: arguments.to_owned(), ..write_a_file() };
        let review = Review { diff: "--- a\n+++ a\n".to_owned(), page: html.to_owned() };
        let AskOutcome::Open(id) = state.store.ask(&question, Some(&review)).unwrap() else {
            panic!("not asked")
        };
        id
    };
    let with_page = asked("2", "<script>parent.attacked = 1</script>");
    let (_, question) = page.get(&format!("/api/questions/{}", with_page.0));
    assert_eq!(question["hasReviewPage"], true, "{question}");
    assert!(!question.to_string().contains("attacked"), "{question}");
    let (status, review) = page.get(&format!("/api/reviews/{}", with_page.0));
    assert_eq!((status, &review["page"]), (200, &json!("<script>parent.attacked = 1</script>")));
    let digest = |id: &QuestionId| page.get(&format!("/api/questions/{}", id.0)).1["digest"].clone();
    let before = digest(&with_page);
    let again = asked("2", "<p>other</p>");
    assert_eq!(again, with_page, "it is the same question");
    assert_ne!(digest(&with_page), before);
}

#[test]
fn other_hosts_pages_and_tokens_are_refused() {
    let state = TestEnvironment::new();
    let page = Page::start(&state.state());
    let id = numbered(&state, 1);
    let shown = page.shown(&id);
    let bearer = page.bearer();
    let body = json!({ "choice": "once", "questions": [shown] }).to_string();
    let good = [("Authorization", &*bearer), ("Content-Type", "application/json")];
    let port = page.host.rsplit_once(':').unwrap().1;
    let rebound = format!("evil.example:{port}");
    for (bad, expected) in [
        (("Host", &*rebound), 403),
        (("Origin", "http://evil.example"), 403),
        (("Origin", "null"), 403),
        (("Sec-Fetch-Site", "cross-site"), 403),
    ] {
        let headers: Vec<_> = good.iter().copied().chain([bad]).collect();
        assert_eq!(answered(&page.raw("POST /api/answers", &headers, &body)).0, expected, "{bad:?}");
    }
    for headers in [
        &[("Content-Type", "application/json")][..],
        &[("Content-Type", "application/json"), ("Authorization", "Bearer guess")],
    ] {
        assert_eq!(answered(&page.raw("POST /api/answers", headers, &body)).0, 401, "{headers:?}");
    }
    let headers = [("Authorization", &*bearer), ("Content-Type", "text/plain")];
    assert_eq!(answered(&page.raw("POST /api/answers", &headers, &body)).0, 415);
    let in_address = format!("GET /api/hello?token={}", page.token);
    assert_eq!(answered(&page.raw(&in_address, &[], "")).0, 401, "a token counts in its header only");
    let long = "x".repeat(300 << 10);
    assert_eq!(answered(&page.raw("POST /api/answers", &good, &long)).0, 413);
    assert_eq!(state.store.question_state(&id).unwrap(), QuestionState::Open, "nothing of this answered it");
    assert_eq!(answered(&page.raw("POST /api/answers", &good, &body)).0, 200);
}

#[test]
fn an_answer_counts_only_for_what_was_shown() {
    let state = TestEnvironment::new();
    let page = Page::start(&state.state());
    let review = Review { diff: "--- a\n+++ a\n@@ -1 +1 @@\n-old\n+new\n".to_owned(), page: String::new() };
    let AskOutcome::Open(id) = state.store.ask(&write_a_file(), Some(&review)).unwrap() else { panic!() };
    let other = numbered(&state, 2);
    let (_, question) = page.get(&format!("/api/questions/{id}"));
    assert_eq!(question["diff"], review.diff, "{question}");
    assert_eq!(question["choices"][0]["letter"], "y", "{question}");
    let (shown, shown_other) = (page.shown(&id), page.shown(&other));
    let wrong = json!({ "id": id.0, "digest": shown_other["digest"] });
    let (status, said) = page.answer("once", &[shown_other.clone(), wrong]);
    assert_eq!(status, 409, "{said}");
    assert!(said["error"]["message"].as_str().unwrap().contains("is not what was shown"), "{said}");
    assert_eq!(state.store.question_state(&other).unwrap(), QuestionState::Open, "all or none");
    for (choice, expected) in [("nonsense", 400), ("trust-changes", 409)] {
        assert_eq!(page.answer(choice, std::slice::from_ref(&shown)).0, expected, "{choice}");
    }
    let (status, said) = page.answer("session", &[shown.clone(), shown_other]);
    assert_eq!(status, 200, "{said}");
    assert_eq!(said["answered"], json!([id.0, other.0]), "{said}");
    for id in [&id, &other] {
        let answer = state.taken(id);
        assert!(matches!(answer, Some(Answer::Yes { lifetime: GrantLifetime::Session, .. })), "{answer:?}");
    }
    assert_eq!(page.answer("once", &[shown]).0, 404, "it is over");
}

/// Such a diff is too long for people and browsers. The page gets its beginning and the size of the
/// rest, and an answer is bound to all of it.
#[test]
fn a_diff_of_100_megabytes_is_sent_in_part() {
    const ALL: usize = 100 << 20;
    let state = TestEnvironment::new();
    let page = Page::start(&state.state());
    let line = "+the same line again and again, with sixty-four bytes in each\n\n";
    let mut diff = format!("--- a\n+++ a\n@@ -0,0 +1,{} @@\n", ALL / 62);
    while diff.len() < ALL {
        diff.push_str(&line[..62]);
    }
    let all = diff.len();
    let ask = |diff: &str| {
        let review = Review { diff: diff.to_owned(), page: String::new() };
        let AskOutcome::Open(id) = state.store.ask(&write_a_file(), Some(&review)).unwrap() else { panic!() };
        id
    };
    let id = ask(&diff);
    let (status, question) = page.get(&format!("/api/questions/{id}"));
    assert_eq!(status, 200);
    let shown = question["diff"].as_str().unwrap();
    assert!(shown.len() <= 2 << 20 && diff.starts_with(shown) && shown.ends_with('\n'), "{}", shown.len());
    assert_eq!(question["diffLeftOut"], json!({ "bytes": all - shown.len(), "of": all }));
    assert_eq!(page.answer("once", &[json!({ "id": id.0, "digest": question["digest"] })]).0, 200);
    assert!(state.taken(&id).is_some());
    // A different end makes a different diff, although the page shows the same part.
    diff.truncate(all - 2);
    diff.push_str("!\n");
    let other = page.get(&format!("/api/questions/{}", ask(&diff))).1;
    assert_eq!((&other["diff"], &other["diffLeftOut"]), (&question["diff"], &question["diffLeftOut"]));
    assert_ne!(other["digest"], question["digest"]);
}

#[test]
fn events_tell_of_questions_as_they_come_and_go() {
    let state = TestEnvironment::new();
    let page = Page::start(&state.state());
    let head =
        format!("GET /api/events HTTP/1.1\r\nHost: {}\r\nAuthorization: {}\r\n", page.host, page.bearer());
    let mut lines = BufReader::new(page.stream(&head, "")).lines().map(Result::unwrap);
    let mut next = || -> Vec<String> {
        let data = lines.find_map(|line| line.strip_prefix("data: ").map(str::to_owned)).unwrap();
        let data: Value = serde_json::from_str(&data).unwrap();
        data["questions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["id"].as_str().unwrap().to_owned())
            .collect()
    };
    assert!(next().is_empty());
    let id = numbered(&state, 1);
    assert_eq!(next(), std::slice::from_ref(&id.0));
    assert_eq!(page.answer("no", &[page.shown(&id)]).0, 200);
    // A question that was answered with no stays open until its call has fetched the answer.
    state.taken(&id);
    loop {
        if next().is_empty() {
            break;
        }
    }
}

#[test]
fn what_lasts_is_shown_taken_back_and_revoked() {
    let state = TestEnvironment::new();
    let page = Page::start(&state.state());
    let [first, second, third] = [1, 2, 3].map(|number| numbered(&state, number));
    assert_eq!(page.answer("always", &[page.shown(&first)]).0, 200);
    let grants = || page.get("/api/grants").1["grants"].as_array().unwrap().clone();
    assert_eq!(grants().len(), 1);
    assert_eq!(grants()[0]["holds"], "until revoked");
    let (_, said) = page.post("/api/take-back", &json!({}));
    assert!(said["words"].as_str().unwrap().contains("taken back"), "{said}");
    assert!(grants().is_empty());
    assert_eq!(page.answer("8h", &[page.shown(&second)]).0, 200);
    let id = grants()[0]["id"].clone();
    assert_eq!(page.post("/api/revoke", &json!({ "id": id })).0, 200);
    assert!(grants().is_empty());
    // A refusal for good is revoked in the same way.
    assert_eq!(page.answer("never", &[page.shown(&third)]).0, 200);
    assert_eq!(grants()[0]["says"], "refuse");
    let id = grants()[0]["id"].clone();
    assert_eq!(page.post("/api/revoke", &json!({ "id": id })).0, 200);
    assert!(grants().is_empty());
    assert_eq!(page.post("/api/revoke", &json!({ "id": id })).0, 409);
}

#[test]
fn a_page_that_an_agent_started_only_shows() {
    let state = TestEnvironment::new();
    let id = numbered(&state, 1);
    let mut page = Page::by_agent(&state.state());
    let (_, hello) = page.get("/api/hello");
    assert!(hello["readOnly"].as_str().unwrap().contains("only a person"), "{hello}");
    let (status, said) = page.answer("once", &[page.shown(&id)]);
    assert_eq!(status, 403, "{said}");
    for (path, body) in
        [("/api/revoke", json!({ "id": "g-1" })), ("/api/undo", json!({ "change": "c-1-1", "digest": "x" }))]
    {
        assert_eq!(page.post(path, &body).0, 403, "{path}");
    }
    assert_eq!(state.store.question_state(&id).unwrap(), QuestionState::Open);
    assert!(!state.store.has_listener().unwrap(), "no call waits for who can't answer");
    page.server.interrupt();
    assert!(page.server.0.wait().unwrap().success());
}

/// Reads, two changes and a refusal, on two pages of the list. A change is shown and undone.
#[test]
fn what_agents_did_is_listed_shown_and_undone() {
    let day = TestEnvironment::with_projects();
    let mut claude = day.files("claude-code", "site", &["."]);
    for name in ["a", "b", "c"] {
        claude.call("read_file", &json!({ "path": format!("src/{name}.ts") }));
    }
    let first = edit(&mut claude, "src/a.ts", "one", "1");
    let second = edit(&mut claude, "src/b.ts", "two", "2");
    claude.call("read_file", &json!({ "path": "/etc/passwd" }));
    claude.end();
    let page = Page::of_day(&day);
    let mut calls: Vec<String> = Vec::new();
    let mut path = "/api/activity?limit=2".to_owned();
    let pages = loop {
        let (status, said) = page.get(&path);
        assert_eq!(status, 200, "{said}");
        let actions = said["actions"].as_array().unwrap();
        calls.extend(actions.iter().map(|action| action["call"].as_str().unwrap().to_owned()));
        match said["next"].as_str() {
            Some(next) => {
                assert_eq!(page.get(&format!("/api/activity?before={next}x")).0, 410);
                path = format!("/api/activity?limit=2&before={next}");
            }
            None => break calls.len().div_ceil(2),
        }
    };
    assert_eq!((calls.len(), pages), (6, 3));
    let logged: Vec<String> = day
        .json_in("site", &["log", "--format", "json"])
        .iter()
        .map(|action| action["call"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(calls, logged, "the same actions in the same order as `overt log`");
    let count =
        |query: &str| page.get(&format!("/api/activity?{query}")).1["actions"].as_array().unwrap().len();
    for (outcome, expected) in [("refused", 1), ("ok", 5), ("failed", 0), ("cancelled", 0), ("open", 0)] {
        assert_eq!(count(&format!("outcome={outcome}")), expected, "{outcome}");
    }
    assert_eq!(page.get("/api/activity?outcome=maybe").0, 400);
    assert_eq!(count("tool=edit_file&client=claude"), 2);
    assert_eq!(count("client=cursor"), 0);
    assert_eq!(page.get("/api/activity?since=soon").0, 400);
    assert_eq!(page.get("/api/activity?limit=many").0, 400);

    let (_, detail) = page.get(&format!("/api/activity/{second}"));
    assert_eq!((&detail["words"], &detail["canUndo"]), (&json!("edited src/b.ts +1 -1"), &json!(true)));
    assert!(detail["diff"].as_str().unwrap().contains("+2"), "{detail}");
    assert!(detail["facts"].as_array().unwrap().iter().any(|fact| fact[0] == "decision"), "{detail}");
    let decision = &detail["decision"];
    assert_eq!(
        (&decision["then"]["verdict"], &decision["now"]["verdict"]),
        (&json!("allow"), &json!("allow"))
    );
    assert!(decision["now"]["layers"].as_array().is_some_and(|layers| !layers.is_empty()), "{decision}");
    assert!(detail.get("diffLeftOut").is_none(), "{detail}");

    let (_, preview) = page.get(&format!("/api/undo/{second}"));
    assert!(preview["diff"].as_str().unwrap().contains("+two"), "{preview}");
    let undo =
        |change: &str, digest: &Value| page.post("/api/undo", &json!({ "change": change, "digest": digest }));
    assert_eq!(undo(&first, &preview["digest"]).0, 409, "a preview is of one change");
    assert!(day.read("site/src/b.ts").contains('2'));
    let (status, said) = undo(&second, &preview["digest"]);
    assert_eq!(status, 200, "{said}");
    assert_eq!(day.read("site/src/b.ts"), "one b\ntwo\n");
    assert_eq!(undo(&second, &preview["digest"]).0, 409, "it is undone already");

    let (_, servers) = page.get("/api/servers");
    let tools = servers["servers"][0]["tools"].as_array().unwrap();
    let edited = tools.iter().find(|tool| tool["name"] == "edit_file").unwrap();
    assert_eq!((&edited["calls"], edited["p50"].is_u64()), (&json!(2), true), "{servers}");
    let (_, verified) = page.get("/api/verify");
    let logs = verified["logs"].as_array().unwrap();
    assert!(logs.iter().all(|log| log["ok"] == true), "{verified}");
    everything_verifies(&day);
}

/// While the page is open, calls wait for an answer instead of being refused.
#[test]
fn calls_wait_while_the_page_is_open() {
    let state = TestEnvironment::new();
    let page = Page::start(&state.state());
    wait_until("the page listens", || state.store.has_listener().unwrap());
    drop(page);
    wait_until("it is closed", || !state.store.has_listener().unwrap());
}
