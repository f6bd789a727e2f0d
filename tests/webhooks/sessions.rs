//! `sessions.ended`: every act that ends sessions reports it.

use super::{announcing, deliver, of_type};
use crate::ended_sessions::{ENDS, end, prepare};
use crate::support::Database;

both!(every_action_that_ends_sessions_is_reported);
async fn every_action_that_ends_sessions_is_reported(db: Database) {
    db.ignore_mails();
    let (site, receiver) = announcing(&db).await;
    for (n, act) in ENDS.into_iter().enumerate() {
        let person = site.signed_in(&format!("ada{n}")).await;
        let token = prepare(&site, &person, act).await;
        deliver(&site).await;
        receiver.forget();
        let other = person.browser.copy();
        end(&person, &other, act, token.as_deref()).await;
        deliver(&site).await;
        let told = of_type(&receiver, "sessions.ended");
        let id = &site.user(&person.name).await["id"];
        assert!(!told.is_empty(), "{act:?}");
        for event in told {
            assert_eq!(event["data"]["id"], *id, "{act:?}");
        }
        site.mails().await;
    }
}

both!(a_sign_in_that_replaces_a_session_is_reported_and_an_expiry_is_not);
async fn a_sign_in_that_replaces_a_session_is_reported_and_an_expiry_is_not(db: Database) {
    db.ignore_mails();
    let (site, receiver) = announcing(&db).await;
    let ada = site.signed_in("ada").await;
    deliver(&site).await;
    assert!(of_type(&receiver, "sessions.ended").is_empty());
    let again = ada.browser.post("/login", &ada.credentials()).await;
    assert_eq!(again.status, 200);
    deliver(&site).await;
    assert_eq!(of_type(&receiver, "sessions.ended").len(), 1);
    site.wait("8d");
    assert!(site.sweep().await > 0);
    deliver(&site).await;
    assert_eq!(of_type(&receiver, "sessions.ended").len(), 1);
}
