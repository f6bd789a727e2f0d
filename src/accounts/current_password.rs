//! Checks the current password of a signed-in person.

use crate::accounts::change::change_with_durability;
use crate::accounts::prelude::*;
use crate::accounts::session::{LockedRows, SignedIn};
use crate::crypto::hashing::HashPermit;
use crate::db::Durability;
use crate::domain::password::Password;
use crate::domain::secret::SecretHash;
use crate::store::devices;

/// Counts an attempt against a rate limit of the session's device, so that a stolen session on another device does not
/// use up the attempts of the owner. Returns the account, and the cookie hash of the session's device.
pub(crate) async fn count_attempt(
    app: &App,
    client: &Client,
    signed_in: &SignedIn,
    limit: LimitName,
) -> ApiResult<(Account, SecretHash)> {
    let durability = Durability::ProcessCrash;
    change_with_durability(app, client, durability, |mut change| async move {
        let LockedRows { account, session } = signed_in.lock(&mut change).await?;
        let device = devices::cookie_hash(&mut change, account.id, session.device_id()).await?;
        let device = device.ok_or(ErrorCode::Unauthenticated)?;
        let attempt = [limit.of(Subject::Device(account.id, &device))];
        let change = change.admit(&attempt).await?;
        change.commit((account, device)).await
    })
    .await
}

/// Verifies the current password. A wrong password returns the error `wrong`, and counts as a failed sign-in on the
/// session's device. A stolen session therefore allows no additional guesses, and strangers cannot lock the owner out.
pub(crate) async fn verify(
    app: &App,
    client: &Client,
    permit: HashPermit<'_>,
    device: &SecretHash,
    account: &Account,
    input: &str,
    wrong: ErrorCode,
) -> ApiResult {
    let actions = [
        LimitName::FailedSignInOn.of(Subject::Device(account.id, device)),
        LimitName::FailedSignInStreakOn.of(Subject::Device(account.id, device)),
    ];
    app.enforce_rate_limits(&actions).await?;
    let password = Password::from_input(input).ok_or(wrong)?;
    let hash = Some(account.password_hash.as_str());
    if !permit.verify(&password, hash).await? {
        tracing::warn!(target: "security", event = "current_password_wrong", account = %account.id, ip = %client.ip);
        return Err(wrong.into());
    }
    let (actions, durability) = (&actions, Durability::ProcessCrash);
    change_with_durability(app, client, durability, |mut change| async move {
        app.rate_limiter.refund(&mut change, actions).await?;
        change.commit(()).await
    })
    .await
}
