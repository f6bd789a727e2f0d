//! Unsubscribing from invitations.

use crate::app::App;
use crate::auth::client::Client;
use crate::auth::mailed_link::MailedLink;
use crate::db::conflict::retry_on_conflict;
use crate::error::{ApiError, ErrorCode};
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
            legacy::mark_unsubscribed(&mut tx, token.subject_id, app.clock.millis()).await?;
            tx.on_commit(move || {
                tracing::info!(target: "security", event = "unsubscribed", legacy = %token.subject_id);
            });
        }
        Redemption::AlreadyRedeemed(_) => {}
        Redemption::Invalid => return Err(ErrorCode::InvalidToken.into()),
    }
    link.commit(app, tx).await
}
