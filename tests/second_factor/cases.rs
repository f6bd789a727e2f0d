//! TF-8: the factors that a sign-in requires, in all 32 combinations of passkey, authenticator app, known device,
//! trusted device and pending reset. The table is the documentation of the policy.

use super::{fetch_security, first_step, second_step};
use crate::passkeys;
use crate::strong_factors::{Factors, Holder, holder};
use crate::support::prelude::*;

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
    factors: Factors,
    known: bool,
    trusted: bool,
    reset: bool,
}

impl Case {
    fn all() -> impl Iterator<Item = Case> {
        (0..32).map(|bits| Case {
            factors: Factors::ALL[bits >> 3],
            known: bits & 4 != 0,
            trusted: bits & 2 != 0,
            reset: bits & 1 != 0,
        })
    }

    /// Trust is an attribute of a known device that only a code sets. A reset exists only with a second factor. A case
    /// without these preconditions behaves as if the attribute were not set.
    fn expected(self) -> (Password, Passkey) {
        let password = match (self.factors.has_app(), self.known) {
            (false, true) => Password::Session(1),
            (false, false) => Password::Approval,
            (true, true) if self.trusted => Password::Session(1),
            (true, _) => Password::Code,
        };
        let passkey = match self.factors.has_passkey() {
            true => Passkey::Session2,
            false => Passkey::None,
        };
        (password, passkey)
    }

    /// Whether a reset is still pending after the sign-ins of this case. A sign-in with a second factor cancels it.
    fn is_reset_kept(self, (password, passkey): (Password, Passkey)) -> bool {
        self.reset
            && self.factors.has_app()
            && password != Password::Code
            && passkey == Passkey::None
    }
}

/// A person in the state of the case, and the browser of the sign-in.
async fn prepare(site: &Site, number: usize, case: Case) -> (Holder, Browser) {
    let holder = holder(site, &format!("case{number}"), case.factors).await;
    let person = &holder.person;
    let browser = match case.known {
        true => person.browser.copy(),
        false => person.new_browser(),
    };
    if let Some(app) = &holder.app {
        if case.trusted && case.known {
            site.advance("30s");
            let token = first_step(person, &browser).await;
            let form = json!({"token": token, "code": app.code(site.now()), "trust_device": true});
            assert_ok!(browser.post("/login/second-factor", &form));
        }
        if case.reset {
            let stranger = site.browser();
            let token = first_step(person, &stranger).await;
            assert_status!(stranger.request_factor_reset(&token), 202);
        }
        site.advance("30s");
    }
    (holder, browser)
}

async fn is_reset_pending(site: &Site, person: &Person) -> bool {
    let sql = "SELECT 1 FROM pending_acts p JOIN accounts a ON a.id = p.account_id
               WHERE a.username = $1 AND p.act = 'factor_reset'";
    !site.rows(sql, params![&person.name]).await.is_empty()
}

async fn with_password(site: &Site, holder: &Holder, browser: &Browser) -> Password {
    let browser = browser.copy();
    let response = holder.try_sign_in(&browser).await;
    let body = response.json();
    match body["code"].as_str() {
        None => Password::Session(fetch_security(&browser).await["aal"].as_u64().unwrap() as u8),
        Some("new_device") => Password::Approval,
        Some("second_factor_required") => {
            let token = body["second_factor_token"].as_str().unwrap();
            let code = holder.app.as_ref().unwrap().code(site.now());
            let response = second_step(&browser, token, &code).await;
            response.assert_json(200, &holder.user().await);
            assert_eq!(fetch_security(&browser).await["aal"], 2);
            Password::Code
        }
        Some(other) => panic!("{other}"),
    }
}

async fn with_passkey(holder: &mut Holder, browser: &Browser) -> Passkey {
    let browser = browser.copy();
    let response = passkeys::sign_in(&browser, &mut holder.authenticator).await;
    response.assert_json(200, &holder.user().await);
    assert_eq!(fetch_security(&browser).await["aal"], 2);
    Passkey::Session2
}

// security: TF-8
on_both_databases!(the_account_and_the_device_determine_the_steps_of_a_sign_in);
async fn the_account_and_the_device_determine_the_steps_of_a_sign_in(Unlimited(site): Unlimited) {
    site.allow_unread_mails();
    for (number, case) in Case::all().enumerate() {
        let (mut holder, browser) = prepare(&site, number, case).await;
        let password = with_password(&site, &holder, &browser).await;
        let passkey = match case.factors.has_passkey() {
            true => with_passkey(&mut holder, &browser).await,
            false => Passkey::None,
        };
        assert_eq!((password, passkey), case.expected(), "{case:?}");
        let pending = is_reset_pending(&site, &holder).await;
        assert_eq!(pending, case.is_reset_kept((password, passkey)), "{case:?}");
    }
}
