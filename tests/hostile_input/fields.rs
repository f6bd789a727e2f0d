//! Every field of every form with a hostile value, and valid values in all other fields, so that the hostile one gets
//! as far as possible: into the hash, the mail, the database.

use account::testing::time_limit::TimeLimit;
use serde_json::Map;

use crate::support::prelude::*;
use crate::support::within;

/// The values are JSON literals, because libraries do not write some of them.
const VALUES: [&str; 38] = [
    "null", "true", "0", "-1", "1.5", "1e308", "1e999", "9223372036854775807",
    "9223372036854775808", "-9223372036854775809", "[]", "{}", "[[]]", r#"["ann"]"#,
    r#"{"$gt":""}"#, r#""""#, r#"" ""#, r#""\u0000""#, r#""a\u0000b""#, r#""A1a\u0000bcdefg""#,
    r#""\ud83d\ude00""#, r#""\ud800""#, r#""\udc00\ud800""#, r#""\u202eabc""#, r#""a\u2028b""#,
    r#""a\r\nBcc: eve@example.org""#, r#""' OR 1=1 --""#, r#""%""#, r#""_""#, r#""\\""#,
    r#""𝟡𝟘𝟚𝟙𝟘""#, r#""٣""#, r#""\uffff""#, r#""\udbff\udfff""#, r#""ﷺﷺﷺ""#, r#""-1""#,
    r#""${7*7}{{7*7}}<%=7%>""#, r#""../../etc/passwd""#,
];

/// The deadline of every response, including a hash.
const DEADLINE: TimeLimit = TimeLimit::from_secs(2);

fn form_with_value(form: &Value, field: &str, value: &str) -> String {
    let fields: &Map<String, Value> = form.as_object().unwrap();
    let pairs = fields.iter().map(|(name, own)| {
        let text = if name == field {
            value.to_owned()
        } else {
            own.to_string()
        };
        format!("{}:{text}", json!(name))
    });
    format!("{{{}}}", pairs.collect::<Vec<_>>().join(","))
}

async fn send(browser: &Browser, path: &str, body: String) -> Response {
    let request = browser.post_request(path);
    let response = browser.send_with(request, body.clone());
    let response = within(DEADLINE, &format!("{path} {body}"), response).await;
    let status = response.status.as_u16();
    assert!(status < 500, "{path} {body}: {}", response.text());
    // An accepted value is never shown unescaped.
    assert!(!response.text().contains('\0'), "{path} {body}");
    response
}

/// Sends the form with each value in each field. `renew` returns a valid form, and is called again after each accepted
/// one.
async fn send_every_value(browser: &Browser, path: &str, renew: impl AsyncFn(u32) -> Value) {
    let mut taken = 0;
    let mut form = renew(taken).await;
    let mut long = vec![json!("x".repeat(10_000)).to_string()];
    long.extend(VALUES.map(str::to_owned));
    let fields: Vec<String> = form.as_object().unwrap().keys().cloned().collect();
    for field in &fields {
        for value in &long {
            let response = send(browser, path, form_with_value(&form, field, value)).await;
            if response.status.is_success() {
                taken += 1;
                form = renew(taken).await;
            }
        }
    }
    let right = send(browser, path, form.to_string()).await;
    assert!(right.status.as_u16() < 404, "{path}: {}", right.text());
}

on_both_databases!(
    public_forms_handle_every_hostile_value,
    signed_in_forms_handle_every_hostile_value,
    forms_of_mailed_links_handle_every_hostile_value,
);

// security: BI-11, BI-5, BI-6, BI-7
async fn public_forms_handle_every_hostile_value(Unlimited(site): Unlimited) {
    site.allow_unread_mails();
    let ada = site.member("ada").await;
    let browser = site.browser();
    send_every_value(&browser, "/register", async |n| form(&format!("bob{n}"))).await;
    let address = json!({"email": ada.email});
    let requested = async |_| address.clone();
    for path in ["/reset-password", "/migration", "/resend-verification"] {
        send_every_value(&browser, path, requested).await;
    }
    let app = json!({"email": ada.email, "password": PASSWORD, "app": "wiki"});
    send_every_value(&ada.browser, "/login", async |_| app.clone()).await;
    ada.assert_still_signed_in().await;
    assert_only_valid_values_stored(&site).await;
}

// security: BI-11, BI-5
async fn signed_in_forms_handle_every_hostile_value(Unlimited(site): Unlimited) {
    site.allow_unread_mails();
    let ada = site.signed_in("ada").await;
    let email = async |n| json!({"email": format!("ada{n}@example.org")});
    send_every_value(&ada.browser, "/change-email", email).await;
    let device = json!({"id": "00000000-0000-0000-0000-000000000000", "token": null});
    send_every_value(&ada.browser, "/devices/sign-out", async |_| device.clone()).await;
    let change = async |n| {
        let (old, new) = (password(n), password(n + 1));
        json!({"current_password": old, "new_password": new, "confirm_password": new})
    };
    send_every_value(&ada.browser, "/change-password", change).await;
    ada.assert_still_signed_in().await;
    assert_only_valid_values_stored(&site).await;
}

fn password(n: u32) -> String {
    match n {
        0 => PASSWORD.to_owned(),
        n => format!("Other-Tree-{n}"),
    }
}

// security: BI-11, BI-5, IN-6
async fn forms_of_mailed_links_handle_every_hostile_value(Unlimited(site): Unlimited) {
    site.allow_unread_mails();
    let ada = site.member("ada").await;
    let browser = site.browser();
    send_every_value(&browser, "/reset-password/confirm", async |n| {
        site.browser().request_reset(&ada.email).await;
        let token = site.last_token_to(&ada.email, "").await;
        let new = password(n + 1);
        json!({"token": token, "new_password": new, "confirm_password": new})
    })
    .await;
    send_every_value(&browser, "/migration/complete", async |n| {
        json!({
            "token": completion_token(&site, n).await,
            "first_name": "Ann", "last_name": "Lee", "country": "us",
            "birthday_day": 5, "birthday_month": 7, "birthday_year": 1990,
            "zipcode": "90210", "password": "Other-Tree-1", "confirm_password": "Other-Tree-1",
            "marketing_consent": false,
        })
    })
    .await;
    for path in ["/confirm-device", "/undo-email-change", "/unsubscribe"] {
        let unknown = json!({"token": "A".repeat(43), "approve": true});
        send_every_value(&browser, path, async |_| unknown.clone()).await;
    }
    assert_only_valid_values_stored(&site).await;
}

/// The completion token of a legacy account that has only an address.
async fn completion_token(site: &Site, n: u32) -> String {
    let account = json!({"email": format!("old{n}@example.org")});
    site.import_accounts(std::slice::from_ref(&account)).await;
    site.browser().post("/migration", &account).await;
    site.last_token_to(account["email"].as_str().unwrap(), "")
        .await
}

/// Checks that only valid values were stored.
async fn assert_only_valid_values_stored(site: &Site) {
    let sql = "SELECT email, username, country, zipcode, first_name, last_name FROM accounts";
    for row in site.rows(sql, &[]).await {
        for column in 0..6 {
            let text: Option<String> = row.get(column);
            let text = text.unwrap_or_default();
            assert!(!text.contains(char::is_control), "{text:?}");
            assert!(text.chars().count() < 255);
        }
    }
}
