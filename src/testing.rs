//! Internals that the integration tests and benchmarks use, under their paths in the crate. Not a public interface.

pub mod accounts {
    use uuid::Uuid;

    use crate::accounts::{deletion, disabling};
    use crate::app::App;
    use crate::auth::security_log::Actor;
    use crate::db::{StoreError, Tx};
    use crate::store::accounts::{self, Account};
    use crate::store::support_audit::{self, NewAuditEntry};

    async fn locked(app: &App, id: Uuid) -> Result<(Tx, Account), StoreError> {
        let mut tx = app.store.write().await?;
        let account = accounts::lock(&mut tx, id).await?;
        let account = account.ok_or_else(|| StoreError::Other("no such account".to_owned()))?;
        Ok((tx, account))
    }

    /// Writes the audit row that every action of support requires.
    async fn support(app: &App, tx: &mut Tx, id: Uuid) -> Result<Actor<'static>, StoreError> {
        let at = app.clock.millis();
        let entry = NewAuditEntry {
            id: app.rng.id(at),
            at,
            operator: Some("test"),
            agent_id: None,
            action: "test",
            account_id: Some(id),
            reason: None,
            refusal: None,
        };
        let receipt = support_audit::insert(tx, &entry).await?;
        Ok(Actor::Support(receipt))
    }

    /// Disables an account as support does.
    pub async fn disable(app: &App, id: Uuid) -> Result<bool, StoreError> {
        let (mut tx, account) = locked(app, id).await?;
        let actor = support(app, &mut tx, id).await?;
        let done = disabling::disable(app, &mut tx, &account, actor).await?;
        tx.commit().await?;
        Ok(done)
    }

    /// Enables an account as support does.
    pub async fn enable(app: &App, id: Uuid) -> Result<bool, StoreError> {
        let (mut tx, account) = locked(app, id).await?;
        let actor = support(app, &mut tx, id).await?;
        let done = disabling::enable(app, &mut tx, &account, actor).await?;
        tx.commit().await?;
        Ok(done)
    }

    /// Requests a deletion as the program does.
    pub async fn request_deletion(app: &App, id: Uuid) -> Result<i64, StoreError> {
        let (mut tx, account) = locked(app, id).await?;
        let at = deletion::request(app, &mut tx, &account, Actor::System).await?;
        tx.commit().await?;
        Ok(at)
    }
}
pub mod auth {
    pub mod deletion {
        pub use crate::auth::deletion::purge;
    }
}
pub mod clock {
    pub use crate::clock::{Clock, rfc3339};
}
pub mod deliveries {
    pub mod worker {
        pub use crate::deliveries::worker::{drain, run};
    }
}
pub mod domain {
    pub mod email {
        pub use crate::domain::email::Email;
    }
    pub mod password {
        pub use crate::domain::password::Password;
    }
    pub mod secret {
        pub use crate::domain::secret::Secret;
    }
    pub mod zipcode {
        pub use crate::domain::zipcode::*;
    }
}
pub mod error {
    pub use crate::domain::error_code::ErrorCode;
    pub use crate::domain::rule::Rule;
}
pub mod jobs {
    pub mod deletion {
        pub use crate::jobs::deletion::*;
    }
    pub mod expiry {
        pub use crate::jobs::expiry::*;
    }
    pub mod key_rotation {
        pub use crate::jobs::key_rotation::*;
    }
}
pub mod i18n {
    pub use crate::i18n::{Language, Message, catalogue};
}
pub mod legacy {
    pub mod import {
        pub use crate::legacy::import::*;
    }
    pub mod invite {
        pub use crate::legacy::invite::*;
    }
    pub mod purge {
        pub use crate::legacy::purge::*;
    }
    pub mod status {
        pub use crate::legacy::status::*;
    }
}
pub mod logs {
    pub use crate::logs::*;
}
pub mod mail {
    pub use crate::mail::MailKind;
    pub mod retry {
        pub use crate::mail::retry::*;
    }
    pub mod worker {
        pub use crate::mail::worker::*;
    }
}
pub mod openapi {
    pub use crate::http::openapi::document;
}
pub mod ops {
    pub use crate::http::ops::router;
}
pub mod pages {
    pub mod branding {
        pub use crate::http::pages::branding::digest;
    }
    pub mod files {
        pub use crate::http::pages::files::Dist;
    }
    pub mod page {
        pub use crate::http::pages::page::PAGES;
    }
    pub mod page_fragments {
        pub use crate::http::pages::page_fragments::STYLE;
    }
    pub mod upstream {
        pub use crate::http::pages::upstream::Upstream;
    }
}
pub mod people {
    use axum::http::request::Parts;
    use jiff::civil::date;
    use uuid::Uuid;

    use crate::app::{App, SharedApp};
    use crate::auth::account_state::UsableAccount;
    use crate::auth::browser_session::VerifiedBrowser;
    use crate::auth::client::Client;
    use crate::auth::security_log::Event;
    use crate::auth::session_proof::SessionProof;
    use crate::db::Tx;
    use crate::domain::consent::MarketingConsent;
    use crate::domain::email::Email;
    use crate::domain::password::{LengthPolicy, Password};
    use crate::domain::security_event::SecurityEvent;
    use crate::domain::username::Username;
    use crate::error::{ApiError, ErrorCode};
    use crate::http::cookies::CookieNames;
    use crate::http::extract::client::client_of;
    use crate::store::accounts::{self, NewAccount};
    use crate::store::devices;

    /// The person of an account with a verified address.
    pub struct NewPerson<'a> {
        pub email: &'a str,
        pub username: &'a str,
        pub password: &'a str,
        pub is_signed_in: bool,
    }

    /// Inserts the account, device, session and events that registration, confirmation and sign-in leave. Mails
    /// nothing and counts no limit. Returns the names and values of the browser's cookies.
    ///
    /// # Errors
    /// The code of the failure, such as that of a taken address.
    pub async fn insert(
        app: &SharedApp,
        browser: &Parts,
        person: &NewPerson<'_>,
    ) -> Result<Vec<(&'static str, String)>, &'static str> {
        let inserted = insert_rows(app, client_of(browser, app), person).await;
        inserted.map_err(|error| error.code.as_str())
    }

    async fn insert_rows(
        app: &App,
        mut client: Client,
        person: &NewPerson<'_>,
    ) -> Result<Vec<(&'static str, String)>, ApiError> {
        let invalid = |_| ErrorCode::ValidationFailed;
        let password = Password::new(person.password, LengthPolicy::Default).map_err(invalid)?;
        let hash = app.hasher.hash(&password, &app.rng).await?;
        let device = client.device_or_new(&app.rng);
        client.device = Some(device.clone());
        let now = app.clock.millis();
        let id = app.rng.id(now);
        let mut tx = app.store.write().await?;
        let account = NewAccount {
            id,
            email: &Email::parse(person.email).map_err(invalid)?,
            username: &Username::parse(person.username).map_err(invalid)?,
            password_hash: &hash,
            language: client.language,
            region: &client.region,
            country: "us",
            zipcode: "90210",
            birthday: date(1990, 7, 5),
            first_name: None,
            last_name: None,
            marketing_consent: MarketingConsent::with_current_text(false, client.language),
            verified_at: Some(now),
            now,
        };
        accounts::insert(&mut tx, &account).await?;
        let (new_id, name) = (app.rng.id(now), client.device_name());
        devices::enrol(&mut tx, new_id, id, &device.hash(), &name, now).await?;
        for kind in [SecurityEvent::Registered, SecurityEvent::EmailVerified] {
            Event::new(kind, id, &client).record(app, &mut tx).await?;
        }
        let names = CookieNames::new(&app.config);
        let mut cookies = vec![(names.device, device.expose().to_owned())];
        if person.is_signed_in {
            let session;
            (tx, session) = sign_in(app, tx, &client, id).await?;
            cookies.push((names.session, session));
        }
        tx.commit().await?;
        Ok(cookies)
    }

    async fn sign_in(
        app: &App,
        mut tx: Tx,
        client: &Client,
        id: Uuid,
    ) -> Result<(Tx, String), ApiError> {
        let account = accounts::lock(&mut tx, id).await?.expect("inserted before");
        let usable = UsableAccount::of(&account).expect("a new account may be used");
        let browser = VerifiedBrowser::find(app, &mut tx, client, &account).await?;
        let now = app.clock.millis();
        let proof = SessionProof::by_password(&mut tx, usable, browser.device.as_ref(), now);
        let proof = proof.await?.expect("a new account has no second factor");
        let (tx, signed_in) = browser.start_session(app, tx, proof).await?;
        Ok((tx, signed_in.session.expose().to_owned()))
    }
}
pub mod rate_limit {
    pub use crate::rate_limit::{LimitedAction, MailBudget};
}
pub mod rng {
    pub use crate::rng::Rng;
}
pub mod sealing {
    pub use crate::sealing::key_file::{create, read};
    pub use crate::sealing::{FieldLocation, SealedColumn, open, seal};
}

pub mod serve {
    pub use crate::http::server::*;
}
pub mod db {
    pub use crate::db::{Param, Row, Store, Tx};
}
pub mod signing_keys {
    use crate::app::App;
    use crate::store::sealed::SealingError;
    use crate::store::signing_keys::Rotation;

    /// Rotates the keys as `account oidc keys --rotate --now` does. Returns the number of new keys.
    pub async fn rotate_now(app: &App) -> Result<u64, SealingError> {
        let keys = &app.signing_keys;
        keys.rotate(&app.store, &app.config, Rotation::Now).await
    }
}
pub mod store {
    pub mod backup {
        pub use crate::store::backup::*;
    }
    pub mod copy {
        pub use crate::store::copy::*;
    }
    pub mod sealed {
        pub use crate::store::sealed::{SealingError, prepare_rotation, rotate};
    }
    pub mod sealer {
        pub use crate::store::sealer::Sealer;
    }
    pub mod outbox {
        pub use crate::store::outbox::*;
    }
    pub mod tokens {
        pub use crate::store::tokens::Purpose;
    }
}
