//! Reads a summary of an account's security for the settings.

use serde::Serialize;

use crate::accounts::prelude::*;
use crate::accounts::session::SignedIn;
use crate::clock::serialize_time;
use crate::domain::auth_method::Aal;
use crate::store::credentials::StoredPasskey;
use crate::store::pending_acts::{self, Act};
use crate::store::{accounts, credentials, recovery_codes, totp};

#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Security)]
pub(crate) struct SecurityState {
    /// The authentication level of this session: 2 after a passkey or a second factor, otherwise 1.
    #[schema(value_type = u8)]
    aal: Aal,
    second_factor: bool,
    recovery_codes_left: i64,
    /// The time from which a requested reset of the second factor can be completed, RFC 3339. Null if no reset is
    /// requested.
    #[serde(serialize_with = "serialize_time")]
    #[schema(value_type = Option<String>)]
    second_factor_reset_at: Option<i64>,
    #[schema(value_type = i64)]
    passkeys: usize,
    /// Whether a passkey of the account works on the site of this request.
    passkey_on_this_site: bool,
    /// The time of the requested deletion, RFC 3339. Always null in a live session, because a request for deletion ends
    /// all sessions.
    #[serde(serialize_with = "serialize_time")]
    #[schema(value_type = Option<String>)]
    deletion_at: Option<i64>,
    /// Whether the person agreed to the newsletter.
    marketing_consent: bool,
    /// The new email address of a pending change. Absent if no change is pending.
    #[serde(skip_serializing_if = "Option::is_none")]
    pending_email: Option<String>,
}

pub(crate) async fn read(
    app: &App,
    client: &Client,
    signed_in: &SignedIn,
) -> ApiResult<SecurityState> {
    let session = signed_in.session();
    let mut tx = app.store.read().await?;
    let consent = accounts::marketing_consent(&mut tx, session.account_id).await?;
    let passkeys = credentials::list(&mut tx, session.account_id).await?;
    let party = client.relying_party(app);
    let works_here =
        |passkey: &StoredPasskey| Some(&passkey.rp_id) == party.as_ref().map(|p| &p.id);
    let second_factor = totp::has_confirmed_app(&mut tx, session.account_id).await?;
    let recovery_codes_left = recovery_codes::count(&mut tx, session.account_id).await?;
    let now = app.clock.millis();
    let account = session.account_id;
    let deletion = pending_acts::find(&mut tx, account, Act::Deletion, now).await?;
    let reset = pending_acts::find(&mut tx, account, Act::FactorReset, now).await?;
    let email_change = pending_acts::find(&mut tx, account, Act::EmailChange, now).await?;
    Ok(SecurityState {
        pending_email: email_change.and_then(|pending| pending.email),
        second_factor,
        recovery_codes_left,
        second_factor_reset_at: reset.map(|reset| reset.due_at),
        passkey_on_this_site: passkeys.iter().any(works_here),
        passkeys: passkeys.len(),
        deletion_at: deletion.map(|deletion| deletion.due_at),
        aal: session.authenticated.strongest().level(),
        marketing_consent: consent.ok_or(ErrorCode::Unauthenticated)?,
    })
}
