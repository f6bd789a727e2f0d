//! Credentials that are removed by another change, without a session of their owner.

use serde_json::json;

use super::second_factor::{self, reset};
use crate::app::App;
use crate::auth::client::Client;
use crate::auth::security_log::Event;
use crate::db::Tx;
use crate::domain::secret::Secret;
use crate::domain::security_event::SecurityEvent;
use crate::error::ApiError;
use crate::mail::{self, MailKind, OutgoingMail};
use crate::store::accounts::Account;
use crate::store::{credentials, recovery_codes, totp};

/// Removes every credential with this change number or a later one, and cancels a pending reset of the second factor.
/// `cookie` becomes the browser's device cookie.
pub(crate) async fn remove_since(
    app: &App,
    tx: &mut Tx,
    client: &Client,
    account: &Account,
    cookie: &Secret,
    number: i64,
) -> Result<(), ApiError> {
    let passkeys = credentials::remove_since(tx, account.id, number).await?;
    report_passkeys(app, tx, client, account, cookie, &passkeys).await?;
    recovery_codes::remove_since(tx, account.id, number).await?;
    if totp::remove_since(tx, account.id, number).await? {
        second_factor::turn_off(tx, account).await?;
        let notice = OutgoingMail::to(account, MailKind::SecondFactorDisabled);
        mail::queue(app, tx, notice.at(app.clock.millis())).await?;
        let event = Event::new(SecurityEvent::SecondFactorDisabled, account.id, client);
        event.device(cookie).record(app, tx).await?;
    }
    reset::cancel(app, tx, client, account).await
}

/// Removes all passkeys of the account. `cookie` as in [`remove_since`].
pub(crate) async fn remove_passkeys(
    app: &App,
    tx: &mut Tx,
    client: &Client,
    account: &Account,
    cookie: &Secret,
) -> Result<(), ApiError> {
    let names = credentials::remove_all(tx, account.id).await?;
    report_passkeys(app, tx, client, account, cookie, &names).await
}

/// Records the removal of the passkeys with these names, and mails a notice if there are any.
async fn report_passkeys(
    app: &App,
    tx: &mut Tx,
    client: &Client,
    account: &Account,
    cookie: &Secret,
    names: &[String],
) -> Result<(), ApiError> {
    for name in names {
        let event = Event::new(SecurityEvent::PasskeyRemoved, account.id, client);
        let event = event.device(cookie).details(json!({"name": name}));
        event.record(app, tx).await?;
    }
    if !names.is_empty() {
        let notice = OutgoingMail::to(account, MailKind::PasskeyRemoved).at(app.clock.millis());
        mail::queue(app, tx, notice).await?;
    }
    Ok(())
}
