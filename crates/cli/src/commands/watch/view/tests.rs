//! Tests of complete screens, without colour.
use overt_layers::description::{Irreversible, PlanSummary};
use ratatui_core::backend::TestBackend;
use ratatui_core::terminal::Terminal;

use super::super::inbox::tests::open;
use super::super::keys::Key;
use super::*;

const NOW: u64 = 50_530;

fn around() -> ViewContext {
    ViewContext {
        zone: TimeZone::UTC,
        home: Some("/home/ada".to_owned()),
        read_only: None,
        unwrapped: Vec::new(),
        totals: None,
    }
}

fn screen(inbox: &mut Inbox, width: u16, height: u16) -> String {
    screen_around(inbox, &around(), width, height)
}

fn screen_around(inbox: &mut Inbox, around: &ViewContext, width: u16, height: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| draw(frame.buffer_mut(), inbox, around, NOW)).unwrap();
    let buffer = terminal.backend().buffer().clone();
    let mut lines = Vec::new();
    for y in 0..height {
        let line: String = (0..width).map(|x| buffer[(x, y)].symbol()).collect();
        lines.push(line.trim_end().to_owned());
    }
    lines.join("\n")
}

fn three() -> Inbox {
    let mut inbox = Inbox::default();
    let mut edit =
        open(1, "Claude Code 2.1", "/home/ada/code/site", "Change \"src/app.ts\" and \"src/routes.ts\"");
    edit.question.shown.changes = Some(PlanSummary { changed: 2, ..PlanSummary::default() });
    let mut delete = open(2, "Claude Code 2.1", "/home/ada/code/site", "Delete the folder \"build\"");
    delete.question.tool = "delete_directory".to_owned();
    delete.question.shown.changes = Some(PlanSummary { deleted: 312, ..PlanSummary::default() });
    let mut issue =
        open(3, "Cursor 1.2", "/home/ada/code/api", "call create_issue with title=\"Login fails\"");
    issue.question.tool = "create_issue".to_owned();
    issue.question.server = "github#5e6f7a8b".to_owned();
    issue.question.shown.intent_is_generic = true;
    issue.waiting = 0;
    let mut all = vec![edit, delete, issue];
    for open in &mut all {
        open.asked = 50_520;
        open.question.until = NOW + 38 + overt_layers::grants::ANSWERABLE;
    }
    inbox.refresh(all, 0);
    let text = "Claude Code 2.1 wants to run edit_file of \"filesystem\" in /home/ada/code/site\n\n2 changed:\n  src/app.ts +4 -3\n  src/routes.ts +1 -1\n\nEffect: changes something, can be undone.\n\n  changes\n    --- src/app.ts\n    +++ src/app.ts\n    @@ -10,1 +10,1 @@\n    -function f3(a, b) {\n    +function f3(alpha, b) {\n";
    inbox.set_details(overt_layers::grants::QuestionId("q-1".to_owned()), text.to_owned());
    inbox
}

#[test]
fn v_05_the_inbox_says_which_servers_lost_overt() {
    let mut inbox = Inbox::default();
    let unwrapped = vec!["a in /x/.mcp.json was wrapped and no longer is; see `overt doctor`".to_owned(); 2];
    let screen = screen_around(&mut inbox, &ViewContext { unwrapped, ..around() }, 100, 14);
    assert!(screen.starts_with("No questions · 2 servers without Overt"), "{screen}");
    assert!(screen.contains("was wrapped and no longer is; see `overt doctor` (and 1 more)"), "{screen}");
}

#[test]
fn i_03_the_list_says_what_cannot_be_undone() {
    let mut inbox = Inbox::default();
    let mut delete = open(2, "Claude Code 2.1", "/home/ada/code/site", "Delete \"build\"");
    let irreversible = Irreversible { why: "it is large".to_owned(), instead: "Take less.".to_owned() };
    let changes = PlanSummary { deleted: 1, irreversible: Some(irreversible), ..PlanSummary::default() };
    delete.question.shown.changes = Some(changes);
    inbox.refresh(vec![delete], 0);
    let screen = screen(&mut inbox, 100, 24);
    assert!(screen.contains("Delete \"build\" (1 deleted, can't be undone)"), "{screen}");
}

#[test]
fn three_questions_fit_80_columns_and_24_lines() {
    let mut inbox = three();
    insta::assert_snapshot!(screen(&mut inbox, 80, 24), @r#"
    3 questions
    ────────────────────────────────────────────────────────────────────────────────
    Claude Code 2.1 in ~/code/site
    >  14:02  edit_file: Change "src/app…"src/routes.ts" (2 changed)      waits 38 s
       14:02  delete_directory: Delete the…er "build" (312 deleted)       waits 38 s
    Cursor 1.2 in ~/code/api
       14:02  create_issue of github: title="Login fails"               nobody waits
    ── q-1 lines 1-12 of 14 ────────────────────────────────────────────────────────
    Claude Code 2.1 wants to run edit_file of "filesystem" in /home/ada/code/site

    2 changed:
      src/app.ts +4 -3
      src/routes.ts +1 -1

    Effect: changes something, can be undone.

      changes
        --- src/app.ts
        +++ src/app.ts
        @@ -10,1 +10,1 @@
    ────────────────────────────────────────────────────────────────────────────────

    y this call  s session  f folder 8 h  p project  n no  x never  h 8 h  t tool
    up down select  Tab details  space mark  u take back  ? help  q leave
    "#);
}

#[test]
fn more_is_shown_on_a_larger_screen() {
    let mut inbox = three();
    inbox.press(Key::Char(' '), 0);
    inbox.press(Key::Up, 0);
    inbox.press(Key::Tab, 0);
    inbox.say("q-7: allowed for the session; u takes it back".to_owned());
    insta::assert_snapshot!(screen(&mut inbox, 120, 40), @r#"
    3 questions, 1 marked
    ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
    Claude Code 2.1 in ~/code/site
    >* 14:02  edit_file of filesystem: Change "src/app.ts" and "src/routes.ts" (2 changed)                        waits 38 s
       14:02  delete_directory of filesystem: Delete the folder "build" (312 deleted)                             waits 38 s
    Cursor 1.2 in ~/code/api
       14:02  create_issue of github: title="Login fails"                                                       nobody waits
    ── q-1 lines 1-14 of 14, scrolling ─────────────────────────────────────────────────────────────────────────────────────
    Claude Code 2.1 wants to run edit_file of "filesystem" in /home/ada/code/site

    2 changed:
      src/app.ts +4 -3
      src/routes.ts +1 -1

    Effect: changes something, can be undone.

      changes
        --- src/app.ts
        +++ src/app.ts
        @@ -10,1 +10,1 @@
        -function f3(a, b) {
        +function f3(alpha, b) {














    ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
    q-7: allowed for the session; u takes it back
    y this call  s session  f folder 8 h  p project  n no  x never  h 8 h  t tool  w server  a everywhere  X refuse session
    up down select  Tab details  space mark  u take back  ? help  q leave
    "#);
}

#[test]
fn without_questions_it_says_what_it_is_for() {
    insta::assert_snapshot!(screen(&mut Inbox::default(), 80, 12), @"
    No questions
    ────────────────────────────────────────────────────────────────────────────────

    ────────────────────────────────────────────────────────────────────────────────
    No question is open. Calls wait for your answer while this runs.



    ────────────────────────────────────────────────────────────────────────────────


    up down select  Tab details  space mark  u take back  ? help  q leave
    ");
}

#[test]
fn the_help_names_every_key() {
    let mut inbox = three();
    inbox.press(Key::Char('?'), 0);
    insta::assert_snapshot!(screen(&mut inbox, 80, 24), @"
    Keys. Any key closes this.
    ────────────────────────────────────────────────────────────────────────────────
    y      yes, this call
    s      yes, and this tool on the same thing until the session ends
    f      yes, and this tool in the folder around it for 8 hours
    p      yes, in this project until you revoke it
    n      no
    x      no, and never ask about this in this project
    h      yes, in this project for 8 hours
    t      yes, and this tool with any arguments until the session ends
    w      yes, and everything of this server until the session ends
    r      yes, and all of this server that only reads, for the session
    a      yes, in every project until you revoke it (press twice)
    X      no, and this session asks nothing more
    c      about a server: ask me for changes only
    l      about a server: ask me for deletes
    e      about a server: ask me for everything
    o      about a server: ask me for nothing, only record
    u      take the last answer back
    space  mark; an answer is to all that are marked; * marks the whole group
    Tab    to the details; Esc back, and there it unmarks all; PgUp PgDn scroll
    q      leave; calls wait no longer
    ");
}

#[test]
fn a_small_window_says_what_to_do() {
    for (width, height) in [(39, 24), (80, 11), (1, 1), (20, 2)] {
        let mut inbox = three();
        let text = screen(&mut inbox, width, height);
        assert!(text.starts_with("T"), "{text}");
    }
}

/// Server text cannot control the terminal, and every terminal size works.
#[test]
fn scp_08_hostile_texts_are_escaped_at_every_size() {
    let mut inbox = Inbox::default();
    let evil = "\u{1b}[2J\u{202e}日本\u{7}\r\n".repeat(20);
    let mut hostile = open(1, &evil, &evil, &evil);
    hostile.question.shown.server = evil.clone();
    hostile.question.server = evil.clone();
    hostile.question.tool = evil.clone();
    inbox.refresh(vec![hostile], 0);
    for (width, height) in [(40, 12), (41, 13), (80, 24), (200, 60)] {
        let text = screen(&mut inbox, width, height);
        assert!(
            text.contains("\\u{1b}[2J") && !text.contains(['\u{1b}', '\u{202e}', '\u{7}', '\r']),
            "{text}"
        );
    }
}

#[test]
fn the_header_has_the_totals_of_the_day_and_says_if_nothing_can_be_answered() {
    let totals = Some(DayTotals { allowed: 12, asked: 3, refused: 1 });
    let around = ViewContext { totals, read_only: Some("why".to_owned()), ..around() };
    let inbox = Inbox::default();
    assert_eq!(header(&inbox, &around), "No questions · read-only · Today: 12 allowed, 3 asked, 1 refused");
}

/// The end of a refusal tells the person what to do, so it must not be cut.
#[test]
fn a_long_message_has_the_lines_that_it_needs() {
    let mut inbox = three();
    let refusal = "not done: only a person can answer this: `agent` (process 1) runs this command, and a program can't answer its own questions; the user answers in a terminal that this program did not open, or sets a passphrase there with `overt passphrase set`";
    inbox.say(refusal.to_owned());
    let lines = message_lines(&inbox, &around(), 80);
    assert_eq!(lines.len(), 4, "{lines:?}");
    assert_eq!(lines.join(" "), refusal);
    for (width, height) in [(80, 24), (80, 12), (120, 40)] {
        let screen = screen(&mut inbox, width, height);
        let lines = message_lines(&inbox, &around(), usize::from(width));
        assert!(screen.contains(&lines.join("\n")), "{screen}");
        assert!(screen.contains("14:02  ") && screen.ends_with("q leave"), "{screen}");
    }
    // On a narrow screen the last line shows that text is missing.
    let narrow = message_lines(&inbox, &around(), 40);
    assert!(narrow.len() == 4 && narrow[3].ends_with(" …"), "{narrow:?}");
}

#[test]
fn at_the_start_it_says_why_nothing_can_be_answered() {
    let why = "only a person can answer this; ".repeat(4);
    let around = ViewContext { read_only: Some(why.trim_end().to_owned()), ..around() };
    let lines = message_lines(&Inbox::default(), &around, 80);
    assert_eq!(lines.join(" "), format!("Read-only: {}", why.trim_end()));
}
