//! Guessed codes: the limits hold under parallel requests.

use account::config::Config;
use account::testing::error::ErrorCode;
use account::testing::i18n::Message;
use axum::http::StatusCode;
use serde_json::json;

use super::{PersonWithSecondFactor, person_with_second_factor, second_step};
use crate::password_change::change_password;
use crate::support::actors::PASSWORD;
use crate::support::{Database, Site};

/// Raises the limits by network, so that only the limits of the account refuse a code.
fn raise_network_limits(config: &mut Config) {
    config.limits.confirm_ip = "1000/m".parse().unwrap();
    config.limits.login_ip = "1000/m".parse().unwrap();
}

/// A site on which nothing limits the guesses of codes.
async fn site_without_account_limits(db: &Database) -> Site {
    let site = db.allow_unread_mails().site_with(|config| {
        raise_network_limits(config);
        config.limits.second_factor_account = "1000/15m".parse().unwrap();
        config.limits.recovery_code_account = "1000/15m".parse().unwrap();
    });
    site.await
}

/// The tokens of twenty sign-ins whose second step is missing, each in its own browser.
async fn twenty_first_steps(site: &Site, ada: &PersonWithSecondFactor) -> Vec<String> {
    let mut tokens = Vec::new();
    for _ in 0..20 {
        tokens.push(ada.first_step(&site.browser()).await);
    }
    tokens
}

/// Posts second steps in parallel, each in a new browser, with the nodes and the tokens in turn.
async fn parallel_second_steps(
    nodes: &[&Site],
    tokens: &[String],
    code: &str,
    times: usize,
) -> Vec<StatusCode> {
    let posts = (0..times).map(|n| {
        let (browser, token) = (nodes[n % nodes.len()].browser(), &tokens[n % tokens.len()]);
        async move { second_step(&browser, token, code).await.status }
    });
    futures_util::future::join_all(posts).await
}

fn count(statuses: &[StatusCode], status: u16) -> usize {
    statuses.iter().filter(|found| **found == status).count()
}

// security: TF-2
on_both_databases!(five_wrong_codes_end_the_token_and_block_the_account_for_a_while);
async fn five_wrong_codes_end_the_token_and_block_the_account_for_a_while(db: Database) {
    let site = db.allow_unread_mails().site().await;
    let ada = person_with_second_factor(&site, "ada").await;
    let thief = site.browser();
    let token = ada.first_step(&thief).await;
    for _ in 0..5 {
        let wrong = ada.app.wrong_code(site.now());
        assert_refused!(second_step(&thief, &token, &wrong), CodeInvalid);
    }
    second_step(&thief, &token, &ada.code(&site))
        .await
        .assert_error_with_message(ErrorCode::InvalidToken, Message::ErrorSignInExpired);
    // A new token does not reset the count.
    let token = ada.first_step(&thief).await;
    assert_refused!(second_step(&thief, &token, &ada.code(&site)), RateLimited);
    let activity = ada.person.browser.get("/activity").await.json();
    let blocked = &activity["events"][0];
    assert_eq!(blocked["kind"], "sign_in_blocked");
    assert_eq!(blocked["details"], json!({"reason": "code_invalid"}));
    site.advance("15m");
    let token = ada.first_step(&thief).await;
    assert_status!(second_step(&thief, &token, &ada.code(&site)), 200);
}

on_both_databases!(a_text_that_cannot_be_a_code_costs_no_attempt);
async fn a_text_that_cannot_be_a_code_costs_no_attempt(db: Database) {
    let site = db.allow_unread_mails().site().await;
    let ada = person_with_second_factor(&site, "ada").await;
    let phone = ada.person.new_browser();
    let token = ada.first_step(&phone).await;
    for _ in 0..2 {
        for typo in [
            "", "12345", "1234567", "12345a", "7K3M-Q2XW-9R4T", "\u{200b}",
        ] {
            assert_refused!(second_step(&phone, &token, typo), CodeInvalid);
            let proof = json!({"password": PASSWORD, "code": typo});
            assert_refused!(
                ada.person.browser.post("/reauthenticate", &proof),
                ReauthenticationFailed
            );
        }
    }
    assert_status!(second_step(&phone, &token, &ada.code(&site)), 200);
    site.advance("30s");
    let proof = json!({"password": PASSWORD, "code": ada.code(&site)});
    assert_status!(ada.person.browser.post("/reauthenticate", &proof), 204);
}

on_both_databases!(a_code_is_read_as_people_type_and_paste_it);
async fn a_code_is_read_as_people_type_and_paste_it(db: Database) {
    let (site, ada) = db.allow_unread_mails().site_with_signed_in("ada").await;
    let app = super::begin_setup(&ada.browser).await;
    let code = app.code(site.now());
    let spaced = format!("{}-{}\u{200b}", &code[..3], &code[3..]);
    let response = super::confirm(&ada.browser, &spaced).await;
    let codes = super::recovery_codes_in(&response);
    let ada = PersonWithSecondFactor {
        person: ada,
        app,
        codes,
    };
    let full_width = |text: &str| -> String {
        let wide = |c: char| match c {
            '0'..='9' => char::from_u32(u32::from(c) + 0xfee0).unwrap(),
            other => other,
        };
        text.chars().map(wide).collect()
    };
    let pasted = [
        (|text| format!("{}-{}", &text[..3], &text[3..])) as fn(&str) -> String,
        |text| format!(" {}\u{a0}{}\t", &text[..3], &text[3..]),
        |text| format!("\u{202a}{text}\u{202c}"),
    ];
    for form in pasted {
        site.advance("30s");
        let token = ada.first_step(&site.browser()).await;
        let response = second_step(&site.browser(), &token, &form(&ada.code(&site))).await;
        assert_eq!(response.status, 200, "{}", response.text());
    }
    let typed = [
        full_width(&ada.codes[0]),
        format!("{}\t", ada.codes[1]),
        ada.codes[2].replace('-', "\u{a0}"),
        ada.codes[3].to_lowercase().replace('-', "\u{2011}"),
    ];
    for code in typed {
        let token = ada.first_step(&site.browser()).await;
        let response = second_step(&site.browser(), &token, &code).await;
        assert_eq!(response.status, 200, "{code}: {}", response.text());
    }
}

// security: TF-2
on_both_databases!(right_codes_do_not_count);
async fn right_codes_do_not_count(db: Database) {
    let site = db.allow_unread_mails().site().await;
    let ada = person_with_second_factor(&site, "ada").await;
    for _ in 0..8 {
        let token = ada.first_step(&ada.person.browser).await;
        let response = second_step(&ada.person.browser, &token, &ada.code(&site)).await;
        assert_eq!(response.status, 200, "{}", response.text());
        site.advance("30s");
    }
}

on_both_databases!(wrong_recovery_codes_have_a_limit_of_their_own);
async fn wrong_recovery_codes_have_a_limit_of_their_own(db: Database) {
    let site = db.allow_unread_mails().site().await;
    let ada = person_with_second_factor(&site, "ada").await;
    let browser = &ada.person.browser;
    for n in 0..11 {
        if n % 5 == 0 {
            site.advance("15m");
        }
        let token = ada.first_step(browser).await;
        let response = second_step(browser, &token, "0000-0000-0000-0000").await;
        response.assert_error(match n < 10 {
            true => ErrorCode::CodeInvalid,
            false => ErrorCode::RateLimited,
        });
    }
    // The limit of recovery codes does not block codes of the app.
    let token = ada.first_step(browser).await;
    assert_status!(second_step(browser, &token, &ada.code(&site)), 200);
}

on_both_databases!(a_token_expires_and_is_bound_to_the_password);
async fn a_token_expires_and_is_bound_to_the_password(db: Database) {
    let site = db.allow_unread_mails().site().await;
    let ada = person_with_second_factor(&site, "ada").await;
    let thief = site.browser();
    let token = ada.first_step(&thief).await;
    let changed = change_password(&ada.person.browser, PASSWORD, "Orange-Tree-43");
    assert_status!(changed, 200);
    let expired = Message::ErrorSignInExpired;
    second_step(&thief, &token, &ada.code(&site))
        .await
        .assert_error_with_message(ErrorCode::InvalidToken, expired);

    let response = thief.try_sign_in(&ada.person.email, "Orange-Tree-43").await;
    let token = response.json()["second_factor_token"].clone();
    site.advance("10m");
    second_step(&thief, token.as_str().unwrap(), &ada.code(&site))
        .await
        .assert_error_with_message(ErrorCode::InvalidToken, expired);
    for wrong in ["", "x", &"A".repeat(43)] {
        second_step(&thief, wrong, "123456")
            .await
            .assert_error_with_message(ErrorCode::InvalidToken, expired);
    }
}

// security: TF-1, TF-2
on_both_databases!(of_a_hundred_parallel_posts_of_a_right_code_one_succeeds);
async fn of_a_hundred_parallel_posts_of_a_right_code_one_succeeds(db: Database) {
    let site = site_without_account_limits(&db).await;
    let other_node = site_without_account_limits(&db).await;
    let ada = person_with_second_factor(&site, "ada").await;
    let tokens = twenty_first_steps(&site, &ada).await;
    let nodes = [&site, &other_node];
    let statuses = parallel_second_steps(&nodes, &tokens, &ada.code(&site), 100).await;
    assert_eq!(count(&statuses, 200), 1, "{statuses:?}");
}

// security: TF-2
on_both_databases!(of_a_hundred_parallel_guesses_five_are_checked);
async fn of_a_hundred_parallel_guesses_five_are_checked(db: Database) {
    db.allow_unread_mails();
    let site = db.site_with(raise_network_limits).await;
    let ada = person_with_second_factor(&site, "ada").await;
    let tokens = twenty_first_steps(&site, &ada).await;
    let wrong = ada.app.wrong_code(site.now());
    let statuses = parallel_second_steps(&[&site], &tokens, &wrong, 100).await;
    assert_eq!(count(&statuses, 401), 5, "{statuses:?}");
}

on_both_databases!(of_parallel_uses_of_a_recovery_code_one_succeeds);
async fn of_parallel_uses_of_a_recovery_code_one_succeeds(db: Database) {
    let site = site_without_account_limits(&db).await;
    let ada = person_with_second_factor(&site, "ada").await;
    let tokens = twenty_first_steps(&site, &ada).await;
    let statuses = parallel_second_steps(&[&site], &tokens, &ada.codes[0], 20).await;
    assert_eq!(count(&statuses, 200), 1, "{statuses:?}");
}
