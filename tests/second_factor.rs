//! Two-step verification: set-up, sign-in with a code, recovery codes, trusted devices, and the reset of a lost factor.

mod cases;
mod limits;
mod recovery_codes;
mod reset;
mod sign_in;
mod takeover;

use account::testing::error::ErrorCode;
use account::testing::i18n::Message;
use serde_json::{Value, json};

use crate::support::authenticator_app::AuthenticatorApp;
use crate::support::database::contains;
use crate::support::{Browser, Database, Person, Response, Site, allow_new_devices};

/// A person with an authenticator app.
pub(crate) struct PersonWithSecondFactor {
    pub person: Person,
    pub app: AuthenticatorApp,
    pub codes: Vec<String>,
}

/// Begins a set-up. Returns the app that read the secret.
pub(crate) async fn begin_setup(browser: &Browser) -> AuthenticatorApp {
    let response = assert_status!(browser.post("/second-factor/totp", &json!({})), 200);
    AuthenticatorApp::with_secret(response.json()["secret"].as_str().unwrap())
}

async fn confirm(browser: &Browser, code: &str) -> Response {
    let form = json!({"code": code});
    browser.post("/second-factor/totp/confirm", &form).await
}

fn recovery_codes_in(response: &Response) -> Vec<String> {
    assert_eq!(response.status, 200, "{}", response.text());
    let codes = response.json()["recovery_codes"].clone();
    serde_json::from_value(codes).unwrap()
}

/// Turns two-step verification on. Its mail is read; the code of this 30-second step is used up.
pub(crate) async fn turn_on(site: &Site, person: Person) -> PersonWithSecondFactor {
    let app = begin_setup(&person.browser).await;
    let response = confirm(&person.browser, &app.code(site.now())).await;
    let codes = recovery_codes_in(&response);
    site.mail_to(&person.email).await;
    PersonWithSecondFactor { person, app, codes }
}

/// A signed-in person with an authenticator app. The clock is in the next 30-second step, whose code is unused.
pub(crate) async fn person_with_second_factor(site: &Site, name: &str) -> PersonWithSecondFactor {
    let member = turn_on(site, site.signed_in(name).await).await;
    site.advance("30s");
    member
}

/// Signs in with the password. Returns the token of the second step.
pub(crate) async fn first_step(person: &Person, browser: &Browser) -> String {
    let response = person.try_sign_in(browser).await;
    let body = response.assert_error_with_data(ErrorCode::SecondFactorRequired);
    assert_eq!(body["methods"], json!(["totp", "recovery_code"]));
    body["second_factor_token"].as_str().unwrap().to_owned()
}

impl PersonWithSecondFactor {
    pub(crate) async fn first_step(&self, browser: &Browser) -> String {
        first_step(&self.person, browser).await
    }

    pub(crate) fn code(&self, site: &Site) -> String {
        self.app.code(site.now())
    }
}

pub(crate) async fn second_step(browser: &Browser, token: &str, code: &str) -> Response {
    let form = json!({"token": token, "code": code});
    browser.post("/login/second-factor", &form).await
}

pub(crate) async fn fetch_security(browser: &Browser) -> Value {
    browser.get("/security").await.json()
}

// security: TF-6
on_both_databases!(a_right_code_turns_two_step_verification_on);
async fn a_right_code_turns_two_step_verification_on(db: Database) {
    let (site, ada) = db.site_with_signed_in("ada").await;
    let before = fetch_security(&ada.browser).await;
    assert_eq!(before["second_factor"], false);
    assert_eq!(before["aal"], 1);

    let app = begin_setup(&ada.browser).await;
    assert_eq!(fetch_security(&ada.browser).await["second_factor"], false);
    assert_refused!(
        confirm(&ada.browser, &app.wrong_code(site.now())),
        CodeInvalid
    );
    assert_eq!(fetch_security(&ada.browser).await["second_factor"], false);

    let thief = ada.browser.copy();
    let response = confirm(&ada.browser, &app.code(site.now())).await;
    let codes = recovery_codes_in(&response);
    assert_eq!(codes.len(), 10);
    let after = fetch_security(&ada.browser).await;
    assert_eq!(after["second_factor"], true);
    assert_eq!(after["recovery_codes_left"], 10);
    assert_eq!(after["aal"], 2, "the code raises the session");
    // The session id has changed.
    thief.assert_signed_out().await;
    let mail = site.mail_to(&ada.email).await;
    assert!(
        mail.link().contains("/account/undo?token="),
        "{}",
        mail.text
    );
    // security: TF-4
    for code in &codes {
        assert!(!mail.text.contains(code) && !mail.html.contains(code));
    }
    ada.browser
        .post("/second-factor/totp", &json!({}))
        .await
        .assert_error(ErrorCode::SecondFactorEnabled);
}

// security: TF-6
on_both_databases!(a_second_setup_replaces_the_first_secret);
async fn a_second_setup_replaces_the_first_secret(db: Database) {
    let (site, ada) = db.allow_unread_mails().site_with_signed_in("ada").await;
    let first = begin_setup(&ada.browser).await;
    let second = begin_setup(&ada.browser).await;
    assert_refused!(confirm(&ada.browser, &first.code(site.now())), CodeInvalid);
    recovery_codes_in(&confirm(&ada.browser, &second.code(site.now())).await);
}

on_both_databases!(a_setup_is_resumed_by_its_session_alone);
async fn a_setup_is_resumed_by_its_session_alone(db: Database) {
    let site = db.allow_unread_mails().site_with(allow_new_devices).await;
    let ada = site.signed_in("ada").await;
    let phone = ada.new_browser();
    ada.sign_in(&phone).await;
    let resume = async |browser: &Browser| {
        let form = json!({"resume": true});
        let response = assert_status!(browser.post("/second-factor/totp", &form), 200);
        response.json()["secret"].as_str().unwrap().to_owned()
    };
    let first = resume(&ada.browser).await;
    site.advance("14m");
    // Another proof of identity rotates the session id.
    ada.browser.reauthenticate(&ada.credentials()).await;
    assert_eq!(resume(&ada.browser).await, first);
    // A resumed set-up is no younger.
    site.advance("1m");
    let second = resume(&ada.browser).await;
    assert_ne!(second, first);
    phone.reauthenticate(&ada.credentials()).await;
    let foreign = resume(&phone).await;
    assert_ne!(foreign, second);
    let app = AuthenticatorApp::with_secret(&foreign);
    recovery_codes_in(&confirm(&phone, &app.code(site.now())).await);
}

on_both_databases!(a_setup_expires);
async fn a_setup_expires(db: Database) {
    let (site, ada) = db.site_with_signed_in("ada").await;
    let expired = Message::ErrorSetupExpired;
    confirm(&ada.browser, "123456")
        .await
        .assert_error_with_message(ErrorCode::InvalidToken, expired);
    let app = begin_setup(&ada.browser).await;
    site.advance("15m");
    let proof = ada.credentials();
    ada.browser.reauthenticate(&proof).await;
    confirm(&ada.browser, &app.code(site.now()))
        .await
        .assert_error_with_message(ErrorCode::InvalidToken, expired);
}

on_both_databases!(the_setup_names_the_site_and_the_account);
async fn the_setup_names_the_site_and_the_account(db: Database) {
    let (_, ada) = db.site_with_signed_in("ada").await;
    let response = ada.browser.post("/second-factor/totp", &json!({})).await;
    let setup = response.json();
    let uri = url::Url::parse(setup["uri"].as_str().unwrap()).unwrap();
    assert_eq!(uri.scheme(), "otpauth");
    assert!(uri.path().ends_with("ada@example.org") || uri.path().ends_with("ada%40example.org"));
    let query: std::collections::HashMap<_, _> = uri.query_pairs().collect();
    assert_eq!(query["secret"], setup["secret"].as_str().unwrap());
    assert!(!query["issuer"].is_empty());
    assert_eq!(setup["secret"].as_str().unwrap().len(), 32, "160 bits");
    assert!(setup["qr_svg"].as_str().unwrap().starts_with("<svg"));
}

on_both_databases!(the_codes_equal_those_of_another_implementation);
async fn the_codes_equal_those_of_another_implementation(db: Database) {
    let (site, ada) = db.allow_unread_mails().site_with_signed_in("ada").await;
    let response = ada.browser.post("/second-factor/totp", &json!({})).await;
    let secret = response.json()["secret"].as_str().unwrap().to_owned();
    let now = format!("@{}", site.now() / 1000);
    let oathtool = std::process::Command::new("oathtool")
        .args(["--totp", "--base32", "--now", &now, &secret])
        .output()
        .expect("oathtool, of the package of that name");
    assert!(oathtool.status.success(), "{oathtool:?}");
    let code = String::from_utf8(oathtool.stdout).unwrap();
    recovery_codes_in(&confirm(&ada.browser, code.trim()).await);
}

on_both_databases!(changing_the_second_factor_requires_recent_authentication_with_it);
async fn changing_the_second_factor_requires_recent_authentication_with_it(db: Database) {
    let (site, ada) = db.allow_unread_mails().site_with_signed_in("ada").await;
    site.advance("10m");
    let required = ErrorCode::ReauthenticationRequired;
    let start = ada.browser.post("/second-factor/totp", &json!({})).await;
    start.assert_error_with_data(required);
    let proof = ada.credentials();
    ada.browser.reauthenticate(&proof).await;
    let ada = turn_on(&site, ada).await;

    site.advance("10m");
    let browser = &ada.person.browser;
    let off = browser.delete("/second-factor").await;
    off.assert_error_with_data(required);
    assert_eq!(off.json()["methods"], json!(["password", "totp"]));
    browser
        .post("/second-factor/recovery-codes", &json!({}))
        .await
        .assert_error_with_data(required);
    // A missing code is refused like a wrong one.
    for wrong in [Value::Null, json!(ada.app.wrong_code(site.now()))] {
        let mut proof = ada.person.credentials();
        proof["code"] = wrong;
        assert_refused!(
            browser.post("/reauthenticate", &proof),
            ReauthenticationFailed
        );
    }
    let mut proof = ada.person.credentials();
    proof["code"] = json!(ada.code(&site));
    browser.reauthenticate(&proof).await;

    let response = browser
        .post("/second-factor/recovery-codes", &json!({}))
        .await;
    let fresh = recovery_codes_in(&response);
    assert!(fresh.iter().all(|code| !ada.codes.contains(code)));
    browser.delete("/second-factor").await.assert_empty();
    assert_eq!(fetch_security(browser).await["second_factor"], false);
    assert_eq!(fetch_security(browser).await["recovery_codes_left"], 0);
    ada.person.sign_in(browser).await;
    assert_refused!(
        browser.post("/second-factor/recovery-codes", &json!({})),
        SecondFactorOff
    );
}

// security: TF-5
on_both_databases!(without_the_key_file_no_code_can_be_computed);
async fn without_the_key_file_no_code_can_be_computed(db: Database) {
    let (site, ada) = db.site_with_signed_in("ada").await;
    let response = ada.browser.post("/second-factor/totp", &json!({})).await;
    let secret = response.json()["secret"].as_str().unwrap().to_owned();
    let app = AuthenticatorApp::with_secret(&secret);
    let codes = recovery_codes_in(&confirm(&ada.browser, &app.code(site.now())).await);
    site.mail_to(&ada.email).await;
    let bytes = db.bytes(&site).await;
    let holds = |part: &[u8]| contains(&bytes, part);
    assert!(holds(ada.email.as_bytes()), "the search finds stored text");
    assert!(!holds(secret.as_bytes()) && !holds(app.secret()));
    for code in codes {
        assert!(!holds(code.as_bytes()) && !holds(code.replace('-', "").as_bytes()));
    }
}
