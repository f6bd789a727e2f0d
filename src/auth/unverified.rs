//! Registrations whose address was never verified.

use crate::app::App;
use crate::db::{Result, Tx};
use crate::deliveries::webhook::{self, EventType};
use crate::store::accounts;

/// Removes the unverified account with an address that its mailbox has just verified for another account.
pub(crate) async fn remove(app: &App, tx: &mut Tx, email_key: &str) -> Result<()> {
    if let Some(account) = accounts::delete_unverified(tx, email_key).await? {
        webhook::announce(app, tx, EventType::Deleted, account, &[]).await?;
    }
    Ok(())
}
