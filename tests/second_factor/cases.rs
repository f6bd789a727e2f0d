//! TF-8: the factors that a sign-in requires, in all 32 combinations of passkey, authenticator app, known device,
//! trusted device and pending reset. The table is the documentation of the policy.

use account::testing::error::ErrorCode;
use serde_json::json;

use super::{fetch_security, second_step};
use crate::passkeys;
use crate::support::authenticator::Authenticator;
use crate::support::authenticator_app::AuthenticatorApp;
use crate::support::{Browser, Database, Person, Site};

/// The result of a sign-in with the right password.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Password {
    /// A session with this assurance level.
    Session(u8),
    /// A request for the code of the second factor, followed by a session of level 2.
    Code,
    /// A mail with an approval link for the device.
    Approval,
}

/// The result of a sign-in with a passkey: a session of level 2 in every case.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Passkey {
    Session2,
    None,
}

#[derive(Debug, Clone, Copy)]
struct Case {
    passkey: bool,
    app: bool,
    known: bool,
    trusted: bool,
    reset: bool,
}

impl Case {
    fn all() -> impl Iterator<Item = Case> {
        (0..32).map(|bits| Case {
            passkey: bits & 16 != 0,
            app: bits & 8 != 0,
            known: bits & 4 != 0,
            trusted: bits & 2 != 0,
            reset: bits & 1 != 0,
        })
    }

    /// Trust is an attribute of a known device that only a code sets. A reset exists only with a second factor. A case
    /// without these preconditions behaves as if the attribute were not set.
    fn expected(self) -> (Password, Passkey) {
        let password = match self {
            Case {
                app: false,
                known: true,
                ..
            } => Password::Session(1),
            Case {
                app: false,
                known: false,
                ..
            } => Password::Approval,
            Case {
                app: true,
                known: true,
                trusted: true,
                ..
            } => Password::Session(1),
            Case { app: true, .. } => Password::Code,
        };
        let passkey = match self.passkey {
            true => Passkey::Session2,
            false => Passkey::None,
        };
        (password, passkey)
    }

    /// Whether a reset is still pending after the sign-ins of this case. A sign-in with a second factor cancels it.
    fn is_reset_kept(self, (password, passkey): (Password, Passkey)) -> bool {
        self.reset && self.app && password != Password::Code && passkey == Passkey::None
    }
}

/// An account in the state of the case.
struct Account {
    person: Person,
    authenticator: Authenticator,
    app: Option<AuthenticatorApp>,
    /// The browser of the sign-in.
    browser: Browser,
}

async fn prepare(site: &Site, number: usize, case: Case) -> Account {
    let person = site.signed_in(&format!("case{number}")).await;
    let mut authenticator = Authenticator::synced();
    if case.passkey {
        passkeys::add_passkey(&person.browser, &mut authenticator).await;
    }
    let mut app = None;
    if case.app {
        let response = person.browser.post("/second-factor/totp", &json!({})).await;
        let secret = response.json()["secret"].clone();
        let new = AuthenticatorApp::with_secret(secret.as_str().unwrap());
        let form = json!({"code": new.code(site.now())});
        assert_status!(
            person.browser.post("/second-factor/totp/confirm", &form),
            200
        );
        app = Some(new);
    }
    let browser = match case.known {
        true => person.browser.copy(),
        false => person.new_browser(),
    };
    let account = Account {
        person,
        authenticator,
        app,
        browser,
    };
    mark(site, &account, case).await;
    account
}

/// Trusts the device and requests a reset through the API.
async fn mark(site: &Site, account: &Account, case: Case) {
    let Some(app) = &account.app else { return };
    let person = &account.person;
    if case.trusted && case.known {
        site.advance("30s");
        let token = challenge(person, &account.browser).await;
        let form = json!({"token": token, "code": app.code(site.now()), "trust_device": true});
        assert_status!(account.browser.post("/login/second-factor", &form), 200);
    }
    if case.reset {
        let stranger = site.browser();
        let token = challenge(person, &stranger).await;
        let response = stranger
            .post("/second-factor/reset", &json!({"token": token}))
            .await;
        assert_eq!(response.status, 202, "{}", response.text());
    }
    site.advance("30s");
}

async fn is_reset_pending(site: &Site, person: &Person) -> bool {
    let sql = "SELECT 1 FROM second_factor_resets r JOIN accounts a ON a.id = r.account_id
               WHERE a.username = $1";
    !site
        .rows(sql, account::params![&person.name])
        .await
        .is_empty()
}

async fn challenge(person: &Person, browser: &Browser) -> String {
    let response = browser.post("/login", &person.credentials()).await;
    response.assert_error_with_data(ErrorCode::SecondFactorRequired);
    let token = response.json()["second_factor_token"].clone();
    token.as_str().unwrap().to_owned()
}

async fn with_password(site: &Site, account: &Account) -> Password {
    let browser = account.browser.copy();
    let response = browser.post("/login", &account.person.credentials()).await;
    let body = response.json();
    match body["code"].as_str() {
        None => Password::Session(fetch_security(&browser).await["aal"].as_u64().unwrap() as u8),
        Some("new_device") => Password::Approval,
        Some("second_factor_required") => {
            let token = body["second_factor_token"].as_str().unwrap();
            let code = account.app.as_ref().unwrap().code(site.now());
            let response = second_step(&browser, token, &code).await;
            response.assert_json(200, &account.person.user().await);
            assert_eq!(fetch_security(&browser).await["aal"], 2);
            Password::Code
        }
        Some(other) => panic!("{other}"),
    }
}

async fn with_passkey(account: &mut Account, has_passkey: bool) -> Passkey {
    if !has_passkey {
        return Passkey::None;
    }
    let browser = account.browser.copy();
    let response = passkeys::sign_in(&browser, &mut account.authenticator).await;
    response.assert_json(200, &account.person.user().await);
    assert_eq!(fetch_security(&browser).await["aal"], 2);
    Passkey::Session2
}

// security: TF-8
on_both_databases!(the_account_and_the_device_determine_the_steps_of_a_sign_in);
async fn the_account_and_the_device_determine_the_steps_of_a_sign_in(db: Database) {
    let site = db.allow_unread_mails().site_without_limits().await;
    for (number, case) in Case::all().enumerate() {
        site.mails().await;
        let mut account = prepare(&site, number, case).await;
        let password = with_password(&site, &account).await;
        let passkey = with_passkey(&mut account, case.passkey).await;
        assert_eq!((password, passkey), case.expected(), "{case:?}");
        let pending = is_reset_pending(&site, &account.person).await;
        assert_eq!(pending, case.is_reset_kept((password, passkey)), "{case:?}");
    }
}
