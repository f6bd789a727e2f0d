//! Several nodes on one database.

use account::error::Code;
use serde_json::json;

use crate::support::{Browser, Database, Site};

fn on(node: &Site, browser: &Browser) -> Browser {
    let other = node.browser();
    for name in ["session", "device"] {
        if let Some(value) = browser.cookie(name) {
            other.set_cookie(name, &value);
        }
    }
    other
}

both!(what_one_node_ends_has_ended_on_all_others);
// security: MN-4
async fn what_one_node_ends_has_ended_on_all_others(db: Database) {
    let (one, two) = (db.site().await, db.site().await);
    let ada = one.signed_in("ada").await;
    let there = on(&two, &ada.browser);
    there.get("/users/me").await.is(200, &ada.me());
    ada.browser.press("/logout").await.is_empty();
    there.get("/users/me").await.refuses(Code::Unauthenticated);
}

both!(one_link_at_all_nodes_at_one_instant_has_one_winner);
// security: MN-3
async fn one_link_at_all_nodes_at_one_instant_has_one_winner(db: Database) {
    let nodes = [db.site().await, db.site().await];
    let ada = nodes[0].member("ada").await;
    for round in 0..4 {
        nodes[0].wait("1h");
        nodes[0]
            .browser()
            .post("/reset-password", &json!({"email": ada.email}))
            .await;
        let token = nodes[0].mail_to(&ada.email).await.token();
        let tries = (0..6).map(|n| {
            let browser = nodes[n % 2].browser();
            let new = format!("Round-{round}-Tree-{n}");
            let form = json!({"token": token, "new_password": new, "confirm_password": new});
            async move {
                browser
                    .post("/reset-password/confirm", &form)
                    .await
                    .status
                    .as_u16()
            }
        });
        let mut statuses = futures_util::future::join_all(tries).await;
        statuses.sort_unstable();
        assert_eq!(statuses, [vec![200], vec![400; 5]].concat());
        nodes[1].mail_to(&ada.email).await;
    }
}

both!(nodes_that_start_at_once_on_an_empty_database_all_start);
// security: MN-7
async fn nodes_that_start_at_once_on_an_empty_database_all_start(db: Database) {
    let (one, two, three) = tokio::join!(db.site(), db.site(), db.site());
    let ada = one.signed_in("ada").await;
    for node in [two, three] {
        on(&node, &ada.browser)
            .get("/users/me")
            .await
            .is(200, &ada.me());
        // The count of under-age tries is signed with the key that they share.
        assert_eq!(node.app.signing_key, one.app.signing_key);
    }
}
