//! The operator disables and enables an account.

use serde_json::{Value, json};

use crate::app::App;
use crate::auth::access;
use crate::auth::security_log::{Actor, Event};
use crate::db::{Result, Tx};
use crate::domain::security_event::SecurityEvent;
use crate::mail::{self, MailKind, OutgoingMail};
use crate::store::account_states;
use crate::store::accounts::Account;

/// Disables a locked account: ends its sessions and links, and mails its owner. Returns false, and changes nothing, if
/// it was disabled before.
pub(crate) async fn disable(
    app: &App,
    tx: &mut Tx,
    account: &Account,
    actor: Actor<'_>,
) -> Result<bool> {
    if !set_disabled(app, tx, account, actor, json!({})).await? {
        return Ok(false);
    }
    let notice = OutgoingMail::to(account, MailKind::AccountDisabled).at(app.clock.millis());
    mail::queue(app, tx, notice).await?;
    Ok(true)
}

/// Disables a locked account like [`disable`], but mails nothing: relatives may read the mailbox of an owner who died.
pub(crate) async fn disable_quietly(
    app: &App,
    tx: &mut Tx,
    account: &Account,
    actor: Actor<'_>,
) -> Result<bool> {
    set_disabled(app, tx, account, actor, json!({"quiet": true})).await
}

/// `details` are the facts in the person's list.
async fn set_disabled(
    app: &App,
    tx: &mut Tx,
    account: &Account,
    actor: Actor<'_>,
    details: Value,
) -> Result<bool> {
    let now = app.clock.millis();
    if !account_states::disable(tx, account.id, now).await? {
        return Ok(false);
    }
    access::revoke(app, tx, account).await?;
    let event = Event::by_actor(SecurityEvent::Disabled, account.id, actor);
    event.details(details).record(app, tx).await?;
    Ok(true)
}

/// Enables a locked account, and mails its owner. Returns false, and changes nothing, if it was enabled before.
pub(crate) async fn enable(
    app: &App,
    tx: &mut Tx,
    account: &Account,
    actor: Actor<'_>,
) -> Result<bool> {
    if !account_states::enable(tx, account.id).await? {
        return Ok(false);
    }
    let event = Event::by_actor(SecurityEvent::Enabled, account.id, actor);
    event.record(app, tx).await?;
    let notice = OutgoingMail::to(account, MailKind::AccountEnabled).at(app.clock.millis());
    mail::queue(app, tx, notice).await?;
    Ok(true)
}
