//! Strong factors: ways to prove an identity at authentication level 2 (NIST SP 800-63B).

pub(crate) mod code;
pub(crate) mod removal;
pub(crate) mod totp;

use uuid::Uuid;

use crate::accounts::change::notify;
use crate::accounts::prelude::*;
use crate::db::{Result, Tx};
use crate::mail::MailDetails;
use crate::store::{self, credentials};

/// A strong factor of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StrongFactor {
    /// The name of the passkey, or `None` for the authenticator app.
    pub passkey: Option<String>,
    /// The time at which the factor was added, in milliseconds since 1970 UTC.
    pub added_at: i64,
}

/// Returns the passkeys of the account, oldest first, and its authenticator app.
pub(crate) async fn list(tx: &mut Tx, account: Uuid) -> Result<Vec<StrongFactor>> {
    let passkeys = credentials::list(tx, account).await?.into_iter();
    let mut factors: Vec<_> = passkeys
        .map(|passkey| StrongFactor {
            passkey: Some(passkey.name),
            added_at: passkey.created_at,
        })
        .collect();
    let app = store::totp::find(tx, account).await?;
    factors.extend(app.and_then(|app| {
        Some(StrongFactor {
            passkey: None,
            added_at: app.confirmed_at?,
        })
    }));
    Ok(factors)
}

/// Mails that a strong factor or a set of recovery codes was added by the change with this number, with a link that
/// removes it, and records the event.
pub(crate) async fn report_added(
    change: &mut Change<'_>,
    account: &Account,
    kind: MailKind,
    event: Event<'_>,
    number: i64,
) -> Result<()> {
    let details = MailDetails {
        change_number: Some(number),
        ..change.details()
    };
    notify(change, account, kind, details).await?;
    change.record(event).await
}

/// Returns whether the account has an authenticator app, or a passkey for a host in the configuration.
pub(crate) async fn exists(app: &App, tx: &mut Tx, account: Uuid) -> Result<bool> {
    if store::totp::has_confirmed_app(tx, account).await? {
        return Ok(true);
    }
    let passkeys = credentials::list(tx, account).await?;
    let mut sites = passkeys.iter().map(|passkey| &passkey.rp_id);
    Ok(sites.any(|site| app.config.is_relying_party(site)))
}

/// Returns whether the account can prove authentication level 2 on the site of the request.
pub(crate) async fn works_here(
    app: &App,
    tx: &mut Tx,
    client: &Client,
    account: Uuid,
) -> Result<bool> {
    Ok(store::totp::has_confirmed_app(tx, account).await?
        || has_passkey_here(app, tx, client, account).await?)
}

/// Returns whether the account has a passkey that works on the site of the request.
pub(crate) async fn has_passkey_here(
    app: &App,
    tx: &mut Tx,
    client: &Client,
    account: Uuid,
) -> Result<bool> {
    let Some(party) = client.relying_party(app) else {
        return Ok(false);
    };
    let passkeys = credentials::list(tx, account).await?;
    Ok(passkeys.iter().any(|passkey| passkey.rp_id == party.id))
}
