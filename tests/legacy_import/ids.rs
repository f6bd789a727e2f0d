//! The id of the older system decides which account a row describes.

use account::testing::legacy::import::{ImportOptions, ImportReport};
use serde_json::{Value, json};

use super::{counts_of, json_lines, read_rejects};
use crate::migration::confirm;
use crate::old_accounts::{import_options, old, old_with, write_file};
use crate::support::{Database, Site};

/// An export with these ids and the names in their addresses.
fn export(people: &[(&str, &str)]) -> Vec<Value> {
    people
        .iter()
        .map(|(id, name)| {
            old_with(
                name,
                &json!({"legacy_id": id, "username": format!("person{id}")}),
            )
        })
        .collect()
}

fn options(db: &Database, rows: &[Value], batch: usize) -> ImportOptions {
    let file = write_file(db.folder(), "old.jsonl", &json_lines(rows));
    import_options(file, batch)
}

async fn import(site: &Site, db: &Database, people: &[(&str, &str)]) -> ImportReport {
    let options = options(db, &export(people), 100);
    site.import(&options).await
}

/// The ids with their addresses, sorted.
async fn stored(site: &Site) -> Vec<(String, String)> {
    let sql = "SELECT legacy_id, email FROM legacy_accounts ORDER BY legacy_id, email";
    let rows = site.rows(sql, &[]).await;
    rows.iter().map(|row| (row.get(0), row.get(1))).collect()
}

fn pairs(people: &[(&str, &str)]) -> Vec<(String, String)> {
    let pair = |(id, name): &(&str, &str)| (id.to_string(), format!("{name}@example.org"));
    people.iter().map(pair).collect()
}

on_both_databases!(a_new_address_of_an_id_replaces_the_old_one);
async fn a_new_address_of_an_id_replaces_the_old_one(db: Database) {
    let site = db.site().await;
    import(&site, &db, &[("7", "before")]).await;
    let request = async |name: &str| {
        let email = format!("{name}@example.org");
        let browser = site.browser();
        browser.post("/migration", &json!({"email": email})).await;
        site.mail_to(&email).await.token()
    };
    let old_link = request("before").await;
    let outcome = import(&site, &db, &[("7", "after")]).await;
    let updated = json!({"read": 1, "updated": 1});
    assert_eq!(counts_of(&outcome), updated);
    assert_eq!(stored(&site).await, pairs(&[("7", "after")]));
    let unchanged = import(&site, &db, &[("7", "after")]).await.counts.unchanged;
    assert_eq!(unchanged, 1);
    let browser = site.browser();
    assert_refused!(confirm(&browser, &old_link, "Orange-Tree-42"), InvalidToken);
    let link = request("after").await;
    assert_status!(confirm(&browser, &link, "Orange-Tree-42"), 200);
    // The migrated account stays, whatever the address of a newer export is.
    for name in ["after", "later"] {
        let counts = import(&site, &db, &[("7", name)]).await.counts;
        assert_eq!((counts.already_migrated, counts.rejected), (1, 0), "{name}");
    }
    assert_eq!(site.count("legacy_accounts").await, 1);
}

on_both_databases!(a_moved_account_is_invited_at_its_new_address);
async fn a_moved_account_is_invited_at_its_new_address(db: Database) {
    let site = db.site().await;
    import(&site, &db, &[("7", "before"), ("8", "same")]).await;
    let sql = "UPDATE legacy_accounts SET invited_at = 1, bounced_at = 2, unsubscribed_at = 3";
    site.execute(sql, &[]).await;
    let mut rows = export(&[("7", "after"), ("8", "same")]);
    rows[1]["zipcode"] = json!("20095");
    let outcome = site.import(&options(&db, &rows, 100)).await;
    assert_eq!(outcome.counts.updated, 2);
    for (name, invited, bounced) in [("after", None, None), ("same", Some(1), Some(2))] {
        let email = format!("{name}@example.org");
        assert_eq!(site.legacy_timestamp("invited_at", &email).await, invited);
        assert_eq!(site.legacy_timestamp("bounced_at", &email).await, bounced);
        assert_eq!(
            site.legacy_timestamp("unsubscribed_at", &email).await,
            Some(3)
        );
    }
}

on_both_databases!(a_row_that_contradicts_the_stored_accounts_is_rejected_each_time);
async fn a_row_that_contradicts_the_stored_accounts_is_rejected_each_time(db: Database) {
    let site = db.site().await;
    site.member("member").await;
    import(&site, &db, &[("7", "ada"), ("8", "bob")]).await;
    let before = stored(&site).await;
    for (people, rejected) in [
        // The address of another id.
        (&[("9", "ada")][..], 1),
        // A new address that another id, or an account here, has.
        (&[("7", "bob")], 1),
        (&[("7", "member")], 1),
        // Neither address is free before the other row is written.
        (&[("7", "bob"), ("8", "ada")], 2),
    ] {
        for _ in 0..2 {
            let outcome = import(&site, &db, people).await;
            let counts = json!({"read": people.len(), "rejected": rejected});
            assert_eq!(counts_of(&outcome), counts, "{people:?}");
            let text = std::fs::read_to_string(&outcome.rejects).unwrap();
            let conflicts = text.matches(r#""code":"legacy_id_conflict""#);
            assert_eq!(conflicts.count(), rejected);
            assert_eq!(stored(&site).await, before);
        }
    }
}

on_both_databases!(an_address_can_pass_from_one_person_to_the_next);
async fn an_address_can_pass_from_one_person_to_the_next(db: Database) {
    let site = db.site().await;
    for (round, batch) in [1, 2, 100].into_iter().enumerate() {
        let name = |n: usize| format!("mail{}", round * 10 + n);
        let id = |n: usize| format!("{round}-{n}");
        let people = |shift: usize| -> Vec<Value> {
            let names: Vec<_> = (0..3).map(|n| (id(n), name(n + shift))).collect();
            let names: Vec<_> = names
                .iter()
                .map(|(id, name)| (id.as_str(), name.as_str()))
                .collect();
            export(&names)
        };
        site.import(&options(&db, &people(0), batch)).await;
        let mut moved = people(1);
        moved.push(export(&[(&id(9), &name(0))]).remove(0));
        let newer = options(&db, &moved, batch);
        let counts = json!({"read": 4, "new": 1, "updated": 3});
        assert_eq!(counts_of(&site.import(&newer).await), counts);
        assert!(read_rejects(&newer.file).is_empty());
        let again = site.import(&newer).await;
        assert_eq!(again.counts.unchanged, 4, "batches of {batch}");
    }
}

on_both_databases!(an_id_occurs_once_in_a_file);
async fn an_id_occurs_once_in_a_file(db: Database) {
    let site = db.site().await;
    let people = [("7", "ada"), ("8", "bob"), ("7", "cleo")];
    for batch in [1, 100] {
        let options = options(&db, &export(&people), batch);
        let counts = site.import(&options).await.counts;
        assert_eq!((counts.read, counts.rejected), (3, 1));
        let reason = "the legacy_id of line 1 again".to_owned();
        assert_eq!(read_rejects(&options.file), [(3, reason)]);
    }
    assert_eq!(stored(&site).await, pairs(&people[..2]));
}

on_both_databases!(parallel_imports_with_other_addresses_store_each_id_once);
async fn parallel_imports_with_other_addresses_store_each_id_once(db: Database) {
    let site = db.site().await;
    let options = |domain: &str| {
        let row = |n: u32| {
            old_with(
                "x",
                &json!({"email": format!("fan{n}@{domain}.org"), "legacy_id": n}),
            )
        };
        let rows: Vec<_> = (0..1000).map(row).collect();
        let file = write_file(db.folder(), &format!("{domain}.jsonl"), &json_lines(&rows));
        import_options(file, 50)
    };
    let (one, two) = (options("one"), options("two"));
    let (one, two) = tokio::join!(site.import(&one), site.import(&two));
    let (one, two) = (one.counts, two.counts);
    assert_eq!((one.new + two.new, one.updated + two.updated), (1000, 1000));
    assert_eq!(site.count("legacy_accounts").await, 1000);
}

on_both_databases!(a_row_gives_its_id_to_an_account_that_has_none);
async fn a_row_gives_its_id_to_an_account_that_has_none(db: Database) {
    let site = db.site().await;
    let without = old_with("ada", &json!({"legacy_id": null}));
    site.import_accounts(std::slice::from_ref(&without)).await;
    let counts = import(&site, &db, &[("7", "ada")]).await.counts;
    assert_eq!((counts.new, counts.updated), (0, 1));
    assert_eq!(stored(&site).await, pairs(&[("7", "ada")]));
    site.import_accounts(&[old("bob"), without]).await;
    assert_eq!(site.count("legacy_accounts").await, 2);
}
