//! Unsubscribing from invitations.

use uuid::Uuid;

use crate::app::App;
use crate::auth::client::Client;
use crate::auth::mailed_link::MailedLink;
use crate::db::conflict::retry_on_conflict;
use crate::db::{StoreError, Tx};
use crate::error::{ApiError, ErrorCode};
use crate::mail::{self, MailKind};
use crate::store::legacy;
use crate::store::tokens::{Purpose, Redemption};

/// Stops the invitations to a legacy account. A repeated call succeeds until the token expires.
pub(crate) async fn unsubscribe(
    app: &App,
    client: &Client,
    token: Option<&str>,
) -> Result<(), ApiError> {
    let link = MailedLink::open(app, client, "unsubscribe", token).await?;
    retry_on_conflict(&app.rng, || redeem(app, &link)).await
}

async fn redeem(app: &App, link: &MailedLink) -> Result<(), ApiError> {
    let mut tx = app.store.write().await?;
    match link
        .redeem_again(app, &mut tx, Purpose::Unsubscribe)
        .await?
    {
        Redemption::Redeemed(token) => {
            stop_invitations(app, &mut tx, token.subject_id).await?;
        }
        Redemption::AlreadyRedeemed(_) => {}
        Redemption::Invalid => return Err(ErrorCode::InvalidToken.into()),
    }
    link.commit(app, tx).await
}

/// Marks the legacy account, and withdraws a queued invitation.
pub(crate) async fn stop_invitations(app: &App, tx: &mut Tx, id: Uuid) -> Result<(), StoreError> {
    legacy::mark_unsubscribed(tx, id, app.clock.millis()).await?;
    mail::withdraw(tx, id, MailKind::Invitation).await?;
    tx.on_commit(move || {
        tracing::info!(target: "security", event = "unsubscribed", legacy = %id);
    });
    Ok(())
}
