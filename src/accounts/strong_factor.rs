//! Strong factors: ways to prove an identity at authentication level 2 (NIST SP 800-63B).

pub(crate) mod removal;

use uuid::Uuid;

use crate::app::App;
use crate::db::{Result, Tx};
use crate::store::{credentials, totp};

/// Returns whether the account has an authenticator app, or a passkey that works on a host of the site.
pub(crate) async fn exists(app: &App, tx: &mut Tx, account: Uuid) -> Result<bool> {
    if totp::is_on(tx, account).await? {
        return Ok(true);
    }
    let passkeys = credentials::list(tx, account).await?;
    let mut sites = passkeys.iter().map(|passkey| &passkey.rp_id);
    Ok(sites.any(|site| app.config.is_relying_party(site)))
}
