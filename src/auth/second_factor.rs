//! The second factor: codes of an authenticator app, and recovery codes (contract 2 section 2).

pub(crate) mod challenge;
pub(crate) mod code;
pub(crate) mod reset;
pub(crate) mod totp;

use crate::db::{Result, Tx};
use crate::mail;
use crate::store::accounts::Account;
use crate::store::{recovery_codes, sign_in_challenges, totp as totp_table};

/// Turns the second factor off, and removes the data that depends on it. Returns whether it was on.
pub(crate) async fn turn_off(tx: &mut Tx, account: &Account) -> Result<bool> {
    recovery_codes::remove_all(tx, account.id).await?;
    crate::store::devices::end_trust(tx, account.id).await?;
    sign_in_challenges::end_all(tx, account.id).await?;
    mail::end_link(tx, account.id, mail::MailKind::SecondFactorResetReady).await?;
    totp_table::remove(tx, account.id).await
}
