//! Verifies an email address with a mailed link, and mails another such link.

use crate::accounts::device_approval::{self, DeviceConfirmation};
use crate::accounts::mailed_link::{self, MailedLink};
use crate::accounts::prelude::*;
use crate::accounts::session::browser_session;
use crate::accounts::timing::with_padded_duration;
use crate::accounts::{security_log, unverified};
use crate::domain::email::Email;
use crate::domain::secret::Secret;
use crate::mail::links::{self, Ending};
use crate::store::accounts;
use crate::store::tokens::{self, Purpose, Redemption};

/// The result of opening a mailed link.
pub(crate) enum Confirmation {
    EmailVerified,
    Device(DeviceConfirmation),
}

/// Verifies an email address or approves a device, as the link requests. `cookie` becomes the browser's device cookie.
pub(crate) async fn confirm(
    app: &App,
    client: &Client,
    link: &MailedLink,
    cookie: &Secret,
) -> ApiResult<Confirmation> {
    change(app, client, |mut change| async move {
        let confirmation = match tokens::purpose_of(&mut change, link.hash()).await? {
            Some(Purpose::DeviceApproval) => {
                Confirmation::Device(device_approval::confirm(&mut change, client, link).await?)
            }
            _ => {
                verify_email(&mut change, client, link, cookie).await?;
                Confirmation::EmailVerified
            }
        };
        link.commit(change, confirmation).await
    })
    .await
}

/// Marks the email address as verified and enrols the browser that opened the link.
async fn verify_email(
    change: &mut Change<'_>,
    client: &Client,
    link: &MailedLink,
    cookie: &Secret,
) -> ApiResult {
    let now = change.now;
    let purpose = Purpose::VerifyEmail;
    let token = match link.redeem_or_find_redeemed(change, purpose).await? {
        Redemption::Redeemed(token) => token,
        Redemption::AlreadyRedeemed(_) => return Ok(()),
        Redemption::Invalid => return Err(ErrorCode::InvalidToken.into()),
    };
    let account = mailed_link::lock_account(change, &token).await?;
    // The link verifies only the email address to which it was mailed.
    if token.email.as_deref() != Some(account.email.as_str()) {
        return Err(ErrorCode::InvalidToken.into());
    }
    accounts::mark_verified(change, account.id, now).await?;
    links::end(
        change,
        account.id,
        Ending::Replaced(MailKind::VerifyEmail, None),
    )
    .await?;
    browser_session::enrol(change, client, account.id, cookie).await?;
    change.set_device(cookie);
    Ok(security_log::record(change, SecurityEvent::EmailVerified, account.id).await?)
}

/// Mails another verification link. The duration is padded, so that it does not reveal whether an account exists.
pub(crate) async fn resend(app: &App, client: &Client, email: &Email) -> ApiResult {
    with_padded_duration(change(app, client, |mut change| async move {
        // The account is locked before the rate-limit counters, in the lock order of all transactions.
        let account = match accounts::find_by_email(&mut change, email.key()).await? {
            Some(found) => accounts::lock(&mut change, found.id).await?,
            None => None,
        };
        let actions = [
            LimitName::ConfirmFrom.of(Subject::NetworkFor("resend-verification", client.ip)),
            LimitName::ResendTo.of(Subject::Email(email.key())),
        ];
        let mut change = change.admit(&actions).await?;
        if let Some(account) = account {
            unverified::resend_link(&mut change, &account).await?;
        }
        change.commit(()).await
    }))
    .await
}
