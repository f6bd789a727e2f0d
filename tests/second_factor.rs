//! Two-step verification: set-up, sign-in with a code, recovery codes, trusted devices, and the reset of a lost factor.

mod cases;
mod limits;
mod recovery_codes;
mod reset;
mod sign_in;

use crate::support::authenticator_app::AuthenticatorApp;
use crate::support::database::contains;
use crate::support::prelude::*;

/// A person with an authenticator app.
pub struct PersonWithSecondFactor {
    pub person: Person,
    pub app: AuthenticatorApp,
    pub codes: Vec<String>,
}

/// Begins a set-up. Returns the app that read the secret.
pub async fn begin_setup(browser: &Browser) -> AuthenticatorApp {
    let response = assert_ok!(browser.post_defaults("/second-factor/totp"));
    AuthenticatorApp::with_secret(response.json()["secret"].as_str().unwrap())
}

pub async fn confirm(browser: &Browser, code: &str) -> Response {
    let form = json!({"code": code});
    browser.post("/second-factor/totp/confirm", &form).await
}

fn recovery_codes_in(response: &Response) -> Vec<String> {
    assert_eq!(response.status, 200, "{}", response.text());
    let codes = response.json()["recovery_codes"].clone();
    serde_json::from_value(codes).unwrap()
}

/// Turns two-step verification on. Its mail is read; the code of this 30-second step is used up.
pub async fn turn_on(site: &Site, person: Person) -> PersonWithSecondFactor {
    let app = begin_setup(&person.browser).await;
    let response = confirm(&person.browser, &app.code(site.now())).await;
    let codes = recovery_codes_in(&response);
    person.mail().await;
    PersonWithSecondFactor { person, app, codes }
}

/// A signed-in person with an authenticator app. The clock is in the next 30-second step, whose code is unused.
pub async fn person_with_second_factor(site: &Site, name: &str) -> PersonWithSecondFactor {
    let member = turn_on(site, site.signed_in(name).await).await;
    site.advance("30s");
    member
}

/// Signs in with the password. Returns the token of the second step.
pub async fn first_step(person: &Person, browser: &Browser) -> String {
    let response = person.try_sign_in(browser).await;
    let body = response.assert_error_with_data(ErrorCode::SecondFactorRequired);
    assert_eq!(body["methods"], json!(["totp", "recovery_code"]));
    body["second_factor_token"].as_str().unwrap().to_owned()
}

impl std::ops::Deref for PersonWithSecondFactor {
    type Target = Person;

    fn deref(&self) -> &Person {
        &self.person
    }
}

impl PersonWithSecondFactor {
    pub async fn first_step(&self, browser: &Browser) -> String {
        first_step(self, browser).await
    }

    /// Signs in with the password and a code of the app or for recovery.
    pub async fn try_code(&self, browser: &Browser, code: &str) -> Response {
        let token = self.first_step(browser).await;
        second_step(browser, &token, code).await
    }

    /// Signs in with a code that makes this browser a trusted device.
    async fn trust(&self, browser: &Browser) {
        let token = self.first_step(browser).await;
        let code = self.code(&browser.site);
        let form = json!({"token": token, "code": code, "trust_device": true});
        assert_ok!(browser.post("/login/second-factor", &form));
    }

    /// Proves the identity in the own browser with the password and a code.
    pub async fn reauthenticate(&self) {
        let mut proof = self.credentials();
        proof["code"] = json!(self.code(&self.browser.site));
        self.browser.reauthenticate(&proof).await;
    }

    pub fn code(&self, site: &Site) -> String {
        self.app.code(site.now())
    }
}

pub async fn second_step(browser: &Browser, token: &str, code: &str) -> Response {
    let form = json!({"token": token, "code": code});
    browser.post("/login/second-factor", &form).await
}

pub async fn fetch_security(browser: &Browser) -> Value {
    browser.get_json("/security").await
}

on_both_databases!(
    a_right_code_turns_two_step_verification_on,
    a_second_setup_replaces_the_first_secret,
    a_setup_is_resumed_by_its_session_alone,
    a_setup_expires,
    new_recovery_codes_and_turning_off_follow_a_proof_with_a_code,
    without_the_key_file_no_code_can_be_computed,
);

on_sqlite!(
    the_setup_names_the_site_and_the_account,
    the_codes_equal_those_of_another_implementation,
);

// security: TF-4, TF-6
async fn a_right_code_turns_two_step_verification_on((site, ada): (Site, Person)) {
    let assert_state = async |is_on: bool, aal: u8| {
        let state = fetch_security(&ada.browser).await;
        let codes = if is_on { 10 } else { 0 };
        let seen = [
            &state["second_factor"], &state["recovery_codes_left"], &state["aal"],
        ];
        assert_eq!(seen, [&json!(is_on), &json!(codes), &json!(aal)]);
    };
    assert_state(false, 1).await;
    let app = begin_setup(&ada.browser).await;
    let wrong = app.wrong_code(site.now());
    assert_refused!(confirm(&ada.browser, &wrong), CodeInvalid);
    assert_state(false, 1).await;

    let thief = ada.browser.copy();
    let codes = recovery_codes_in(&confirm(&ada.browser, &app.code(site.now())).await);
    assert_eq!(codes.len(), 10);
    assert_state(true, 2).await;
    // The session id has changed.
    thief.assert_signed_out().await;
    let mail = ada.mail().await;
    assert!(
        mail.link().contains("/account/undo?token="),
        "{}",
        mail.text
    );
    for code in &codes {
        assert!(!mail.text.contains(code) && !mail.html.contains(code));
    }
    assert_refused!(
        ada.browser.post_defaults("/second-factor/totp"),
        SecondFactorEnabled
    );
}

// security: TF-6
async fn a_second_setup_replaces_the_first_secret((site, ada): (Site, Person)) {
    site.allow_unread_mails();
    let first = begin_setup(&ada.browser).await;
    let second = begin_setup(&ada.browser).await;
    assert_refused!(confirm(&ada.browser, &first.code(site.now())), CodeInvalid);
    recovery_codes_in(&confirm(&ada.browser, &second.code(site.now())).await);
}

async fn a_setup_is_resumed_by_its_session_alone(db: Database) {
    let site = db.allow_unread_mails().site_with(allow_new_devices).await;
    let ada = site.signed_in("ada").await;
    let phone = ada.new_browser();
    ada.sign_in(&phone).await;
    let resume = async |browser: &Browser| {
        let form = json!({"resume": true});
        let response = assert_ok!(browser.post("/second-factor/totp", &form));
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

async fn a_setup_expires((site, ada): (Site, Person)) {
    let expired = Message::ErrorSetupExpired;
    assert_refused!(confirm(&ada.browser, "123456"), InvalidToken, expired);
    let app = begin_setup(&ada.browser).await;
    site.advance("15m");
    ada.browser.reauthenticate(&ada.credentials()).await;
    let late = app.code(site.now());
    assert_refused!(confirm(&ada.browser, &late), InvalidToken, expired);
}

async fn the_setup_names_the_site_and_the_account((_, ada): (Site, Person)) {
    let setup = ada
        .browser
        .post_defaults("/second-factor/totp")
        .await
        .json();
    let text = |name: &str| setup[name].as_str().unwrap().to_owned();
    let uri = url::Url::parse(&text("uri")).unwrap();
    assert_eq!(uri.scheme(), "otpauth");
    assert!(uri.path().ends_with("ada@example.org") || uri.path().ends_with("ada%40example.org"));
    let query: std::collections::HashMap<_, _> = uri.query_pairs().collect();
    assert_eq!(query["secret"], text("secret"));
    assert!(!query["issuer"].is_empty());
    assert_eq!(text("secret").len(), 32, "160 bits");
    assert!(text("qr_svg").starts_with("<svg"));
}

async fn the_codes_equal_those_of_another_implementation((site, ada): (Site, Person)) {
    site.allow_unread_mails();
    let setup = ada
        .browser
        .post_defaults("/second-factor/totp")
        .await
        .json();
    let now = format!("@{}", site.now() / 1000);
    let oathtool = std::process::Command::new("oathtool")
        .args([
            "--totp",
            "--base32",
            "--now",
            &now,
            setup["secret"].as_str().unwrap(),
        ])
        .output()
        .expect("oathtool, of the package of that name");
    assert!(oathtool.status.success(), "{oathtool:?}");
    let code = String::from_utf8(oathtool.stdout).unwrap();
    recovery_codes_in(&confirm(&ada.browser, code.trim()).await);
}

// `strong_factors::levels` has the proofs that are refused.
async fn new_recovery_codes_and_turning_off_follow_a_proof_with_a_code(
    (site, ada): (Site, PersonWithSecondFactor),
) {
    site.allow_unread_mails();
    site.advance("10m");
    let browser = &ada.browser;
    // A missing code is refused like a wrong one.
    for wrong in [Value::Null, json!(ada.app.wrong_code(site.now()))] {
        let mut proof = ada.credentials();
        proof["code"] = wrong;
        assert_refused!(
            browser.post("/reauthenticate", &proof),
            ReauthenticationFailed
        );
    }
    ada.reauthenticate().await;
    let path = "/second-factor/recovery-codes";
    let fresh = recovery_codes_in(&browser.post_defaults(path).await);
    assert!(fresh.iter().all(|code| !ada.codes.contains(code)));
    browser.delete("/second-factor").await.assert_empty();
    let state = fetch_security(browser).await;
    assert_eq!(state["second_factor"], false);
    assert_eq!(state["recovery_codes_left"], 0);
    ada.sign_in(browser).await;
    assert_refused!(browser.post_defaults(path), SecondFactorOff);
}

// security: TF-5
async fn without_the_key_file_no_code_can_be_computed(db: Database) {
    let (site, ada) = db.site_with_signed_in("ada").await;
    let response = ada.browser.post_defaults("/second-factor/totp").await;
    let secret = response.json()["secret"].as_str().unwrap().to_owned();
    let app = AuthenticatorApp::with_secret(&secret);
    let codes = recovery_codes_in(&confirm(&ada.browser, &app.code(site.now())).await);
    ada.mail().await;
    let bytes = db.bytes(&site).await;
    let holds = |part: &[u8]| contains(&bytes, part);
    assert!(holds(ada.email.as_bytes()), "the search finds stored text");
    assert!(!holds(secret.as_bytes()) && !holds(app.secret()));
    for code in codes {
        assert!(!holds(code.as_bytes()) && !holds(code.replace('-', "").as_bytes()));
    }
}
