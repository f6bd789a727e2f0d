//! Authorization: the role matrix, the assurance level, idle sessions, and requests that must not grant a role.

use account::testing::error::ErrorCode;
use axum::http::Method;

use super::{act_on_account, agent, find_account, give_role, id_of, site};
use crate::nodes::browser_on_node;
use crate::passkeys::{self, person_with_passkey};
use crate::prelude::*;
use crate::support::authenticator::Authenticator;
use crate::support::routes;

on_both_databases!(
    each_role_gets_exactly_its_routes,
    the_view_is_only_on_its_host_and_in_its_networks,
    the_view_requires_assurance_level_2_and_use_within_15_minutes,
    a_password_does_not_wake_the_view_of_an_agent_with_a_passkey,
    no_request_can_grant_a_role,
    agents_cannot_act_on_an_account_with_a_role
);

const ID: &str = "0190b0a0-0000-7000-8000-000000000000";

/// The expected status of a route for each role, and a body that the route accepts.
fn expected_statuses(method: &str, path: &str) -> (Value, u16, u16) {
    let reason = json!({"reason": "ticket 17"});
    let resend = json!({"kind": "reset", "reason": "ticket 17"});
    let route = path.replace(ID, "{id}");
    match (method, route.as_str()) {
        ("GET", "/support/me") => (Value::Null, 200, 200),
        ("GET", "/support/accounts") => (Value::Null, 200, 200),
        ("GET", "/support/accounts/{id}/activity") => (Value::Null, 200, 200),
        ("GET", "/support/accounts/{id}/mails") => (Value::Null, 200, 200),
        ("GET", "/support/audit") => (Value::Null, 404, 200),
        ("POST", "/support/accounts/{id}/resend") => (resend, 202, 202),
        ("POST", "/support/accounts/{id}/sign-out") => (reason, 204, 204),
        // Allowed, but there is nothing to cancel.
        ("POST", "/support/accounts/{id}/cancel-deletion") => (reason, 409, 409),
        ("POST", "/support/accounts/{id}/disable") => (reason, 404, 204),
        ("POST", "/support/accounts/{id}/enable") => (reason, 404, 204),
        other => panic!("a route without a row in the matrix: {other:?}"),
    }
}

async fn call_route(browser: &Browser, method: &str, path: &str, body: &Value) -> Response {
    match method {
        "GET" => browser.get(path).await,
        _ => browser.post(path, body).await,
    }
}

/// The response for an address that does not exist.
async fn unknown_response(browser: &Browser, method: &str) -> Response {
    call_route(browser, method, "/support/nothing", &json!({})).await
}

#[track_caller]
fn assert_same_response(response: &Response, unknown: &Response, what: &str) {
    let headers = |response: &Response| {
        let mut headers = response.headers.clone();
        headers.remove("x-request-id");
        headers
    };
    assert_eq!(response.status, 404, "{what}");
    assert_eq!(response.text(), unknown.text(), "{what}");
    assert_eq!(headers(response), headers(unknown), "{what}");
}

/// All routes of the support view, with the id and the query of an account.
fn all_routes(id: &str) -> Vec<(String, String, routes::Route)> {
    let found = routes::with_support().into_iter();
    let found = found.filter(|route| route.path.starts_with("/support/"));
    let found: Vec<_> = found
        .map(|route| {
            let path = route.path.replace(ID, id);
            let path = match path.as_str() {
                "/support/accounts" => "/support/accounts?query=target".to_owned(),
                _ => path,
            };
            (route.method.clone(), path, route)
        })
        .collect();
    assert_eq!(found.len(), 10);
    found
}

// security: AD-1
async fn each_role_gets_exactly_its_routes(db: Database) {
    let site = site(&db).await;
    site.member("target").await;
    let id = id_of(&site, "target").await;
    let anonymous = site.browser();
    let holder = crate::second_factor::person_with_second_factor(&site, "holder").await;
    let revoked = agent(&site, "revoked", "admin").await;
    assert_status!(revoked.get("/support/me"), 200);
    give_role(&site, "revoked", None).await;
    let support = agent(&site, "support1", "support").await;
    let admin = agent(&site, "admin1", "admin").await;
    for (method, path, route) in all_routes(&id) {
        let (body, for_support, for_admin) = expected_statuses(&method, &route.path);
        for (who, browser) in [
            ("anonymous", &anonymous),
            ("holder", &holder.person.browser),
            ("revoked", &revoked),
        ] {
            // Neither a wrong body nor a wrong method nor a slash tells that the route exists.
            let other = if method == "GET" { "POST" } else { "GET" };
            let with_slash = format!("{}/", path.split('?').next().unwrap());
            for (method, path, body) in [
                (&*method, &path, &body),
                (&method, &path, &json!({"reason": 7})),
                (other, &path, &json!({})),
                (&method, &with_slash, &json!({})),
            ] {
                let response = call_route(browser, method, path, body).await;
                let unknown = unknown_response(browser, method).await;
                assert_same_response(&response, &unknown, &format!("{who} {method} {path}"));
            }
        }
        for (who, browser, status) in [
            ("support", &support, for_support),
            ("admin", &admin, for_admin),
        ] {
            let response = call_route(browser, &method, &path, &body).await;
            assert_eq!(
                response.status,
                status,
                "{who} {method} {path}: {}",
                response.text()
            );
            if status == 404 {
                assert_same_response(&response, &unknown_response(browser, &method).await, &path);
            }
            // security: AD-3
            assert_eq!(response.set_cookies().count(), 0, "{who} {path}");
            if method == "POST" && response.status.is_success() {
                assert_eq!(response.text(), "", "{who} {path}");
            }
        }
    }
}

// security: AD-1
async fn the_view_is_only_on_its_host_and_in_its_networks(db: Database) {
    let on = site(&db).await;
    let admin = agent(&on, "admin1", "admin").await;
    let request = admin.fetch(Method::GET, "/support/me");
    assert_refused!(
        admin.send(request.header("host", "127.0.0.1:8080")),
        NotFound
    );
    admin
        .get("/support/me")
        .await
        .assert_json(200, &json!({"username": "admin1", "role": "admin"}));
    let off = db.site().await;
    let outside = db
        .site_with(|c| {
            c.support.enabled = true;
            c.support.networks = account::config::List(vec!["192.0.2.0/24".parse().unwrap()]);
        })
        .await;
    for (site, status) in [(&off, 404), (&outside, 404), (&on, 200)] {
        let there = browser_on_node(site, &admin);
        assert_status!(there.get("/support/me"), status);
    }
    let inside = browser_on_node(&outside, &admin).moved_to("192.0.2.77");
    assert_status!(inside.get("/support/me"), 200);
}

// security: AD-5
async fn the_view_requires_assurance_level_2_and_use_within_15_minutes(db: Database) {
    let site = site(&db).await;
    let plain = site.signed_in("plain").await;
    give_role(&site, "plain", Some("admin")).await;
    let refusal = plain.browser.get("/support/me").await;
    let body = refusal.assert_error_with_data(ErrorCode::ReauthenticationRequired);
    assert_eq!(
        body["methods"],
        json!([]),
        "a password does not lead to level 2"
    );

    let holder = crate::second_factor::person_with_second_factor(&site, "admin1").await;
    give_role(&site, "admin1", Some("admin")).await;
    let admin = &holder.person.browser;
    // Use keeps the session of the view alive.
    for _ in 0..3 {
        assert_status!(admin.get("/support/me"), 200);
        site.advance("14m");
    }
    assert_status!(admin.get("/support/me"), 200);
    site.advance("15m");
    let refusal = admin.get("/support/me").await;
    let body = refusal.assert_error_with_data(ErrorCode::ReauthenticationRequired);
    assert_eq!(body["methods"], json!(["password", "totp"]));
    // Another use of the site does not wake it.
    assert_status!(admin.get("/users/me"), 200);
    admin
        .get("/support/audit")
        .await
        .assert_error_with_data(ErrorCode::ReauthenticationRequired);
    let proof = json!({"password": PASSWORD, "code": holder.app.code(site.now())});
    admin.reauthenticate(&proof).await;
    assert_status!(admin.get("/support/me"), 200);
}

// security: AD-5
async fn a_password_does_not_wake_the_view_of_an_agent_with_a_passkey(db: Database) {
    db.allow_unread_mails();
    let site = site(&db).await;
    let mut phone = Authenticator::synced();
    let agent = person_with_passkey(&site, "agent1", &mut phone).await;
    give_role(&site, "agent1", Some("admin")).await;
    assert_status!(passkeys::sign_in(&agent.browser, &mut phone), 200);
    assert_status!(agent.browser.get("/support/me"), 200);
    site.advance("15m");
    let proof = json!({"password": PASSWORD});
    agent.browser.reauthenticate(&proof).await;
    let refused = agent.browser.get("/support/me").await;
    let refused = refused.assert_error_with_data(ErrorCode::ReauthenticationRequired);
    assert_eq!(refused["methods"], json!(["passkey"]));
    let options = passkeys::reauthentication_options(&agent.browser).await;
    let proof = phone.assertion_response(&options);
    agent.browser.reauthenticate(&proof).await;
    assert_status!(agent.browser.get("/support/me"), 200);
}

// security: AD-2
async fn no_request_can_grant_a_role(db: Database) {
    let site = site(&db).await;
    let wish = json!({"role": "admin", "support_role": "admin", "roles": ["admin"]});
    let browser = site.browser();
    assert_status!(browser.post("/register", &form_with("eve", &wish)), 201);
    site.mails().await;
    let eve = site.signed_in("mallory").await.browser;
    for route in routes::with_support() {
        let path = route.path.replace(ID, &id_of(&site, "mallory").await);
        call_route(&eve, &route.method, &path, &wish).await;
    }
    let mut old = crate::old_accounts::old("oldie");
    old["role"] = "admin".into();
    site.import_accounts(&[old]).await;
    site.assert_count("support_roles", 0).await;
}

async fn agents_cannot_act_on_an_account_with_a_role(db: Database) {
    let site = site(&db).await;
    let admin = agent(&site, "admin1", "admin").await;
    agent(&site, "support1", "support").await;
    let id = id_of(&site, "support1").await;
    for action in ["sign-out", "cancel-deletion", "disable", "enable"] {
        assert_refused!(act_on_account(&admin, &id, action), NotAllowed);
    }
    let body = json!({"kind": "reset", "reason": "x"});
    assert_refused!(
        admin.post(&format!("/support/accounts/{id}/resend"), &body),
        NotAllowed
    );
    // Looking is allowed.
    assert_eq!(
        find_account(&admin, "support1").await["username"],
        "support1"
    );
}
