//! Guessed codes: the limits hold under parallel requests.

use account::config::Config;

use super::{person_with_second_factor, second_step};
use crate::password_change::change_password;
use crate::support::prelude::*;

/// Raises the limits by network, so that only the limits of the account refuse a code.
fn raise_network_limits(config: &mut Config) {
    config.limits.confirm_ip = "1000/m".parse().unwrap();
    config.limits.login_ip = "1000/m".parse().unwrap();
}

/// A site on which nothing limits the guesses of codes.
async fn site_without_limits(db: &Database) -> Site {
    let site = db.allow_unread_mails();
    site.site_with(|config| config.limits.enabled = false).await
}

/// Posts this code in parallel, each time in a new browser, with the nodes and twenty sign-ins in turn. Returns the number
/// of responses with this status.
async fn count_of_parallel(
    nodes: &[Site],
    ada: &PersonWithSecondFactor,
    code: &str,
    times: usize,
    status: u16,
) -> usize {
    let mut tokens = Vec::new();
    for _ in 0..20 {
        tokens.push(ada.first_step(&nodes[0].browser()).await);
    }
    let posts = (0..times).map(|n| {
        let (browser, token) = (nodes[n % nodes.len()].browser(), &tokens[n % 20]);
        async move { second_step(&browser, token, code).await.status }
    });
    let statuses = join_all(posts).await;
    statuses.iter().filter(|found| **found == status).count()
}

on_both_databases!(
    five_wrong_codes_end_the_token_and_block_the_account_for_a_while,
    right_codes_do_not_count,
    wrong_recovery_codes_have_a_limit_of_their_own,
    a_token_expires_and_is_bound_to_the_password,
    of_a_hundred_parallel_posts_of_a_right_code_one_succeeds,
    of_a_hundred_parallel_guesses_five_are_checked,
);

on_sqlite!(
    a_text_that_cannot_be_a_code_costs_no_attempt,
    a_code_is_read_as_people_type_and_paste_it,
);

// security: TF-2
async fn five_wrong_codes_end_the_token_and_block_the_account_for_a_while(
    (site, ada): (Site, PersonWithSecondFactor),
) {
    site.allow_unread_mails();
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
    assert_refused!(ada.try_code(&thief, &ada.code(&site)), RateLimited);
    let activity = ada.browser.get_json("/activity").await;
    let blocked = &activity["events"][0];
    assert_eq!(blocked["kind"], "sign_in_blocked");
    assert_eq!(blocked["details"], json!({"reason": "code_invalid"}));
    site.advance("15m");
    assert_ok!(ada.try_code(&thief, &ada.code(&site)));
}

async fn a_text_that_cannot_be_a_code_costs_no_attempt(
    (site, ada): (Site, PersonWithSecondFactor),
) {
    site.allow_unread_mails();
    let phone = ada.new_browser();
    let token = ada.first_step(&phone).await;
    for _ in 0..2 {
        for typo in [
            "", "12345", "1234567", "12345a", "7K3M-Q2XW-9R4T", "\u{200b}",
        ] {
            assert_refused!(second_step(&phone, &token, typo), CodeInvalid);
            let proof = json!({"password": PASSWORD, "code": typo});
            assert_refused!(
                ada.browser.post("/reauthenticate", &proof),
                ReauthenticationFailed
            );
        }
    }
    assert_ok!(second_step(&phone, &token, &ada.code(&site)));
    site.advance("30s");
    ada.reauthenticate().await;
}

async fn a_code_is_read_as_people_type_and_paste_it((site, ada): (Site, Person)) {
    site.allow_unread_mails();
    let app = super::begin_setup(&ada.browser).await;
    let pasted = [
        (|text| format!("{}-{}\u{200b}", &text[..3], &text[3..])) as fn(&str) -> String,
        |text| format!("{}-{}", &text[..3], &text[3..]),
        |text| format!(" {}\u{a0}{}\t", &text[..3], &text[3..]),
        |text| format!("\u{202a}{text}\u{202c}"),
    ];
    let set_up = super::confirm(&ada.browser, &pasted[0](&app.code(site.now()))).await;
    let codes = super::recovery_codes_in(&set_up);
    let full_width = |text: &str| -> String {
        let wide = |c: char| match c {
            '0'..='9' => char::from_u32(u32::from(c) + 0xfee0).unwrap(),
            other => other,
        };
        text.chars().map(wide).collect()
    };
    let typed = [
        full_width(&codes[0]),
        format!("{}\t", codes[1]),
        codes[2].replace('-', "\u{a0}"),
        codes[3].to_lowercase().replace('-', "\u{2011}"),
    ];
    let ada = PersonWithSecondFactor {
        person: ada,
        app,
        codes,
    };
    for form in &pasted[1..] {
        site.advance("30s");
        assert_ok!(ada.try_code(&site.browser(), &form(&ada.code(&site))));
    }
    for code in typed {
        let response = ada.try_code(&site.browser(), &code).await;
        assert_eq!(response.status, 200, "{code}: {}", response.text());
    }
}

// security: TF-2
async fn right_codes_do_not_count((site, ada): (Site, PersonWithSecondFactor)) {
    site.allow_unread_mails();
    for _ in 0..8 {
        assert_ok!(ada.try_code(&ada.browser, &ada.code(&site)));
        site.advance("30s");
    }
}

async fn wrong_recovery_codes_have_a_limit_of_their_own(
    (site, ada): (Site, PersonWithSecondFactor),
) {
    site.allow_unread_mails();
    let browser = &ada.browser;
    for n in 0..11 {
        if n % 5 == 0 {
            site.advance("15m");
        }
        let response = ada.try_code(browser, "0000-0000-0000-0000").await;
        response.assert_error(match n < 10 {
            true => ErrorCode::CodeInvalid,
            false => ErrorCode::RateLimited,
        });
    }
    // The limit of recovery codes does not block codes of the app.
    assert_ok!(ada.try_code(browser, &ada.code(&site)));
}

async fn a_token_expires_and_is_bound_to_the_password((site, ada): (Site, PersonWithSecondFactor)) {
    site.allow_unread_mails();
    let thief = site.browser();
    let old = ada.first_step(&thief).await;
    let new = "Orange-Tree-43";
    assert_ok!(change_password(&ada.browser, PASSWORD, new));
    let assert_expired = async |token: &str| {
        let code = ada.code(&site);
        assert_refused!(
            second_step(&thief, token, &code),
            InvalidToken,
            Message::ErrorSignInExpired
        );
    };
    assert_expired(&old).await;
    let late = thief.try_sign_in(&ada.email, new).await.json();
    site.advance("10m");
    for token in [
        late["second_factor_token"].as_str().unwrap(),
        "",
        "x",
        &"A".repeat(43),
    ] {
        assert_expired(token).await;
    }
}

// security: TF-1, TF-2
async fn of_a_hundred_parallel_posts_of_a_right_code_one_succeeds(db: Database) {
    let start = async || site_without_limits(&db).await;
    let nodes = [start().await, start().await];
    let ada = person_with_second_factor(&nodes[0], "ada").await;
    let code = ada.code(&nodes[0]);
    assert_eq!(count_of_parallel(&nodes, &ada, &code, 100, 200).await, 1);
    // The same holds for a recovery code.
    let code = &ada.codes[0];
    assert_eq!(count_of_parallel(&nodes, &ada, code, 20, 200).await, 1);
}

// security: TF-2
async fn of_a_hundred_parallel_guesses_five_are_checked(db: Database) {
    db.allow_unread_mails();
    let site = db.site_with(raise_network_limits).await;
    let ada = person_with_second_factor(&site, "ada").await;
    let wrong = ada.app.wrong_code(site.now());
    assert_eq!(count_of_parallel(&[site], &ada, &wrong, 100, 401).await, 5);
}
