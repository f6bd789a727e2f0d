//! Strong factors: the proof of identity that each change of the ways to sign in requires, and the loss of the last
//! factor.

mod levels;
mod lost;
mod roles;

use crate::support::authenticator_app::AuthenticatorApp;
use crate::support::prelude::*;
use crate::{passkeys, second_factor};

/// The strong factors of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Factors {
    None,
    App,
    Passkey,
    Both,
}

impl Factors {
    pub const ALL: [Factors; 4] = [Factors::None, Factors::App, Factors::Passkey, Factors::Both];

    pub fn has_app(self) -> bool {
        matches!(self, Factors::App | Factors::Both)
    }

    pub fn has_passkey(self) -> bool {
        matches!(self, Factors::Passkey | Factors::Both)
    }
}

/// A signed-in person with strong factors.
pub struct Holder {
    pub person: Person,
    pub app: Option<AuthenticatorApp>,
    pub authenticator: Authenticator,
}

impl std::ops::Deref for Holder {
    type Target = Person;

    fn deref(&self) -> &Person {
        &self.person
    }
}

pub async fn holder(site: &Site, name: &str, factors: Factors) -> Holder {
    site.mails().await;
    add_factors(site, site.signed_in(name).await, factors).await
}

async fn add_factors(site: &Site, mut person: Person, factors: Factors) -> Holder {
    let mut authenticator = Authenticator::synced();
    if factors.has_passkey() {
        passkeys::add_passkey(&person.browser, &mut authenticator).await;
    }
    site.mails().await;
    let mut app = None;
    if factors.has_app() {
        let member = second_factor::turn_on(site, person).await;
        (person, app) = (member.person, Some(member.app));
    }
    site.mails().await;
    Holder {
        person,
        app,
        authenticator,
    }
}

/// A second browser of the person, signed in with the password alone. The site requires no approval of new devices.
async fn with_password(person: &Person) -> Browser {
    let browser = person.new_browser();
    person.sign_in(&browser).await;
    browser
}
