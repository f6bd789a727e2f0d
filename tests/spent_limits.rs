//! Limits that a thief with a stolen session has used up, and what the owner can still do.

use account::config::NewDevice;
use account::testing::rate_limit::{LimitName, Spender, SubjectKind};

use crate::limits::until_limited;
use crate::passkeys;
use crate::password_change::change_password;
use crate::support::prelude::*;

/// Uses up the limits that a session whose proof may be old can use up.
async fn spend_as_session(thief: &Browser) {
    until_limited(async |n| {
        let choice = json!({"consent": n % 2 == 0});
        thief.put("/marketing-consent", &choice).await
    })
    .await;
    until_limited(async |_| change_password(thief, "Wrong-Tree-41", "Orange-Tree-43").await).await;
    // The wrong passwords above also count for the device, so the first attempts are refused for this reason.
    let wrong = json!({"password": "Wrong-Tree-41"});
    for _ in 0..6 {
        assert_refused!(thief.post("/reauthenticate", &wrong), RateLimited);
    }
}

/// Uses up the limits that may need a recent proof of identity.
async fn spend_as_prover(thief: &Browser) {
    until_limited(async |_| thief.post_defaults("/second-factor/totp").await).await;
    until_limited(async |_| thief.get("/data-export").await).await;
    until_limited(async |n| {
        thief
            .request_email_change(&format!("t{n}@example.net"))
            .await
    })
    .await;
}

/// The limits by account or device that were hit, by the metric.
async fn spent(site: &Site) -> Vec<LimitName> {
    let seen = site.scrape().await;
    let was_hit = |limit: &LimitName| {
        let sample = format!("account_limits_hit_total{{limit=\"{}\"}}", limit.as_str());
        seen.text.contains(&sample)
    };
    LimitName::ALL.iter().copied().filter(was_hit).collect()
}

async fn sign_in_event_of(owner: &Browser, is_current: bool) -> Value {
    let events = owner.get_json("/activity?limit=100").await;
    let mut events = events["events"].as_array().unwrap().iter();
    let found = events.find(|event| event["kind"] == "signed_in" && event["current"] == is_current);
    found.unwrap()["id"].clone()
}

// security: RL-12
on_both_databases!(a_stolen_session_uses_up_no_limit_that_its_owner_needs);
async fn a_stolen_session_uses_up_no_limit_that_its_owner_needs(db: Database) {
    db.allow_unread_mails();
    let site = db
        .site_with(|c| c.security.new_device = NewDevice::Notify)
        .await;
    for (name, is_fresh) in [("ada", false), ("kim", true)] {
        let owner = site.signed_in(name).await;
        let mut authenticator = Authenticator::synced();
        passkeys::add_passkey(&owner.browser, &mut authenticator).await;
        let undo = site.last_token_to(&owner.email, "").await;
        // The thief has a copy of a session that the owner began on another device.
        let thief = owner.new_browser();
        let signed_in = passkeys::sign_in(&thief, &mut authenticator).await;
        assert_eq!(signed_in.status, 200);
        if is_fresh {
            spend_as_prover(&thief).await;
        }
        site.advance("10m");
        spend_as_session(&thief).await;
        assert_owner_is_protected(&owner.browser, &mut authenticator, &thief, &undo).await;
    }
    let spent = spent(&site).await;
    for limit in LimitName::ALL.iter().copied() {
        let is_own = matches!(limit.subject(), SubjectKind::Account | SubjectKind::Device);
        let must_be_spent = match limit {
            // The limit of the attempts is reached before the limit of wrong passwords on the device.
            LimitName::FailedSignInOn | LimitName::FailedSignInStreakOn => false,
            LimitName::CredentialChange | LimitName::Export => true,
            _ => is_own && limit.spent_by() == Spender::Session,
        };
        assert!(spent.contains(&limit) || !must_be_spent, "{limit:?}");
    }
}

async fn assert_owner_is_protected(
    own: &Browser,
    authenticator: &mut Authenticator,
    thief: &Browser,
    undo: &str,
) {
    passkeys::reauthenticate(own, authenticator).await;
    own.delete("/second-factor").await.assert_empty();
    let cancelled = own.delete("/change-email").await.status;
    assert!(cancelled.is_success(), "{cancelled}");

    let sign_in = sign_in_event_of(own, false).await;
    let path = format!("/activity/{}/not-me", sign_in.as_str().unwrap());
    assert_ok!(own.post_empty(&path));
    thief.assert_signed_out().await;
    let events = own.get_json("/activity").await;
    assert_ok!(own.post_empty(&path));
    let repeated = own.get_json("/activity").await;
    assert_eq!(repeated, events, "a repeat is no event");

    let passkeys = own.get_json("/passkeys").await;
    let passkey = passkeys["passkeys"][0]["id"].as_str().unwrap();
    assert_ok!(own.delete(&format!("/passkeys/{passkey}")));
    own.reauthenticate(&json!({"password": PASSWORD})).await;
    assert_ok!(change_password(own, PASSWORD, "Orange-Tree-43"));
    own.sign_out_everywhere().await;
    assert_ok!(own.undo_credential(undo));
}
