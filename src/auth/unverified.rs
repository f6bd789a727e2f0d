//! Registrations that never verified their address.

use crate::app::App;
use crate::db::{Result, Tx};
use crate::deliveries::webhook::{self, EventType};
use crate::store::accounts;

/// Makes room at an address that its mailbox has just proved to own: removes the unverified account that has it.
pub(crate) async fn make_room(app: &App, tx: &mut Tx, email_key: &str) -> Result<()> {
    if let Some(account) = accounts::drop_unverified(tx, email_key).await? {
        webhook::announce(app, tx, EventType::Deleted, account, &[]).await?;
    }
    Ok(())
}
