//! Tests that the index finds grants by what they cover, without a scan of all grants.
use super::super::{Candidates, Holder, HolderClient, Need};
use super::*;
use overt_wire::Principal;

fn scope(text: &str) -> Scope {
    Scope::parse(text).unwrap()
}

/// Looks up what may matter for a call.
fn looked_up(index: &GrantIndex, need: &Need<'_>, now: u64) -> Candidates {
    let query = CandidateQuery {
        holder: need.holder.clone(),
        tool: TrustedTool {
            server: TrustedServerKey {
                principal: need.holder.principal.clone(),
                server: need.server.to_owned(),
                project: need.project.map(str::to_owned),
            },
            tool: need.tool.to_owned(),
            digest: need.tool_digest.to_owned(),
        },
        wanted: vec![need.scopes.to_vec()],
        arguments: need.arguments.to_owned(),
        token: None,
    };
    let grants = index.candidates(&query).cloned().collect();
    Candidates { now, grants, ..Candidates::default() }
}

fn covering(index: &GrantIndex, need: &Need<'_>, now: u64) -> Option<Grant> {
    looked_up(index, need, now).covering(need).cloned()
}

fn refusing(index: &GrantIndex, need: &Need<'_>, now: u64) -> Option<Grant> {
    looked_up(index, need, now).refusing(need).cloned()
}

fn holder() -> Holder {
    Holder::session(Principal::token_holder("ada"), "s")
}

fn grant(number: usize, scopes: &[&str]) -> Grant {
    let terms = Terms {
        tool_digest: None,
        plan: None,
        server: "files".to_owned(),
        project: None,
        verdict: GrantVerdict::Allow,
        client: None,
        tools: GrantedTools::One("write".to_owned()),
        scopes: scopes.iter().map(|text| scope(text)).collect(),
        lifetime: GrantLifetime::Always,
        arguments: None,
        expires: None,
    };
    Grant { id: GrantId(format!("g-{number}")), holder: holder(), terms, issued_at: 0 }
}

fn found(index: &GrantIndex, scopes: &[&str]) -> Option<String> {
    let scopes: Vec<Scope> = scopes.iter().map(|text| scope(text)).collect();
    let need = Need {
        holder: &holder(),
        server: "files",
        project: None,
        tool: "write",
        tool_digest: "",
        server_digest: "all",
        only_reads: false,
        plan: None,
        scopes: &scopes,
        arguments: "digest",
        own_approval: false,
    };
    covering(index, &need, 1).map(|grant| grant.id.to_string())
}

#[test]
fn a_grant_is_found_by_every_scope_that_it_covers_and_no_other() {
    let wide =
        ["write:file:/a/b", "write:file:/a", "write:file:/", "write:file", "write", "write:file:/a/b:"];
    let asked = [
        "write:file:/a/b",
        "write:file:/a/b/c",
        "write:file:/a/b:/c",
        "write:file:/ab",
        "write:db:x/y",
        "read",
    ];
    for granted in wide {
        let mut index = GrantIndex::new();
        index.insert(grant(1, &[granted]));
        for wanted in asked {
            let covers = scope(granted).covers(&scope(wanted));
            assert_eq!(found(&index, &[wanted]).is_some(), covers, "{granted} {wanted}");
        }
        index.remove(&GrantId("g-1".to_owned()));
        assert!(index.slots.is_empty() && found(&index, &["write:file:/a/b"]).is_none());
    }
}

#[test]
fn one_grant_must_cover_all_that_a_call_needs() {
    let mut index = GrantIndex::new();
    index.insert(grant(1, &["write:file:/a"]));
    index.insert(grant(2, &["write:file:/b"]));
    assert_eq!(found(&index, &["write:file:/a/x", "write:file:/b/x"]), None);
    index.insert(grant(3, &["write:file:/a", "write:file:/b"]));
    assert_eq!(found(&index, &["write:file:/a/x", "write:file:/b/x"]).as_deref(), Some("g-3"));
    assert_eq!(found(&index, &[]), None);
}

#[test]
fn scp_14_a_lookup_does_not_look_at_all_grants() {
    let mut index = GrantIndex::new();
    for number in 0..100_000 {
        // All grants share one scope and differ in the other.
        index.insert(grant(number, &["write:db:all", &format!("write:file:/home/{number}/x")]));
    }
    assert_eq!(found(&index, &["write:db:all", "write:file:/home/77/x/y"]).as_deref(), Some("g-77"));
    let by_scope = index.slots.values().next().unwrap();
    for (wanted, most) in [("write:file:/home/77/x/y", 1), ("write:file:/home/none", 0)] {
        assert_eq!(fewest(by_scope, &[scope("write:db:all"), scope(wanted)]).len(), most);
        assert!(wider_or_same(wanted).len() <= wanted.matches(['/', ':']).count() + 2);
    }
}

#[test]
fn scp_12_nobody_uses_what_was_given_to_a_client_without_a_session() {
    let (mut index, scopes) = (GrantIndex::new(), [scope("write:file:/a")]);
    let nobody = Holder::any_client(holder().principal);
    let profile =
        |digest: &str| Holder { client: HolderClient::Profile(digest.to_owned()), ..nobody.clone() };
    let (request, other) = (profile("x"), profile("y"));
    for (number, (who, lifetime)) in [
        (&nobody, GrantLifetime::Session),
        (&nobody, GrantLifetime::Once),
        (&request, GrantLifetime::Session),
    ]
    .into_iter()
    .enumerate()
    {
        let mut given = Grant { holder: who.clone(), ..grant(number, &["write:file:/a"]) };
        given.terms = Terms { lifetime, arguments: Some("digest".to_owned()), ..given.terms };
        index.insert(given);
    }
    for who in [&nobody, &request, &other] {
        let need = Need {
            holder: who,
            server: "files",
            project: None,
            tool: "write",
            tool_digest: "",
            server_digest: "all",
            only_reads: false,
            plan: None,
            scopes: &scopes,
            arguments: "digest",
            own_approval: false,
        };
        assert_eq!(covering(&index, &need, 1), None, "{who:?}");
    }
}

/// A grant for several tools is found for each of them, and ends when any of them changes.
#[test]
fn a_grant_for_several_tools_holds_for_those_tools_as_they_were() {
    let every = super::super::every_scope();
    let wide = |number, tools| {
        let mut grant = grant(number, &[]);
        grant.terms =
            Terms { tools, scopes: every.clone(), tool_digest: Some("all".to_owned()), ..grant.terms };
        grant
    };
    let scopes = [scope("execute:files:other")];
    let (holder, mut index) = (holder(), GrantIndex::new());
    let need = Need {
        holder: &holder,
        server: "files",
        project: Some("/p"),
        tool: "other",
        tool_digest: "t",
        server_digest: "all",
        only_reads: false,
        plan: None,
        scopes: &scopes,
        arguments: "digest",
        own_approval: false,
    };
    index.insert(wide(1, GrantedTools::Reading));
    assert!(covering(&index, &need, 1).is_none());
    assert!(covering(&index, &Need { only_reads: true, ..need }, 1).is_some());
    index.insert(wide(2, GrantedTools::Every));
    assert!(covering(&index, &need, 1).is_some());
    assert!(covering(&index, &Need { server_digest: "changed", only_reads: true, ..need }, 1).is_none());
    assert!(covering(&index, &Need { server: "another", ..need }, 1).is_none());
}

/// Only a yes to its own plan permits a call that is asked about each time; lasting grants don't.
#[test]
fn i_03_no_standing_grant_covers_what_cannot_be_undone() {
    let scopes = [scope("write:file:/a/b")];
    let holder = holder();
    let need = Need {
        holder: &holder,
        server: "files",
        project: None,
        tool: "write",
        tool_digest: "",
        server_digest: "all",
        only_reads: false,
        plan: Some("p"),
        scopes: &scopes,
        arguments: "digest",
        own_approval: true,
    };
    let of = |lifetime, plan: Option<&str>| {
        let mut given = grant(1, &["write:file:/a"]);
        let arguments = (lifetime == GrantLifetime::Once).then(|| "digest".to_owned());
        given.terms = Terms { lifetime, arguments, plan: plan.map(str::to_owned), ..given.terms };
        given
    };
    for lifetime in [GrantLifetime::Session, GrantLifetime::Always] {
        assert!(of(lifetime, None).permits(&Need { own_approval: false, ..need }, 1), "{lifetime}");
        assert!(!of(lifetime, None).permits(&need, 1), "{lifetime}");
    }
    assert!(of(GrantLifetime::Once, Some("p")).permits(&need, 1));
    assert!(!of(GrantLifetime::Once, Some("q")).permits(&need, 1));
    // Without a plan, the person has not seen what would be lost.
    assert!(!of(GrantLifetime::Once, None).permits(&Need { plan: None, ..need }, 1));
}

#[test]
fn what_is_refused_for_good_is_found_and_permits_nothing() {
    let mut index = GrantIndex::new();
    let mut never = grant(1, &["write:file:/a/b"]);
    never.terms = Terms { verdict: GrantVerdict::Refuse, project: Some("/p".to_owned()), ..never.terms };
    index.insert(never);
    let holder = holder();
    let refused = |index: &GrantIndex, wanted: &str, tool: &str, project: Option<&str>| {
        let scopes = [scope(wanted)];
        let need = Need {
            holder: &holder,
            server: "files",
            project,
            tool,
            tool_digest: "whatever it became",
            server_digest: "all",
            only_reads: false,
            plan: None,
            scopes: &scopes,
            arguments: "digest",
            own_approval: false,
        };
        assert!(covering(index, &need, 1).is_none());
        refusing(index, &need, 1).is_some()
    };
    assert!(refused(&index, "write:file:/a/b", "write", Some("/p")));
    assert!(refused(&index, "write:file:/a/b/c", "write", Some("/p")));
    // A change of the folder changes its contents too.
    assert!(refused(&index, "write:file:/a", "write", Some("/p")));
    assert!(!refused(&index, "write:file:/a/c", "write", Some("/p")));
    assert!(!refused(&index, "write:file:/a/b", "other", Some("/p")));
    assert!(!refused(&index, "write:file:/a/b", "write", Some("/q")));
    index.remove(&GrantId("g-1".to_owned()));
    assert!(!refused(&index, "write:file:/a/b", "write", Some("/p")));
}
