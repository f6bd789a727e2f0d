//! A session that ends during one of its requests: the request is refused and changes nothing.

use crate::devices::device_id;
use crate::email_change::{change_email, change_link};
use crate::password_change::{change_form, change_password};
use crate::password_reset::confirm_reset;
use crate::support::prelude::*;
use crate::support::{DelayedRequest, eventually};

const NEW_PASSWORD: &str = "Orange-Tree-43";

/// The ways in which a session can end while the server waits for the body of its request.
#[derive(Debug, Clone, Copy)]
pub enum SessionEnd {
    SignOut,
    SignOutEverywhere,
    DeviceSignedOut,
    Reset,
    PasswordChange,
    DeviceRefused,
    Undo,
}

pub const SESSION_ENDS: [SessionEnd; 7] = [
    SessionEnd::SignOut,
    SessionEnd::SignOutEverywhere,
    SessionEnd::DeviceSignedOut,
    SessionEnd::Reset,
    SessionEnd::PasswordChange,
    SessionEnd::DeviceRefused,
    SessionEnd::Undo,
];

/// Prepares the end of the session before its last request begins. Returns the token that ends it, if there is one.
pub async fn prepare_end(person: &Person, end: SessionEnd) -> Option<String> {
    match end {
        SessionEnd::Reset => return Some(person.reset_token(&person.new_browser()).await),
        SessionEnd::DeviceRefused => person.assert_needs_approval(&person.new_browser()).await,
        SessionEnd::Undo => {
            let new = format!("{}-new@example.org", person.name);
            change_email(&person.browser, &new).await;
        }
        _ => return None,
    }
    Some(person.mailed_token().await)
}

pub async fn end_session(person: &Person, other: &Browser, end: SessionEnd, token: Option<&str>) {
    let response = match (end, token) {
        (SessionEnd::SignOut, _) => person.browser.post_empty("/logout").await,
        (SessionEnd::SignOutEverywhere, _) => other.post_empty("/devices/sign-out-all").await,
        (SessionEnd::DeviceSignedOut, _) => {
            let own = json!({"id": device_id(other, true).await});
            other.post("/devices/sign-out", &own).await
        }
        (SessionEnd::Reset, Some(token)) => {
            confirm_reset(&person.new_browser(), token, "Third-Tree-44").await
        }
        (SessionEnd::PasswordChange, _) => change_password(other, PASSWORD, NEW_PASSWORD).await,
        (SessionEnd::DeviceRefused, Some(token)) => {
            person.new_browser().decide_device(token, false).await
        }
        (SessionEnd::Undo, Some(token)) => person.new_browser().undo_email_change(token).await,
        (end, None) => panic!("{end:?} needs a token"),
    };
    assert!(response.status.is_success(), "{end:?}: {}", response.status);
}

/// All rows that a change by a signed-in user could write, and the counters that it could charge.
async fn changeable_state(site: &Site) -> Vec<String> {
    let mut all = Vec::new();
    for (column, table) in [
        ("email || password_hash || email_change_number", "accounts"),
        ("name || last_used_at", "devices"),
        ("purpose || COALESCE(email, '')", "tokens"),
        ("kind || recipient", "outbox"),
        ("created_at || ''", "sessions"),
        ("hits || ''", "limits"),
    ] {
        let sql = format!("SELECT {column} FROM {table}");
        let rows = site.rows(&sql, &[]).await;
        let mut rows: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
        rows.sort();
        all.push(format!("{table}: {rows:?}"));
    }
    all
}

/// The requests of one session whose bodies are not sent yet.
async fn begin_delayed_posts(person: &Person) -> Vec<(&'static str, DelayedRequest)> {
    let browser = &person.browser;
    let own = browser.get_json("/devices").await["devices"][0]["id"].clone();
    let email = format!("thief-of-{}@example.org", person.name);
    let mut held = Vec::new();
    for (path, form) in [
        ("/change-email", json!({"email": email})),
        ("/change-password", change_form(PASSWORD, NEW_PASSWORD)),
        ("/devices/sign-out", json!({"id": own})),
        ("/passkeys/options", json!({})),
        ("/reauthenticate/options", json!({})),
    ] {
        held.push((path, browser.begin_delayed_post(path, &form).await));
    }
    held
}

on_both_databases!(
    a_delayed_request_of_an_ended_session_is_refused,
    a_body_sent_after_the_session_ended_is_refused,
    a_password_change_is_refused_if_its_session_ends_meanwhile,
    a_pending_address_change_ends_with_the_sessions_of_its_account,
);

// The session is checked again in the transaction: it may end between the head of a request and its body.
// security: SE-2, SE-3
async fn a_delayed_request_of_an_ended_session_is_refused(site: Site) {
    for (n, end) in SESSION_ENDS.into_iter().enumerate() {
        let person = site.signed_in(&format!("person{n}")).await;
        let token = prepare_end(&person, end).await;
        let held = begin_delayed_posts(&person).await;
        let other = second_session(&person).await;
        end_session(&person, &other, end, token.as_deref()).await;
        site.mails().await;
        let before = changeable_state(&site).await;
        for (path, held) in held {
            let response = held.send_body().await;
            println!("{end:?} {path}: {}", response.status);
            response.assert_error(ErrorCode::Unauthenticated);
        }
        assert_eq!(changeable_state(&site).await, before, "{end:?}");
        assert!(site.mails().await.is_empty(), "{end:?}");
    }
}

/// Another session of the same device: the same browser after it lost its session cookie.
async fn second_session(person: &Person) -> Browser {
    let other = person.browser.copy();
    other.remove_cookie("session");
    let mut credentials = person.credentials();
    credentials["email"] = person.user().await["email"].clone();
    assert_ok!(other.post("/login", &credentials));
    other
}

async fn a_body_sent_after_the_session_ended_is_refused(db: Database) {
    db.allow_unread_mails();
    let live = db.live_site().await;
    let ada = live.site.signed_in("ada").await;
    let mut client = live.client().await;
    let cookies = format!("session={}", ada.browser.cookie("session").unwrap());
    let body = json!({"email": "thief@example.org"}).to_string();
    client
        .write(format!(
            "POST /account/account-api/change-email HTTP/1.1\r\nHost: localhost:8080\r\n\
             Cookie: {cookies}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
             Sec-Fetch-Site: same-origin\r\nExpect: 100-continue\r\n\r\n",
            body.len()
        ))
        .await;
    // The server sends 100 Continue once the handler reads the body.
    assert_eq!(client.read_response().await.unwrap().status, 100);
    ada.browser.sign_out_everywhere().await;
    client.write(body).await;
    let response = client.read_response().await.unwrap();
    assert_eq!(response.status, 401);
    let tokens = "tokens WHERE purpose = 'email_change'";
    live.site.assert_count(tokens, 0).await;
    assert_eq!(live.site.count("outbox").await, 0);
}

/// A site whose password hashes take long enough for another request to finish meanwhile.
async fn slow_site(db: &Database) -> Site {
    db.site_with(|c| {
        allow_new_devices(c);
        c.password.memory_kib = 32 * 1024;
        c.password.iterations = 12;
        // A hash queued on a busy machine must not be refused.
        c.password.queue_wait = "60s".parse().unwrap();
    })
    .await
}

/// Begins a password change and runs `act` while the passwords are hashed.
async fn during_password_change(
    site: &Site,
    person: &Person,
    act: impl AsyncFnOnce() -> Response,
) -> Response {
    let tab = person.browser.copy();
    let counted = site.count("limits").await;
    let change = tokio::spawn(async move { change_password(&tab, PASSWORD, NEW_PASSWORD).await });
    eventually("the change has charged its limit", async || {
        site.count("limits").await > counted
    })
    .await;
    assert!(act().await.status.is_success());
    change.await.unwrap()
}

async fn a_password_change_is_refused_if_its_session_ends_meanwhile(db: Database) {
    let site = slow_site(&db).await;
    let ada = site.signed_in("ada").await;
    let response = during_password_change(&site, &ada, async || {
        ada.browser.copy().post_empty("/logout").await
    })
    .await;
    response.assert_error(ErrorCode::Unauthenticated);
    assert!(response.set_cookie("session").is_none());
    site.assert_count("sessions", 0).await;

    let bob = site.signed_in("bob").await;
    let undo = prepare_end(&bob, SessionEnd::Undo).await.unwrap();
    assert_refused!(
        during_password_change(&site, &bob, async || {
            bob.new_browser().undo_email_change(&undo).await
        }),
        Unauthenticated
    );
    site.assert_count("sessions", 0).await;
    assert_eq!(site.mails().await.len(), 2);
    for person in [&ada, &bob] {
        let response = person.try_sign_in(&person.browser).await;
        assert_eq!(response.status, 200, "the old password still works");
    }
}

// A thief may have requested the change.
async fn a_pending_address_change_ends_with_the_sessions_of_its_account(site: Site) {
    site.allow_unread_mails();
    for end in [
        SessionEnd::SignOutEverywhere,
        SessionEnd::Reset,
        SessionEnd::PasswordChange,
        SessionEnd::DeviceRefused,
    ] {
        for is_sent in [true, false] {
            let name = format!("{end:?}{is_sent}").to_lowercase();
            let person = site.signed_in(&name).await;
            let other = second_session(&person).await;
            let new = format!("{name}@example.net");
            let mut link = None;
            if is_sent {
                link = Some(change_link(&person.browser, &new).await);
            }
            let token = prepare_end(&person, end).await;
            if !is_sent {
                assert_ok!(person.browser.request_email_change(&new));
            }
            end_session(&person, &other, end, token.as_deref()).await;
            site.assert_count("pending_acts", 0).await;
            let mails = site.mails().await;
            assert!(mails.iter().all(|mail| mail.to != new), "{name}: {mails:?}");
            if let Some(link) = link {
                assert_refused!(site.browser().confirm_email_change(&link), InvalidToken);
            }
        }
    }
}
