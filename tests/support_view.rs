//! The support view: its roles, its lookups and actions, and their records in the audit and in the activity.

mod accounts;
mod page;
mod refusals;
mod roles;

use account::params;

use crate::prelude::*;
use crate::second_factor;

pub async fn site(db: &Database) -> Site {
    db.allow_unread_mails();
    db.site_set("support.enabled = true").await
}

/// Changes the database as `account support grant` does.
pub async fn give_role(site: &Site, name: &str, role: Option<&str>) {
    let sql = "DELETE FROM support_roles WHERE account_id IN (SELECT id FROM accounts WHERE username = $1)";
    site.execute(sql, params![name]).await;
    if let Some(role) = role {
        let sql = "INSERT INTO support_roles (account_id, role, granted_at)
                   SELECT id, $1, 0 FROM accounts WHERE username = $2";
        site.execute(sql, params![role, name]).await;
    }
}

/// A browser of an agent at assurance level 2.
pub async fn agent(site: &Site, name: &str, role: &str) -> Browser {
    let member = second_factor::person_with_second_factor(site, name).await;
    give_role(site, name, Some(role)).await;
    member.person.browser
}

/// A second later than the call before, because the audit is ordered by time.
pub async fn find_account(agent: &Browser, query: &str) -> Value {
    agent.site.advance("1s");
    let query: String = url::form_urlencoded::byte_serialize(query.as_bytes()).collect();
    let response = assert_status!(agent.get(&format!("/support/accounts?query={query}")), 200);
    response.json()["account"].clone()
}

/// A second later than the call before.
pub async fn act_on_account(agent: &Browser, id: &str, action: &str) -> Response {
    agent.site.advance("1s");
    let body = json!({"reason": "ticket 17"});
    agent
        .post(&format!("/support/accounts/{id}/{action}"), &body)
        .await
}

pub async fn id_of(site: &Site, name: &str) -> String {
    site.user(name).await["id"].text().to_owned()
}
