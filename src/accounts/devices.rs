//! The devices on which an account is signed in. They can be signed out by a session, or by the token of a sign-in that
//! was refused at the device limit.

use serde_json::json;
use uuid::Uuid;

use crate::app::App;
use crate::auth::client::Client;
use crate::auth::mailed_link::MailedLink;
use crate::auth::security_log::Event;
use crate::auth::session::{SignedIn, SignedInChange};
use crate::auth::session_end;
use crate::db::Tx;
use crate::db::conflict::retry_on_conflict;
use crate::domain::security_event::SecurityEvent;
use crate::error::ApiError;
use crate::mail::{self, MailKind};
use crate::store::tokens::Purpose;
use crate::store::{accounts, devices, sessions};

/// Removes a device of the session's account.
pub(crate) async fn sign_out(
    app: &App,
    client: &Client,
    signed_in: &SignedIn,
    device: Uuid,
) -> Result<(), ApiError> {
    retry_on_conflict(&app.rng, || async {
        let SignedInChange {
            mut tx, session, ..
        } = signed_in.begin_change(app).await?;
        remove_device(app, &mut tx, client, session.account_id(), device).await?;
        Ok(tx.commit().await?)
    })
    .await
}

/// Removes a device with the token of a sign-in that was refused at the device limit. Redeems the token; a further
/// sign-in returns a new one while there are too many devices.
pub(crate) async fn sign_out_with_token(
    app: &App,
    client: &Client,
    link: &MailedLink,
    device: Uuid,
) -> Result<(), ApiError> {
    retry_on_conflict(&app.rng, || async {
        let mut tx = app.store.write().await?;
        let token = link.redeem(app, &mut tx, Purpose::DeviceChoice).await?;
        accounts::lock(&mut tx, token.subject_id).await?;
        remove_device(app, &mut tx, client, token.subject_id, device).await?;
        link.commit(app, tx).await
    })
    .await
}

/// Removes a device; its sessions end with it.
async fn remove_device(
    app: &App,
    tx: &mut Tx,
    client: &Client,
    account: Uuid,
    device: Uuid,
) -> Result<(), ApiError> {
    let (name, ended) = devices::remove(tx, account, device).await?;
    session_end::report(app, tx, ended).await?;
    let Some(name) = name else {
        return Ok(());
    };
    let event = Event::new(SecurityEvent::DeviceSignedOut, account, client);
    Ok(event
        .details(json!({"device": name}))
        .record(app, tx)
        .await?)
}

/// Ends all sessions including this one, removes every other device, and ends a pending address change.
pub(crate) async fn sign_out_everywhere(
    app: &App,
    client: &Client,
    signed_in: &SignedIn,
) -> Result<(), ApiError> {
    retry_on_conflict(&app.rng, || async {
        let SignedInChange {
            mut tx, session, ..
        } = signed_in.begin_change(app).await?;
        let account = session.account_id();
        let ended = sessions::end_all(&mut tx, account).await?;
        session_end::report(app, &mut tx, ended).await?;
        let ended = devices::remove_all_except(&mut tx, account, session.device_id()).await?;
        session_end::report(app, &mut tx, ended).await?;
        mail::end_link(&mut tx, account, MailKind::ConfirmNewEmail).await?;
        let event = Event::new(SecurityEvent::SignedOutEverywhere, account, client);
        event.record(app, &mut tx).await?;
        Ok(tx.commit().await?)
    })
    .await
}
