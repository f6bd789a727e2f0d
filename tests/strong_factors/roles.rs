//! A role of the support view ends with the last strong factor of its account.

use super::{Factors, Holder, holder};
use crate::support::prelude::*;
use crate::{passkeys, support_view};

/// The ways in which an account loses a strong factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Loss {
    Removal,
    Reset,
    Undo,
}

async fn remove(site: &Site, owner: &Holder, factors: Factors) {
    let browser = &owner.browser;
    if factors.has_app() {
        browser.delete("/second-factor").await.assert_empty();
    }
    if factors.has_passkey() {
        assert_eq!(site.count("support_roles").await, 1, "a factor is left");
        let path = passkeys::first_path(browser).await;
        assert_ok!(browser.delete(&path));
    }
}

async fn reset(site: &Site, owner: &Holder) {
    let browser = &owner.browser;
    assert_status!(browser.post_defaults("/second-factor/reset"), 202);
    site.advance("7d");
    let link = json!({"token": site.last_token_to(&owner.email, "").await});
    let reader = site.browser();
    assert_ok!(reader.post("/second-factor/reset/confirm", &link));
}

async fn audit(site: &Site) -> Vec<(String, Option<String>, Option<String>)> {
    let sql = "SELECT action, operator, reason FROM support_audit";
    let rows = site.rows(sql, &[]).await;
    rows.iter()
        .map(|row| (row.get(0), row.get(1), row.get(2)))
        .collect()
}

// security: LV-5
on_both_databases!(a_role_ends_with_the_last_strong_factor_of_its_account);
async fn a_role_ends_with_the_last_strong_factor_of_its_account(db: Database) {
    for (loss, factors) in [
        (Loss::Removal, Factors::App),
        (Loss::Removal, Factors::Both),
        (Loss::Reset, Factors::Both),
        (Loss::Undo, Factors::Passkey),
    ] {
        let site = support_view::site(&db).await;
        site.advance("1h");
        let name = format!("{loss:?}{factors:?}").to_lowercase();
        let mut owner = holder(&site, &name, Factors::None).await;
        let mut undo = Value::Null;
        if loss == Loss::Undo {
            passkeys::add_passkey(&owner.person.browser, &mut owner.authenticator).await;
            undo = json!({"token": owner.mailed_token().await});
        } else {
            owner = holder(&site, &format!("{name}2"), factors).await;
        }
        support_view::give_role(&site, &owner.name, Some("admin")).await;
        assert_ok!(owner.browser.get("/support/me"));
        let before = audit(&site).await.len();
        match loss {
            Loss::Removal => remove(&site, &owner, factors).await,
            Loss::Reset => reset(&site, &owner).await,
            Loss::Undo => {
                assert_ok!(site.browser().post("/undo-credential", &undo));
            }
        }
        assert_eq!(site.count("support_roles").await, 0, "{loss:?} {factors:?}");
        let entries = audit(&site).await;
        assert_eq!(entries.len(), before + 1, "{entries:?}");
        let reason = "the account has no passkey and no authenticator app";
        let expected = ("revoke".to_owned(), None, Some(reason.to_owned()));
        assert!(entries.contains(&expected), "{entries:?}");
        let mails = site.mails().await;
        let told = mails
            .iter()
            .any(|mail| mail.to == owner.email && mail.subject.contains("support role"));
        assert!(told, "{loss:?} {factors:?}");
        let sql = "DELETE FROM support_audit";
        site.execute(sql, &[]).await;
    }
}
