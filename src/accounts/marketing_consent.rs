//! The consent to the newsletter in the settings.

use serde_json::json;
use uuid::Uuid;

use crate::app::App;
use crate::auth::client::Client;
use crate::auth::security_log::{Actor, Event};
use crate::auth::session::{SignedIn, SignedInChange};
use crate::db::Tx;
use crate::db::conflict::retry_on_conflict;
use crate::domain::consent::MarketingConsent;
use crate::domain::security_event::SecurityEvent;
use crate::error::ApiError;
use crate::rate_limit::LimitedAction;
use crate::store::{accounts, consents};

/// Stores the choice with a record of the text that it refers to. An unchanged choice is not stored.
pub(crate) async fn set(
    app: &App,
    client: &Client,
    signed_in: &SignedIn,
    is_given: bool,
) -> Result<(), ApiError> {
    retry_on_conflict(&app.rng, || async {
        let SignedInChange { tx, account, .. } = signed_in.begin_change(app).await?;
        let now = app.clock.millis();
        let actions = [LimitedAction::PreferenceChange(account.id)];
        let mut tx = app.rate_limiter.admit(tx, &actions, now).await?;
        if accounts::marketing_consent(&mut tx, account.id).await? == Some(is_given) {
            return Ok(tx.commit().await?);
        }
        let consent = MarketingConsent::with_current_text(is_given, client.language);
        store(app, &mut tx, account.id, &consent, Actor::Person(client)).await?;
        Ok(tx.commit().await?)
    })
    .await
}

/// Stores the answer of a locked account, with its record.
pub(crate) async fn store(
    app: &App,
    tx: &mut Tx,
    account: Uuid,
    consent: &MarketingConsent,
    actor: Actor<'_>,
) -> Result<(), ApiError> {
    let now = app.clock.millis();
    accounts::set_marketing_consent(tx, account, consent.is_given, now).await?;
    consents::insert(tx, app.rng.id(now), account, consent, now).await?;
    let event = Event::by_actor(SecurityEvent::MarketingConsentChanged, account, actor);
    let event = event.details(json!({"consent": consent.is_given}));
    Ok(event.record(app, tx).await?)
}
