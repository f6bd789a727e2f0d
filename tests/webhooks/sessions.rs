//! `sessions.ended`: every act that ends sessions reports it.

use super::{deliver, events_of_type, site_with_receiver};
use crate::ended_sessions::{SESSION_ENDS, end_session, prepare_end};
use crate::prelude::*;

on_both_databases!(
    every_action_that_ends_sessions_is_reported,
    a_sign_in_that_replaces_a_session_is_reported_and_an_expiry_is_not
);

async fn every_action_that_ends_sessions_is_reported(db: Database) {
    db.allow_unread_mails();
    let (site, receiver) = site_with_receiver(&db).await;
    for (n, act) in SESSION_ENDS.into_iter().enumerate() {
        let person = site.signed_in(&format!("ada{n}")).await;
        let token = prepare_end(&person, act).await;
        deliver(&site).await;
        receiver.clear();
        let other = person.browser.copy();
        end_session(&person, &other, act, token.as_deref()).await;
        deliver(&site).await;
        let events = events_of_type(&receiver, "sessions.ended");
        let id = &site.user(&person.name).await["id"];
        assert!(!events.is_empty(), "{act:?}");
        for event in events {
            assert_eq!(event["data"]["id"], *id, "{act:?}");
        }
        site.mails().await;
    }
}

async fn a_sign_in_that_replaces_a_session_is_reported_and_an_expiry_is_not(db: Database) {
    db.allow_unread_mails();
    let (site, receiver) = site_with_receiver(&db).await;
    let ada = site.signed_in("ada").await;
    deliver(&site).await;
    assert!(events_of_type(&receiver, "sessions.ended").is_empty());
    assert_status!(ada.try_sign_in(&ada.browser), 200);
    deliver(&site).await;
    assert_eq!(events_of_type(&receiver, "sessions.ended").len(), 1);
    site.advance("8d");
    assert!(site.run_expiry().await > 0);
    deliver(&site).await;
    assert_eq!(events_of_type(&receiver, "sessions.ended").len(), 1);
}
