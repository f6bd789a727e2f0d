//! Internals that the integration tests and benchmarks use, under their paths in the crate. This module is not a public
//! interface.

pub use crate::http::server as serve;
pub use crate::observability::logs;

pub mod accounts {
    use uuid::Uuid;

    use crate::accounts::actor::Actor;
    use crate::accounts::change::{Change, change};
    use crate::accounts::deletion::{self, disabling};
    use crate::app::App;
    use crate::db::StoreError;
    use crate::domain::email::Email;
    use crate::store::accounts::{self, Account};
    use crate::store::support_audit::{self, NewAuditEntry};
    use crate::support::actions::{self, SupportOperation};
    use crate::support::audited::SupportActor;
    use crate::support::lookup::AccountKey;

    /// Locks the account, and writes the audit row that every action of support requires.
    async fn lock_as_support(
        mut change: Change<'_>,
        id: Uuid,
    ) -> Result<(Change<'_>, Account), StoreError> {
        let account = lock_account(&mut change, id).await?;
        let entry = NewAuditEntry {
            id: change.new_id(),
            at: change.now,
            operator: Some("test"),
            agent_id: None,
            action: "test",
            account_id: Some(id),
            reason: None,
            refusal: None,
        };
        let receipt = support_audit::insert(&mut change, &entry).await?;
        Ok((change.caused_by(Actor::Support(receipt)), account))
    }

    async fn lock_account(change: &mut Change<'_>, id: Uuid) -> Result<Account, StoreError> {
        let account = accounts::lock(change, id).await?;
        account.ok_or_else(|| StoreError::Other("no such account".into()))
    }

    pub async fn disable(app: &App, id: Uuid) -> Result<bool, StoreError> {
        change(app, Actor::System, |change| async move {
            let (mut change, account) = lock_as_support(change, id).await?;
            let done = disabling::disable(&mut change, &account, false).await?;
            change.commit(done).await
        })
        .await
    }

    pub async fn enable(app: &App, id: Uuid) -> Result<bool, StoreError> {
        change(app, Actor::System, |change| async move {
            let (mut change, account) = lock_as_support(change, id).await?;
            let done = disabling::enable(&mut change, &account).await?;
            change.commit(done).await
        })
        .await
    }

    /// Sets the email address of an account or of a legacy account, as `account users set-email` does. Fails with the
    /// error code.
    pub async fn set_email(app: &App, id: Uuid, email: &str) -> Result<(), &'static str> {
        let email = Email::parse(email).map_err(|_| "the email address is invalid")?;
        let (actor, key) = (SupportActor::Operator("test"), AccountKey::Id(id));
        let operation = SupportOperation::SetEmail(&email);
        let done = actions::perform(app, actor, &key, operation, None).await;
        done.map(drop).map_err(|error| error.code.as_str())
    }

    /// Requests the deletion of an account by the same flow as in production.
    pub async fn request_deletion(app: &App, id: Uuid) -> Result<i64, StoreError> {
        change(app, Actor::System, |mut change| async move {
            let account = lock_account(&mut change, id).await?;
            let due_at = deletion::request_deletion(&mut change, &account).await?;
            change.commit(due_at).await
        })
        .await
    }
}
pub mod auth {
    pub use crate::accounts::deletion::erasure as deletion;
}
pub mod clock {
    pub use crate::clock::{Clock, rfc3339};
}
pub mod domain {
    pub use crate::domain::{email, password, secret, session_id, zipcode};
}
pub mod error {
    pub use crate::domain::error_code::ErrorCode;
    pub use crate::domain::field_rule::FieldRule;
    pub use crate::http::error::status_of;
}
pub mod jobs {
    pub use crate::jobs::{deletion, expiry, key_rotation};
}
pub mod i18n {
    pub use crate::i18n::{Language, Message, catalogue};
}
pub mod legacy {
    pub use crate::legacy::{import, invite, purge, status};
}
pub mod mail {
    pub use crate::mail::MailKind;
}
pub mod openapi {
    pub use crate::http::router::openapi_document as document;
}
pub mod ops {
    pub use crate::http::ops::router;
}
pub mod outbox {
    pub use crate::outbox::{queues, retry};
}
pub mod pages {
    pub use crate::http::pages::{branding, files, page_fragments, table, upstream};
}
pub mod people {
    use hyper::http::request::Parts;
    use jiff::civil::date;
    use uuid::Uuid;

    use crate::accounts::change::{Change, change};
    use crate::accounts::client::Client;
    use crate::accounts::security_log::Event;
    use crate::accounts::session::browser_session::{self, VerifiedBrowser};
    use crate::accounts::session::session_proof::SessionProof;
    use crate::app::{App, SharedApp};
    use crate::domain::consent::MarketingConsent;
    use crate::domain::email::Email;
    use crate::domain::password::{LengthPolicy, Password};
    use crate::domain::security_event::SecurityEvent;
    use crate::domain::username::Username;
    use crate::error::{ApiResult, ErrorCode};
    use crate::http::cookies::CookieNames;
    use crate::http::extract::client::client_of;
    use crate::store::accounts::{self, NewAccount};

    /// A person with a verified email address.
    pub struct NewPerson<'a> {
        pub email: &'a str,
        pub username: &'a str,
        pub password: &'a str,
        pub is_signed_in: bool,
    }

    /// Inserts the account, device, session and events that registration, confirmation and sign-in leave. Sends no mail
    /// and counts no limit. Returns the names and values of the browser's cookies.
    /// Fails with the error code of the API, for example `account_exists` for a taken email address.
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
    ) -> ApiResult<Vec<(&'static str, String)>> {
        let invalid = |_| ErrorCode::ValidationFailed;
        let password = Password::new(person.password, LengthPolicy::Default).map_err(invalid)?;
        let hash = app.hasher.hash(&password, &app.rng).await?;
        let device = client.device_or_new(&app.rng);
        client.device_cookie = Some(device.clone());
        let (client, device, hash) = (&client, &device, &hash);
        change(app, client, |mut change| async move {
            let now = change.now;
            let account = NewAccount {
                id: change.new_id(),
                email: &Email::parse(person.email).map_err(invalid)?,
                username: &Username::parse(person.username).map_err(invalid)?,
                password_hash: hash,
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
            accounts::insert(&mut change, &account).await?;
            browser_session::enrol(&mut change, client, account.id, device).await?;
            for kind in [SecurityEvent::Registered, SecurityEvent::EmailVerified] {
                change.record(Event::new(kind, account.id)).await?;
            }
            let names = CookieNames::new(&app.config);
            let mut cookies = vec![(names.device, device.expose().to_owned())];
            if person.is_signed_in {
                let session;
                (change, session) = sign_in(change, client, account.id).await?;
                cookies.push((names.session, session));
            }
            change.commit(cookies).await
        })
        .await
    }

    async fn sign_in<'a>(
        mut change: Change<'a>,
        client: &Client,
        id: Uuid,
    ) -> ApiResult<(Change<'a>, String)> {
        let account = accounts::lock(&mut change, id).await?;
        let account = account.expect("inserted before");
        let browser = VerifiedBrowser::find(&mut change, client, &account).await?;
        let (mut change, usable) = browser.require_usable(change).await?;
        let device = browser.device.as_ref();
        let proof = SessionProof::by_password(&mut change, usable, device).await?;
        let proof = proof.expect("a new account has no second factor");
        let (change, signed_in) = browser.start_session(change, proof).await?;
        Ok((change, signed_in.session.expose()))
    }
}
pub mod rate_limit {
    pub use crate::rate_limit::{
        LimitName, LimitedAction, MailBudget, Spender, Subject, SubjectKind,
    };
}
pub mod rng {
    pub use crate::rng::Rng;
}
pub mod sealing {
    pub use crate::crypto::sealing::key_file::{create, read};
    pub use crate::crypto::sealing::{FieldLocation, Keys, SealedColumn, open, seal};
}
pub mod db {
    pub use crate::db::{Column, Param, Row, Store, Tx};
}
pub mod signing_keys {
    use crate::app::App;
    use crate::store::sealed::SealingError;
    use crate::store::signing_keys::Rotation;

    /// Rotates the keys as `account oidc keys --rotate --now` does. Returns the number of new keys.
    pub async fn rotate_keys(app: &App) -> Result<u64, SealingError> {
        let keys = &app.signing_keys;
        keys.rotate(&app.store, &app.config, Rotation::Now).await
    }
}
pub mod time_limit {
    pub use crate::time_limit::{TimeLimit, slowness};
}
pub mod store {
    pub use crate::maintenance::{backup, copy};
    pub use crate::store::{outbox, sealed, sealer, tokens};
}
