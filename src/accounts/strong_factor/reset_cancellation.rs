//! Cancels a pending reset of lost strong factors.

use crate::accounts::change::Change;
use crate::accounts::security_log;
use crate::domain::security_event::SecurityEvent;
use crate::error::ApiError;
use crate::mail::MailKind;
use crate::mail::links::{self, Ending};
use crate::store::accounts::Account;
use crate::store::pending_acts::Act;
use crate::store::second_factor_resets;

/// Withdraws the mails of a pending reset, and invalidates its link. Does nothing if no reset is pending.
pub(crate) async fn cancel_reset(
    change: &mut Change<'_>,
    account: &Account,
) -> Result<(), ApiError> {
    if !second_factor_resets::remove(change, account.id).await? {
        return Ok(());
    }
    links::withdraw(change, account.id, MailKind::SecondFactorResetReminder).await?;
    links::end(change, account.id, Ending::ActOver(Act::FactorReset)).await?;
    let kind = SecurityEvent::SecondFactorResetCancelled;
    Ok(security_log::record(change, kind, account.id).await?)
}
