//! A plan, a policy, a tool or the audit log changes while a person decides.
use overt_testkit::person::answering;
use std::sync::Arc;
use std::time::Duration;

use overt_layers::grants::GrantLifetime;
use serde_json::json;
use tempfile::TempDir;

use crate::kit::{CountedUpstream, EVERY, Over, Person, call, code, is_error, text, write, yes};

/// the question shows the sentence, the plan, the diff, the client and the project.
#[tokio::test(flavor = "multi_thread")]
async fn a_04_a_question_shows_what_will_change() {
    for way in EVERY {
        let place = CountedUpstream::new().await;
        let folder = TempDir::new().unwrap();
        let file = write(folder.path(), "notes.txt", "one\ntwo\n");
        let person = Person::who_says(&json!({ "decision": "no" }));
        let client = place.files(way, &[folder.path().to_str().unwrap()], &person, true).await;
        let answer = call(&client, "delete_file", json!({ "path": file }), json!({})).await;
        assert_eq!(code(&answer), "PERMISSION_DENIED", "{way:?}: {answer}");
        assert!(text(&answer).starts_with("Not done: the user declined"), "{answer}");
        let shown = person.last_shown();
        for part in [
            "tester 7.1 wants to run delete_file of",
            "Delete \"",
            "notes.txt",
            "1 deleted:",
            "-one",
            "--open",
        ] {
            assert!(shown.contains(part), "{way:?} {part}: {shown}");
        }
        assert!(std::path::Path::new(&file).exists());
    }
}

/// a yes is for the plan that was shown. If the file changed meanwhile, the person is asked
/// again.
#[tokio::test(flavor = "multi_thread")]
async fn a_05_a_plan_that_changed_is_asked_about_again() {
    for way in EVERY {
        let place = CountedUpstream::new().await;
        let folder = TempDir::new().unwrap();
        let file = write(folder.path(), "notes.txt", "one\ntwo\n");
        let person = Person::new();
        let client = Arc::new(place.files(way, &[folder.path().to_str().unwrap()], &person, true).await);
        let caller = Arc::clone(&client);
        let path = file.clone();
        let running =
            tokio::spawn(
                async move { call(&caller, "delete_file", json!({ "path": path }), json!({})).await },
            );
        person.is_asked().await;
        write(folder.path(), "notes.txt", "something that nobody saw\n");
        // The yes is for the first text. The person who sees the second text says no.
        person.next.lock().unwrap().push(json!({ "decision": "no" }));
        person.says(&json!({ "decision": "once" }));
        let answer = running.await.unwrap();
        let shown = person.shown.lock().unwrap().clone();
        assert!(is_error(&answer), "{way:?}: a yes to another text deleted the file: {answer} {shown:?}");
        assert_eq!(shown.len(), 2, "{way:?}: {shown:?}");
        assert!(shown[0].contains("-one"), "{way:?}: {shown:?}");
        assert!(shown[1].contains("-something that nobody saw"), "{way:?}: {shown:?}");
        assert!(std::path::Path::new(&file).exists());
    }
}

/// calls that wait are decided again under a reloaded policy.
#[tokio::test(flavor = "multi_thread")]
async fn a_16_a_reload_reaches_waiting_calls() {
    for way in [EVERY[2], EVERY[3]] {
        for (policy, runs) in [("deny = [\"execute\"]", false), ("allow = [\"read\", \"execute\"]", true)] {
            let place = CountedUpstream::new().await;
            let folder = TempDir::new().unwrap();
            let config = write(folder.path(), "overt.toml", "[settings]\n");
            let person = Person::new();
            let options = ["--config", &config, "--approval-wait", "2m"];
            let client = Arc::new(place.client(way, &options, &person, false).await);
            let caller = Arc::clone(&client);
            let running =
                tokio::spawn(async move { call(&caller, "touch", json!({ "path": "a" }), json!({})).await });
            place.questions(1).await;
            write(folder.path(), "overt.toml", &format!("[settings]\n{policy}\n"));
            place.reload();
            let answer = tokio::time::timeout(Duration::from_secs(60), running).await.unwrap().unwrap();
            assert_eq!(text(&answer) == "touched", runs, "{way:?} {policy}: {answer}");
            assert_eq!(place.count(), usize::from(runs));
        }
    }
}

/// an approval that can't be recorded does not take effect.
#[tokio::test(flavor = "multi_thread")]
async fn a_14_a_call_that_cant_be_recorded_is_not_made_although_a_person_said_yes() {
    let place = CountedUpstream::new().await;
    let Some(logs) = SmallDisk::mount() else {
        println!("NOT CHECKED HERE: no file system can be mounted");
        return;
    };
    let dir = logs.0.path().join("log");
    let person = Person::new();
    let options = ["--audit-dir", dir.to_str().unwrap(), "--approval-wait", "2m"];
    let client = Arc::new(place.client((Over::Stdio, EVERY[0].1), &options, &person, false).await);
    let caller = Arc::clone(&client);
    let running =
        tokio::spawn(async move { call(&caller, "touch", json!({ "path": "a" }), json!({})).await });
    let open = place.questions(1).await;
    logs.fill();
    // Fill the last page of the log with ever smaller records of calls that can't run.
    for length in [2000, 1000, 500, 250, 120, 60, 30, 15, 8, 4, 2, 1] {
        for _ in 0..3 {
            call(&client, &"x".repeat(length), json!({}), json!({})).await;
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
    }
    place.store().answer(&answering(&open[0].id, &open[0].question, yes(GrantLifetime::Always))).unwrap();
    let answer = running.await.unwrap();
    assert_eq!(place.count(), 0, "{answer}");
    assert!(is_error(&answer), "{answer}");
    assert_eq!(code(&answer), "AUDIT_UNAVAILABLE", "{answer}");
}

/// A file system of a few kilobytes.
struct SmallDisk(TempDir);

impl SmallDisk {
    fn mount() -> Option<Self> {
        let folder = TempDir::new().unwrap();
        let flags = rustix::mount::MountFlags::empty();
        rustix::mount::mount("tmpfs", folder.path(), "tmpfs", flags, Some(c"size=512k")).ok()?;
        Some(Self(folder))
    }

    /// Fills the disk completely.
    fn fill(&self) {
        use std::io::Write as _;
        let mut file = std::fs::File::create(self.0.path().join("junk")).unwrap();
        while file.write_all(&[0; 512]).is_ok() {}
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = rustix::mount::unmount(self.0.path(), rustix::mount::UnmountFlags::DETACH);
    }
}
