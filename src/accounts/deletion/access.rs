//! Ends all access to an account that is disabled or about to be deleted.

use crate::accounts::change::Change;
use crate::db::Result;
use crate::mail;
use crate::store::accounts::Account;
use crate::store::{devices, sessions};

/// Ends every session, every unfinished sign-in, the trust in all devices, and every mailed link except three: undo
/// links, the link that resets a lost second factor and the link that cancels a deletion. `Purpose::link_effect` says
/// which of these links work while the account may not be used. The caller has locked the account.
pub(crate) async fn revoke(change: &mut Change<'_>, account: &Account) -> Result<()> {
    let ended = sessions::end_all(change, account.id).await?;
    change.report_ended(ended).await?;
    devices::end_trust(change, account.id).await?;
    mail::end_links(change, account.id).await
}
