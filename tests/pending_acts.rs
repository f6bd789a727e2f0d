//! Acts that wait: who is told of them, who stops them, and for how long.

use account::config::Config;

use crate::deletion::deletes_after_a_year;
use crate::email_change::change_email;
use crate::support::eventually;
use crate::support::prelude::*;

on_both_databases!(
    the_five_earliest_mailboxes_are_told,
    a_former_mailbox_is_told_of_the_deletion_of_an_inactive_account,
);

async fn the_five_earliest_mailboxes_are_told(Unlimited(site): Unlimited) {
    site.allow_unread_mails();
    let ada = site.signed_in("ada").await;
    let mailboxes = (1..=7).map(|nth| format!("thief{nth}@example.net"));
    let mut mailboxes: Vec<_> = mailboxes.collect();
    for mailbox in &mailboxes {
        change_email(&ada.browser, mailbox).await;
        site.mails().await;
        site.advance("1m");
    }
    assert_status!(ada.browser.post_defaults("/delete-account"), 202);
    let mails = site.mails().await;
    let mut told: Vec<_> = mails.into_iter().map(|mail| mail.to).collect();
    told.sort_unstable();
    // The current one, too.
    mailboxes.drain(4..6);
    mailboxes.insert(0, ada.email);
    assert_eq!(told, mailboxes);
}

async fn a_former_mailbox_is_told_of_the_deletion_of_an_inactive_account(db: Database) {
    db.allow_unread_mails();
    let year = |config: &mut Config| {
        deletes_after_a_year(config);
        config.lifetimes.email_undo = "310d".parse().unwrap();
    };
    let (site, ada) = db.site_with_ada(year).await;
    let new = "new@example.net";
    change_email(&ada.browser, new).await;
    let undo = ada.mailed_token().await;
    site.advance("306d");
    site.run_deletion().await;
    let mut told = Vec::new();
    for wait in ["0s", "30d", "23d"] {
        site.advance(wait);
        let mut mails = site.mails().await;
        mails.sort_by_key(|mail| mail.to == new);
        let to: Vec<_> = mails.iter().map(|mail| &*mail.to).collect();
        assert_eq!(to, [&*ada.email, new], "{wait}");
        mails[0].assert_subject_contains("unused");
        told.push(mails[0].token());
    }
    assert_ok!(site.browser().undo_email_change(&undo));
    assert_refused!(site.browser().undo_credential(&told[0]), InvalidToken);
    site.advance("7d");
    assert_eq!(site.run_deletion().await, 0);
    assert_eq!(ada.user().await["email"], ada.email);
}

// PostgreSQL reads the other tables of a statement as they were before it waited for a lock.
on_postgres!(a_sign_in_that_waited_for_the_account_sees_the_deletion);
async fn a_sign_in_that_waited_for_the_account_sees_the_deletion((site, ada): (Site, Person)) {
    site.allow_unread_mails();
    let id = site.id_of("ada").await;
    let mut tx = site.app.store.write().await.unwrap();
    let sql = "UPDATE accounts SET change_number = change_number + 1 WHERE id = $1";
    tx.execute(sql, params![id]).await.unwrap();
    let due_at = site.now() + 1_000_000;
    let sql = "INSERT INTO pending_acts (account_id, act, number, requested_at, due_at)
               VALUES ($1, 'deletion', $2, $2, $2)";
    tx.execute(sql, params![id, due_at]).await.unwrap();
    let own = tx.rows("SELECT pg_backend_pid()::bigint", &[]).await;
    let blocked = format!(
        "pg_stat_activity WHERE {} = ANY(pg_blocking_pids(pid))",
        own.unwrap()[0].get::<i64>(0)
    );
    let (browser, credentials) = (ada.browser.copy(), ada.credentials());
    let sign_in = tokio::spawn(async move { browser.post("/login", &credentials).await });
    eventually("the sign-in waits", async || site.count(&blocked).await > 0).await;
    tx.commit().await.unwrap();
    let refused = sign_in.await.unwrap();
    refused.assert_error_with_data(ErrorCode::DeletionPending);
}
