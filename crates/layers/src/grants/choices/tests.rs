//! Tests which answers are offered, and that each answer gives exactly what its words say.
use overt_policy::scope::Scope;
use overt_wire::Principal;

use super::super::{Broader, GrantVerdict, GrantedTools, Holder, QuestionDetails, every_scope};
use super::*;
use crate::description::{Irreversible, PlanSummary};

fn scopes(texts: &[&str]) -> Vec<Scope> {
    texts.iter().map(|text| Scope::parse(text).unwrap()).collect()
}

fn question() -> Question {
    Question {
        holder: Holder::session(Principal::local(), "s"),
        server: "files#1a2b3c4d".to_owned(),
        project: Some("/home/ada/site".to_owned()),
        tool: "write".to_owned(),
        tool_digest: "tool".to_owned(),
        kind: QuestionKind::Call,
        scopes: scopes(&["write:file:/a/b"]),
        wider: scopes(&["write:file:/a"]),
        broader: Broader { tool: true, server: true, reading: true, server_digest: "all".to_owned() },
        arguments: "digest".to_owned(),
        plan: None,
        shown: QuestionDetails {
            server: "files".to_owned(),
            client: Some("c 1".to_owned()),
            ..QuestionDetails::default()
        },
        until: 0,
    }
}

fn picks(question: &Question) -> String {
    let picks: Vec<&str> = question
        .choices(0)
        .iter()
        .map(|choice| overt_policy::word::StringEnum::as_str(choice.kind))
        .collect();
    picks.join(" ")
}

#[test]
fn scp_13_what_is_offered_depends_on_session_project_and_width() {
    let all = "once session session-tool session-server session-reads folder 8h always everywhere no no-session never";
    assert_eq!(picks(&question()), all);
    let without_session = Holder::any_client(question().holder.principal);
    let without = Question { holder: without_session, ..question() };
    assert_eq!(picks(&without), "once folder 8h always everywhere no never");
    let without = Question { project: None, ..question() };
    assert_eq!(
        picks(&without),
        "once session session-tool session-server session-reads everywhere no no-session"
    );
    let narrow = Question { wider: Vec::new(), broader: Broader::default(), ..question() };
    assert_eq!(picks(&narrow), "once session 8h always everywhere no no-session never");
    let wide = Question { scopes: scopes(&["write:file"]), ..narrow };
    assert_eq!(picks(&wide), "once session no no-session never");
    assert_eq!(picks(&Question { kind: QuestionKind::Trust, ..question() }), "");
}

/// For an irreversible call, a yes covers this call only, and a yes for longer counts as a no.
#[test]
fn i_03_what_cannot_be_undone_is_allowed_once_at_a_time() {
    let irreversible = Irreversible { why: "it is large".to_owned(), instead: "Take less.".to_owned() };
    let changes = PlanSummary { deleted: 1, irreversible: Some(irreversible), ..PlanSummary::default() };
    let shown = QuestionDetails { changes: Some(changes), ..question().shown };
    let question = Question { shown, plan: Some("p".to_owned()), ..question() };
    assert_eq!(picks(&question), "once no no-session never");
    let text = question.to_text(&super::super::QuestionId("q-1".to_owned()));
    assert!(text.contains("\nThis can't be undone: it is large.\n"), "{text}");
    for (lifetime, breadth) in [
        (GrantLifetime::Session, Breadth::Call),
        (GrantLifetime::Always, Breadth::Call),
        (GrantLifetime::Once, Breadth::Folder),
        (GrantLifetime::Session, Breadth::Server),
    ] {
        let yes = Answer::Yes { lifetime, extent: Extent::Project, breadth, expires: None };
        assert_eq!(yes.fitting(&question), Some(Answer::No), "{lifetime} {breadth}");
    }
    let once = AnswerKind::Once.answer(0);
    assert_eq!(once.terms(&question).and_then(|terms| terms.plan).as_deref(), Some("p"));
}

#[test]
fn every_choice_is_an_answer_that_gives_what_it_says() {
    let question = question();
    for choice in question.choices(1_000) {
        assert_eq!(choice.answer.fitting(&question), Some(choice.answer), "{choice:?}");
        let terms = choice.answer.terms(&question);
        let expected = match choice.kind {
            AnswerKind::Once
            | AnswerKind::Session
            | AnswerKind::Workday
            | AnswerKind::Project
            | AnswerKind::Everywhere => {
                Some((GrantVerdict::Allow, GrantedTools::One("write".to_owned()), question.scopes.clone()))
            }
            AnswerKind::SessionTool => {
                Some((GrantVerdict::Allow, GrantedTools::One("write".to_owned()), every_scope()))
            }
            AnswerKind::SessionServer => Some((GrantVerdict::Allow, GrantedTools::Every, every_scope())),
            AnswerKind::SessionReads => Some((GrantVerdict::Allow, GrantedTools::Reading, every_scope())),
            AnswerKind::Folder => {
                Some((GrantVerdict::Allow, GrantedTools::One("write".to_owned()), question.wider.clone()))
            }
            AnswerKind::NeverProject => {
                Some((GrantVerdict::Refuse, GrantedTools::One("write".to_owned()), question.scopes.clone()))
            }
            AnswerKind::No | AnswerKind::NoSession => None,
        };
        let given = terms.clone().map(|terms| (terms.verdict, terms.tools, terms.scopes));
        assert_eq!(given, expected, "{choice:?}");
        let Some(terms) = terms else { continue };
        assert_eq!(terms.is_too_wide_to_last(), None, "{choice:?}");
        assert_eq!(terms.project.is_none(), choice.kind == AnswerKind::Everywhere, "{choice:?}");
        assert_eq!(terms.client.as_deref(), Some("c 1"));
        let ends = matches!(choice.kind, AnswerKind::Folder | AnswerKind::Workday).then_some(1_000 + WORKDAY);
        assert_eq!(terms.expires, ends, "{choice:?}");
    }
}

/// A yes that was not offered counts as a no.
#[test]
fn what_the_question_does_not_offer_can_not_be_answered() {
    let bare = Question { wider: Vec::new(), broader: Broader::default(), ..question() };
    for breadth in [Breadth::Folder, Breadth::Tool, Breadth::Server, Breadth::Reads] {
        let yes =
            Answer::Yes { lifetime: GrantLifetime::Session, extent: Extent::Project, breadth, expires: None };
        assert_eq!(yes.fitting(&bare), Some(Answer::No), "{breadth}");
        assert_eq!(yes.fitting(&question()), Some(yes), "{breadth}");
    }
    // A yes for one call covers only the call that was shown.
    for breadth in [Breadth::Tool, Breadth::Server, Breadth::Reads] {
        let yes =
            Answer::Yes { lifetime: GrantLifetime::Once, extent: Extent::Project, breadth, expires: None };
        assert_eq!(yes.fitting(&question()), Some(Answer::No), "{breadth}");
    }
    let nowhere = Question { project: None, ..question() };
    assert_eq!(Answer::NeverInProject.fitting(&nowhere), Some(Answer::No));
}
