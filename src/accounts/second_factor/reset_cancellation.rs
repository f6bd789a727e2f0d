//! Cancels a pending reset of lost strong factors. The flows that prove a factor or change the account call it, so the
//! file imports none of them.

use crate::accounts::change::Change;
use crate::accounts::security_log;
use crate::domain::security_event::SecurityEvent;
use crate::error::ApiError;
use crate::mail::{self, MailKind};
use crate::store::accounts::Account;
use crate::store::second_factor_resets;

/// Cancels the pending reset of an account, if there is one: withdraws its mails and invalidates its link.
pub(crate) async fn cancel_reset(
    change: &mut Change<'_>,
    account: &Account,
) -> Result<(), ApiError> {
    if !second_factor_resets::remove(change, account.id).await? {
        return Ok(());
    }
    mail::withdraw(change, account.id, MailKind::SecondFactorResetReminder).await?;
    mail::end_link(change, account.id, MailKind::SecondFactorResetReady).await?;
    let kind = SecurityEvent::SecondFactorResetCancelled;
    Ok(security_log::record(change, kind, account.id).await?)
}
