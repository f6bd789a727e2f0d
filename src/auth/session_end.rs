//! What the end of a session causes besides the end itself. Every statement that ends sessions returns
//! [`EndedSessions`], which only the functions of this file take, so that no way to end a session leaves it out.

use std::collections::BTreeSet;

use uuid::Uuid;

use crate::app::App;
use crate::db::{Result, Tx};
use crate::deliveries::webhook::{self, EventType};
use crate::store::sessions::EndedSessions;

/// Tells other services that an act ended these sessions, in the transaction of that act: one `sessions.ended` for each
/// account.
pub(crate) async fn report(app: &App, tx: &mut Tx, ended: EndedSessions) -> Result<()> {
    let accounts: BTreeSet<Uuid> = ended.iter().map(|session| session.account_id).collect();
    for account in accounts {
        webhook::announce(app, tx, EventType::SessionsEnded, account, &[]).await?;
    }
    Ok(())
}

/// Takes sessions that expired: no act ended them, and webhooks do not report that. Returns their number.
pub(crate) fn expired(ended: &EndedSessions) -> u64 {
    ended.len() as u64
}
