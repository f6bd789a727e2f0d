//! The undo link of an address change: its mails and its answer. `who_wins` and `undo_leaves_nothing` have its effect.

use account::testing::accounts::set_email;
use account::testing::outbox::queues;
use uuid::Uuid;

use super::{NEW, PendingChange, assert_undo_mails, change_email, confirm_change};
use crate::old_accounts::old;
use crate::passkeys::add_passkey;
use crate::password_change::change_password;
use crate::password_reset::confirm_reset;
use crate::support::mails::Mail;
use crate::support::prelude::*;
use crate::support::smtp::Smtp;

on_both_databases!(
    confirming_a_change_mails_an_undo_link_to_the_old_address,
    an_undo_takes_effect_while_another_account_has_the_old_address,
    a_mail_retry_makes_no_link_for_an_undone_change,
    an_undo_tells_no_other_former_mailbox,
    no_change_prolongs_the_power_of_a_former_mailbox,
    the_changes_of_a_waiting_account_have_an_order_of_their_own,
);

// security: SE-9
async fn confirming_a_change_mails_an_undo_link_to_the_old_address(
    PendingChange(_, ada, token): PendingChange,
) {
    let phone = ada.new_browser();
    for _ in 0..2 {
        confirm_change(&phone, &token, NEW).await;
    }
    assert_eq!(ada.user().await["email"], NEW);
    ada.assert_still_signed_in().await;
    assert_refused!(ada.try_sign_in(&ada.browser), InvalidCredentials);

    let notice = ada.mail().await;
    assert!(notice.link().contains("/account/change-email?undo="));
    assert!(!notice.text.contains(NEW) && notice.text.contains("n…@e….org"));
    let restored = json!({
        "message": "Your previous email address is back. Please sign in again.",
        "email": ada.email,
        "taken": false,
        "remaining": {"passkeys": [], "second_factor": false},
    });
    assert_json!(phone.undo_email_change(&notice.token()), 200, &restored);
    assert_refused!(phone.undo_email_change(&notice.token()), InvalidToken);
    ada.browser.assert_signed_out().await;
    assert_undo_mails(&ada, NEW).await;
    // Only the browser that opened the undo link is a trusted device now.
    ada.sign_in(&phone).await;
    ada.assert_needs_approval(&ada.browser).await;
    ada.mail().await;
}

// security: SE-9
async fn an_undo_takes_effect_while_another_account_has_the_old_address(site: Site) {
    let (ada, bob) = (site.signed_in("ada").await, site.signed_in("bob").await);
    change_email(&ada.browser, NEW).await;
    let token = ada.mailed_token().await;
    change_email(&bob.browser, &ada.email).await;
    bob.mail().await;
    let owner = ada.new_browser();
    let undone = json!({
        "message": "The change is undone, and every device is signed out. But your address belongs to another \
            account now: we’ve sent you an email about how to get your account back.",
        "email": ada.email,
        "taken": true,
        "remaining": {"passkeys": [], "second_factor": false},
    });
    assert_json!(owner.undo_email_change(&token), 200, &undone);
    ada.browser.assert_signed_out().await;
    bob.assert_still_signed_in().await;
    let mut mails = site.mails().await;
    mails.sort_by(|a, b| a.to.cmp(&b.to));
    let seen: Vec<_> = mails.iter().map(|m| (&*m.to, &*m.subject)).collect();
    let no_longer = "An account at localhost no longer uses this address";
    let choose = "Choose a new password for localhost";
    assert_eq!(seen, [(&*ada.email, choose), (NEW, no_longer)]);
    let text = &mails[0].text;
    assert!(text.contains("once, for 7 days"), "{text}");
    // Days later the address is free, and the link still works.
    let link = mails[0].token();
    let new = "Cherry-Tree-44";
    assert_code!(confirm_reset(&owner, &link, new), AccountExists);
    change_email(&bob.browser, &bob.email).await;
    site.advance("6d");
    assert_ok!(confirm_reset(&owner, &link, new));
    assert_eq!(ada.user().await["email"], ada.email);
    ada.sign_in_with(&owner, new).await;
    site.mails().await;
}

// The notice may go to an address of a thief, who must not get a link that reverts the undo.
async fn a_mail_retry_makes_no_link_for_an_undone_change(db: Database) {
    let smtp = Smtp::start().await;
    let (site, ada) = db.site_with_signed_in("ada").await;
    change_email(&ada.browser, "b@example.org").await;
    let first = ada.mailed_token().await;
    let sending = db.site_with_mail_server(&smtp).await;
    change_email(&ada.browser, "c@example.org").await;
    smtp.greylist("b@example.org", 2);
    assert_eq!(queues::drain_mails(&sending.app).await.unwrap(), 1);
    assert_ok!(ada.new_browser().undo_email_change(&first));
    for _ in 0..30 {
        site.advance("10m");
        queues::drain_mails(&sending.app).await.unwrap();
    }
    let received = smtp.received();
    let undo_links = received.iter().filter(|mail| mail.undo_token().is_some());
    assert_eq!(undo_links.count(), 0);
    site.assert_count(
        "tokens WHERE purpose = 'email_undo' AND spent_at IS NULL",
        0,
    )
    .await;
    let mut to: Vec<_> = received.iter().map(|mail| mail.to.join(" ")).collect();
    to.sort();
    assert_eq!(
        to,
        ["ada@example.org", "c@example.org"],
        "the notices of the undo"
    );
}

async fn an_undo_tells_no_other_former_mailbox((site, ada): (Site, Person)) {
    change_email(&ada.browser, "b@example.org").await;
    ada.mail().await;
    change_email(&ada.browser, "c@example.org").await;
    let undo = site.mail_to("b@example.org").await.token();
    add_passkey(&ada.browser, &mut Authenticator::synced()).await;
    let is_told = |mail: &Mail| mail.to == ada.email;
    assert!(site.mails().await.iter().any(is_told));
    assert_status!(ada.new_browser().undo_email_change(&undo), 200);
    assert!(!site.mails().await.iter().any(is_told));
}

async fn no_change_prolongs_the_power_of_a_former_mailbox((site, ada): (Site, Person)) {
    change_email(&ada.browser, "b@example.org").await;
    ada.mail().await;
    for _ in 0..2 {
        site.advance("3d");
        ada.browser.get("/users/me").await;
    }
    // The mail about the earlier change is still queued.
    for (old, new) in [
        (PASSWORD, "Cherry-Tree-44"),
        ("Cherry-Tree-44", "Cherry-Tree-45"),
    ] {
        assert_status!(change_password(&ada.browser, old, new), 200);
    }
    let mails = site.mails().await;
    site.advance("2d");
    let told: Vec<_> = mails.iter().filter(|mail| mail.to == ada.email).collect();
    assert_eq!(told.len(), 2);
    for mail in told {
        let undone = ada.new_browser().undo_credential(&mail.token()).await;
        undone.assert_error(ErrorCode::InvalidToken);
    }
}

async fn the_changes_of_a_waiting_account_have_an_order_of_their_own(site: Site) {
    site.import_accounts(&[old("ada")]).await;
    let sql = "SELECT id FROM legacy_accounts";
    let id: Uuid = site.rows(sql, &[]).await[0].get(0);
    let mut undo_links = Vec::new();
    for (former, new) in [("ada", "b"), ("b", "c")] {
        set_email(&site.app, id, &format!("{new}@example.org"))
            .await
            .unwrap();
        let former = format!("{former}@example.org");
        let mails = site.mails().await;
        let notice = mails.iter().find(|mail| mail.to == former).unwrap();
        undo_links.push(notice.token());
        site.set_clock_back("1ms");
    }
    assert_status!(site.browser().undo_email_change(&undo_links[0]), 200);
    assert_refused!(
        site.browser().undo_email_change(&undo_links[1]),
        InvalidToken
    );
    site.mails().await;
}
