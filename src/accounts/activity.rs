//! Lists the security events of an account, and handles the report of its owner that a listed sign-in was not theirs.

use uuid::Uuid;

use crate::accounts::pending::{self, Cause};
use crate::accounts::prelude::*;
use crate::accounts::security_log::EventDetail;
use crate::accounts::session::{LockedRows, SignedIn};
use crate::domain::list_page::ListPage;
use crate::domain::secret::SecretHash;
use crate::mail::links::{self, Ending};
use crate::store::devices;
use crate::store::security_events::{self, StoredEvent};

/// Returns at most `limit` events of the account, newest first, starting after the event with the id `before`.
pub(crate) async fn list(
    app: &App,
    signed_in: &SignedIn,
    before: Option<Uuid>,
    limit: u8,
) -> ApiResult<ListPage<StoredEvent>> {
    let account = signed_in.session().account_id;
    let mut tx = app.store.read().await?;
    let more = ListPage::<StoredEvent>::rows_to_read(limit);
    let events = security_events::list(&mut tx, account, before, more).await?;
    Ok(ListPage::new(events, limit, |event| event.id))
}

/// Removes the device of a sign-in that the owner does not recognise, which ends the sessions of the device and
/// invalidates the links that would approve it. Cancels a pending email change and a pending reset of the second
/// factor. Returns 404 if `id` is not the id of a sign-in event of the account. A repeated report changes nothing: it
/// counts against no limit, because an attacker with a stolen session could otherwise use up the limit.
pub(crate) async fn disown_sign_in(
    app: &App,
    client: &Client,
    signed_in: &SignedIn,
    id: Uuid,
) -> ApiResult {
    change(app, client, |mut change| async move {
        let LockedRows { account, .. } = signed_in.lock(&mut change).await?;
        let event = security_events::find(&mut change, account.id, id).await?;
        let event = event.filter(|event| {
            SecurityEvent::from_name(&event.kind).is_some_and(SecurityEvent::is_sign_in)
        });
        let event = event.ok_or(ErrorCode::NotFound)?;
        if !security_events::mark_disowned(&mut change, account.id, &event).await? {
            return change.commit(()).await;
        }
        if let Some(device) = &event.device_hash {
            remove_device(&mut change, account.id, device).await?;
        }
        // The person who signed in may have requested an email change or a reset of the second factor.
        pending::stop_by(&mut change, &account, Cause::DeviceRefused).await?;
        let signed_out = Event::new(SecurityEvent::DeviceSignedOut, account.id);
        let signed_out = signed_out.detail(EventDetail::Device(event.device_name.as_deref()));
        change.record(signed_out).await?;
        change.commit(()).await
    })
    .await
}

async fn remove_device(change: &mut Change<'_>, account: Uuid, device: &SecretHash) -> ApiResult {
    let ended = devices::remove_by_cookie(change, account, device).await?;
    change.report_ended(ended).await?;
    links::end(change, account, Ending::Device(device)).await?;
    Ok(())
}
