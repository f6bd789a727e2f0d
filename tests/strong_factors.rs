//! Strong factors: the proof of identity that each change of the ways to sign in requires, and the loss of the last
//! factor.

mod levels;
mod lost;
mod roles;

use crate::support::authenticator::Authenticator;
use crate::support::authenticator_app::AuthenticatorApp;
use crate::support::{Browser, Person, Site};
use crate::{passkeys, second_factor};

/// The strong factors of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Factors {
    None,
    App,
    Passkey,
    Both,
}

impl Factors {
    const ALL: [Factors; 4] = [Factors::None, Factors::App, Factors::Passkey, Factors::Both];

    fn has_app(self) -> bool {
        matches!(self, Factors::App | Factors::Both)
    }

    fn has_passkey(self) -> bool {
        matches!(self, Factors::Passkey | Factors::Both)
    }
}

/// A signed-in person with strong factors.
struct Holder {
    person: Person,
    app: Option<AuthenticatorApp>,
    authenticator: Authenticator,
}

async fn holder(site: &Site, name: &str, factors: Factors) -> Holder {
    site.mails().await;
    let mut person = site.signed_in(name).await;
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
