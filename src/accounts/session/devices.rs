//! Signs devices out of an account, with a session, or with the token of a sign-in above the device limit.

use uuid::Uuid;

use crate::accounts::mailed_link::MailedLink;
use crate::accounts::pending::{self, Cause};
use crate::accounts::prelude::*;
use crate::accounts::security_log::{self, EventDetail};
use crate::accounts::session::{LockedRows, SignedIn};
use crate::store::accounts;
use crate::store::devices::{self, Device};
use crate::store::tokens::Purpose;

pub(crate) async fn sign_out(
    app: &App,
    client: &Client,
    signed_in: &SignedIn,
    device: Uuid,
) -> ApiResult {
    change(app, client, |mut change| async move {
        let LockedRows { session, .. } = signed_in.lock(&mut change).await?;
        remove_device(&mut change, session.account_id(), device).await?;
        change.commit(()).await
    })
    .await
}

/// Removes a device with the token of a sign-in that was refused because of the device limit. The token works once; a
/// further sign-in above the limit returns a new token.
pub(crate) async fn sign_out_with_token(
    app: &App,
    client: &Client,
    link: &MailedLink,
    device: Uuid,
) -> ApiResult {
    change(app, client, |mut change| async move {
        let token = link.redeem(&mut change, Purpose::DeviceChoice).await?;
        accounts::lock(&mut change, token.subject_id).await?;
        remove_device(&mut change, token.subject_id, device).await?;
        link.commit(change, ()).await
    })
    .await
}

/// Removes a device, which ends its sessions. An unknown device is not an error.
async fn remove_device(change: &mut Change<'_>, account: Uuid, device: Uuid) -> ApiResult {
    let (name, ended) = devices::remove(change, account, device).await?;
    change.report_ended(ended).await?;
    let Some(name) = name else {
        return Ok(());
    };
    let event = Event::new(SecurityEvent::DeviceSignedOut, account);
    Ok(change
        .record(event.detail(EventDetail::Device(Some(&name))))
        .await?)
}

/// Ends all sessions, removes every device except that of the session, and cancels a pending email change.
pub(crate) async fn sign_out_everywhere(
    app: &App,
    client: &Client,
    signed_in: &SignedIn,
) -> ApiResult {
    change(app, client, |mut change| async move {
        let LockedRows {
            account: locked,
            session,
        } = signed_in.lock(&mut change).await?;
        let account = locked.id;
        change.end_sessions(account).await?;
        let ended = devices::remove_all_except(&mut change, account, session.device_id()).await?;
        change.report_ended(ended).await?;
        pending::stop_by(&mut change, &locked, Cause::SignedOutEverywhere).await?;
        security_log::record(&mut change, SecurityEvent::SignedOutEverywhere, account).await?;
        change.commit(()).await
    })
    .await
}

impl SignedIn {
    /// Returns the devices that have a live session. The flag is true for the device of this session.
    pub(crate) async fn devices(&self, app: &App) -> crate::db::Result<Vec<(Device, bool)>> {
        let mut tx = app.store.read().await?;
        let now = app.clock.millis();
        let found = devices::list_signed_in(&mut tx, self.session().account_id, now).await?;
        let own = self.session().device_id;
        let marked = found.into_iter().map(|device| {
            let is_own = device.id == own;
            (device, is_own)
        });
        Ok(marked.collect())
    }
}
