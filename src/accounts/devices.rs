//! The devices on which an account is signed in, and how one is signed out, also with the token of a
//! sign-in that was refused at the device limit.

use uuid::Uuid;

use crate::app::App;
use crate::auth::mailed_link::MailedLink;
use crate::auth::session::{SignedIn, SignedInChange};
use crate::db::conflict::repeated;
use crate::error::Failure;
use crate::mail::{self, Kind};
use crate::store::tokens::Purpose;
use crate::store::{devices, sessions};

/// Forgets a device of the session's account. Returns the account.
pub(crate) async fn sign_out(
    app: &App,
    signed_in: &SignedIn,
    device: Uuid,
) -> Result<Uuid, Failure> {
    repeated(&app.rng, || async {
        let SignedInChange {
            mut tx, session, ..
        } = signed_in.begin_change(app).await?;
        devices::remove(&mut tx, session.account_id(), device).await?;
        tx.commit().await?;
        Ok(session.account_id())
    })
    .await
}

/// Forgets a device with the token of a sign-in that was refused at the device limit. The token is used
/// up: a further sign-in gets a new one while there are too many devices. Returns the account.
pub(crate) async fn sign_out_with_token(
    app: &App,
    link: &MailedLink,
    device: Uuid,
) -> Result<Uuid, Failure> {
    repeated(&app.rng, || async {
        let mut tx = app.store.write().await?;
        let token = link.redeem(app, &mut tx, Purpose::DeviceChoice).await?;
        devices::remove(&mut tx, token.subject_id, device).await?;
        link.commit(app, tx).await?;
        Ok(token.subject_id)
    })
    .await
}

/// Ends all sessions, this one included. Every device but this one is forgotten, and a pending address change ends.
/// Returns the account.
pub(crate) async fn sign_out_everywhere(app: &App, signed_in: &SignedIn) -> Result<Uuid, Failure> {
    repeated(&app.rng, || async {
        let SignedInChange {
            mut tx, session, ..
        } = signed_in.begin_change(app).await?;
        let account = session.account_id();
        sessions::end_all(&mut tx, account).await?;
        devices::remove_others(&mut tx, account, session.device_id()).await?;
        mail::end_link(&mut tx, account, Kind::ConfirmNewEmail).await?;
        tx.commit().await?;
        Ok(account)
    })
    .await
}
