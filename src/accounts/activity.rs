//! The list of recent activity, and "That wasn't me".

use serde_json::json;
use uuid::Uuid;

use crate::app::App;
use crate::auth::client::Client;
use crate::auth::security_log::Event;
use crate::auth::session::{SignedIn, SignedInChange};
use crate::auth::session_end;
use crate::db::Tx;
use crate::db::conflict::retry_on_conflict;
use crate::domain::list_page::ListPage;
use crate::domain::secret::SecretHash;
use crate::domain::security_event::SecurityEvent;
use crate::error::{ApiError, ErrorCode};
use crate::mail;
use crate::rate_limit::LimitedAction;
use crate::store::devices;
use crate::store::security_events::{self, StoredEvent};

/// Returns the account's events before the one with the id `before`, at most `limit`.
pub(crate) async fn list(
    app: &App,
    signed_in: &SignedIn,
    before: Option<Uuid>,
    limit: u8,
) -> Result<ListPage<StoredEvent>, ApiError> {
    let account = signed_in.session().account_id;
    let mut tx = app.store.read().await?;
    let more = ListPage::<StoredEvent>::rows_to_read(limit);
    let events = security_events::list(&mut tx, account, before, more).await?;
    Ok(ListPage::new(events, limit, |event| event.id))
}

/// Removes the device of a sign-in that the owner does not recognise: its sessions and its pending approvals end.
pub(crate) async fn disown(
    app: &App,
    client: &Client,
    signed_in: &SignedIn,
    id: Uuid,
) -> Result<(), ApiError> {
    retry_on_conflict(&app.rng, || async {
        let SignedInChange { tx, account, .. } = signed_in.begin_change(app).await?;
        let actions = [LimitedAction::PreferenceChange(account.id)];
        let now = app.clock.millis();
        let mut tx = app.rate_limiter.admit(tx, &actions, now).await?;
        let event = security_events::find(&mut tx, account.id, id).await?;
        let event = event.filter(|event| {
            SecurityEvent::from_name(&event.kind).is_some_and(SecurityEvent::is_sign_in)
        });
        let event = event.ok_or(ErrorCode::NotFound)?;
        if let Some(device) = &event.device_hash {
            remove_device(app, &mut tx, account.id, device).await?;
        }
        let signed_out = Event::new(SecurityEvent::DeviceSignedOut, account.id, client);
        let signed_out = signed_out.details(json!({"device": event.device_name}));
        signed_out.record(app, &mut tx).await?;
        Ok(tx.commit().await?)
    })
    .await
}

async fn remove_device(
    app: &App,
    tx: &mut Tx,
    account: Uuid,
    device: &SecretHash,
) -> Result<(), ApiError> {
    let ended = devices::remove_by_cookie(tx, account, device).await?;
    session_end::report(app, tx, ended).await?;
    mail::end_approvals_of(tx, account, &mail::encode_hash(device)).await?;
    Ok(())
}
