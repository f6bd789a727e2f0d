//! Unsubscribes a person from the mails that invite the person to migrate.

use uuid::Uuid;

use crate::accounts::mailed_link::MailedLink;
use crate::accounts::prelude::*;
use crate::db::StoreError;
use crate::mail::links;
use crate::store::legacy;
use crate::store::tokens::{Purpose, Redemption};

/// Stops the invitations to a legacy account. A repeated call succeeds until the token expires.
pub(crate) async fn unsubscribe(app: &App, client: &Client, token: &str) -> ApiResult {
    let link = &MailedLink::open(app, client, "unsubscribe", token).await?;
    change(app, client, |mut change| async move {
        match link
            .redeem_or_find_redeemed(&mut change, Purpose::Unsubscribe)
            .await?
        {
            Redemption::Redeemed(token) => {
                stop_invitations(&mut change, token.subject_id).await?;
            }
            Redemption::AlreadyRedeemed(_) => {}
            Redemption::Invalid => return Err(ErrorCode::InvalidToken.into()),
        }
        link.commit(change, ()).await
    })
    .await
}

/// Marks the legacy account as unsubscribed, and withdraws a queued invitation.
pub(crate) async fn stop_invitations(change: &mut Change<'_>, id: Uuid) -> Result<(), StoreError> {
    let now = change.now;
    legacy::mark_unsubscribed(change, id, now).await?;
    links::withdraw(change, id, MailKind::Invitation).await?;
    change.on_commit(move || {
        tracing::info!(target: "security", event = "unsubscribed", legacy = %id);
    });
    Ok(())
}
