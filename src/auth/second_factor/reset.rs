//! The reset of a lost second factor. During its waiting period (`lifetimes.second_factor_reset`) the link in each
//! mail, a right second factor and a passkey cancel it.

use crate::app::App;
use crate::auth::client::Client;
use crate::auth::security_log::{Actor, Event};
use crate::db::Tx;
use crate::domain::security_event::SecurityEvent;
use crate::error::ApiError;
use crate::mail::{self, MailKind};
use crate::store::accounts::Account;
use crate::store::second_factor_resets;

/// Cancels the pending reset of an account, if there is one: withdraws its mails and ends its link.
pub(crate) async fn cancel(
    app: &App,
    tx: &mut Tx,
    client: &Client,
    account: &Account,
) -> Result<(), ApiError> {
    cancel_by(app, tx, Actor::Person(client), account).await
}

pub(crate) async fn cancel_by(
    app: &App,
    tx: &mut Tx,
    actor: Actor<'_>,
    account: &Account,
) -> Result<(), ApiError> {
    if !second_factor_resets::remove(tx, account.id).await? {
        return Ok(());
    }
    mail::withdraw(tx, account.id, MailKind::SecondFactorResetReminder).await?;
    mail::end_link(tx, account.id, MailKind::SecondFactorResetReady).await?;
    let event = Event::by_actor(SecurityEvent::SecondFactorResetCancelled, account.id, actor);
    Ok(event.record(app, tx).await?)
}
