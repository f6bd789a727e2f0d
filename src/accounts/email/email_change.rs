//! Changes the email address: requested in a session, confirmed from the new mailbox.

use crate::accounts::change::notify;
use crate::accounts::mailed_link::{self, MailedLink};
use crate::accounts::pending::{self, Cause, Wait};
use crate::accounts::prelude::*;
use crate::accounts::session::{LockedRows, SignedIn};
use crate::accounts::timing::with_padded_duration;
use crate::accounts::{reauthentication, security_log, unverified};
use crate::config::{Duration, Profile};
use crate::db::{StoreError, Tx};
use crate::domain::email::Email;
use crate::i18n::Message;
use crate::mail::{MailDetails, OutgoingMail};
use crate::store::account_emails::{Departure, ProvedEmail};
use crate::store::accounts;
use crate::store::legacy;
use crate::store::pending_acts::Act;
use crate::store::tokens::{Purpose, Redemption, Token};

/// Mails a link to the new email address. The account's address changes when this link is confirmed.
pub(crate) async fn request(
    app: &App,
    client: &Client,
    signed_in: &SignedIn,
    email: &Email,
) -> ApiResult {
    reauthentication::require_for_email_change(app, client, signed_in).await?;
    let requested = change(app, client, |mut change| async move {
        let LockedRows { account, .. } = signed_in.lock(&mut change).await?;
        let mut change = change
            .admit(&[LimitName::EmailChange.of(Subject::Account(account.id))])
            .await?;
        if let Err(code) = queue_mails(&mut change, &account, email).await? {
            return Err(change.commit_refusal(code).await);
        }
        change.commit(()).await
    });
    with_padded_duration(requested)
        .await
        .map_err(with_email_taken_message)
}

/// Mails a link to the new email address. If another account has that address, `security.profile = "spec"` refuses the
/// request, and `"strict"` mails the owner of the other account instead.
async fn queue_mails(
    change: &mut Change<'_>,
    account: &Account,
    email: &Email,
) -> Result<Result<(), ErrorCode>, StoreError> {
    // A difference in letter case counts as a change, because mails are sent to the address as entered.
    if account.email == email.as_entered() {
        return Ok(Err(ErrorCode::EmailUnchanged));
    }
    // Invalidates the earlier link even if the new address is taken; a link that still works would reveal that.
    pending::stop(change, account, Act::EmailChange).await?;
    let owner = accounts::find_by_email(change, email.key()).await?;
    let owner = owner.filter(|owner| owner.id != account.id && owner.verified);
    let legacy_account = legacy::unmigrated_by_email(change, email.key()).await?;
    let strict = change.app.config.security.profile == Profile::Strict;
    if !strict && (owner.is_some() || legacy_account.is_some()) {
        return Ok(Err(ErrorCode::AccountExists));
    }
    // The change waits even if another account has the address, because its absence would reveal that account.
    let lifetime = change.app.config.lifetimes.email_change;
    begin_change(change, account, email, lifetime).await?;
    let outgoing = match (&owner, &legacy_account) {
        (Some(owner), _) => OutgoingMail::to(owner, MailKind::EmailAddressTaken),
        (None, Some(old)) => {
            let kind = MailKind::EmailAddressTaken;
            OutgoingMail::to_legacy(old, kind, account.language, &account.region)
        }
        (None, None) => OutgoingMail {
            recipient: email.as_entered(),
            ..OutgoingMail::to(account, MailKind::ConfirmNewEmail)
        },
    };
    change.queue_mail(outgoing).await?;
    Ok(Ok(()))
}

/// Lets a change of the email address wait for `lifetime`. The settings show the new address.
async fn begin_change(
    change: &mut Change<'_>,
    account: &Account,
    email: &Email,
    lifetime: Duration,
) -> Result<(), StoreError> {
    let wait = Wait {
        due_at: change.now,
        ends_at: Some(change.now.saturating_add(lifetime.millis())),
        email: Some(email.as_entered()),
    };
    pending::begin(change, account, Act::EmailChange, wait).await?;
    Ok(())
}

/// Asks for the new email address on behalf of support: mails it a link, and the account keeps its present address
/// until this link is confirmed. A later request replaces this one. Returns 409 `account_exists` if another verified
/// account or an unmigrated legacy account has the address.
pub(crate) async fn ask_for_support(
    change: &mut Change<'_>,
    account: &Account,
    email: &Email,
) -> ApiResult {
    if !unverified::is_available(change, email, account.id).await? {
        return Err(ErrorCode::AccountExists.into());
    }
    // The person may not read the new mailbox at once.
    let lifetime = change.app.config.lifetimes.verify;
    begin_change(change, account, email, lifetime).await?;
    let mut outgoing = OutgoingMail::to(account, MailKind::EmailSet);
    outgoing.recipient = email.as_entered();
    outgoing.details.link_lifetime = Some(lifetime.millis());
    Ok(change.queue_mail(outgoing).await?)
}

/// Cancels the pending email change, if there is one: the mailed link becomes invalid.
pub(crate) async fn cancel(app: &App, client: &Client, signed_in: &SignedIn) -> ApiResult {
    change(app, client, |mut change| async move {
        let LockedRows { account, .. } = signed_in.lock(&mut change).await?;
        pending::stop(&mut change, &account, Act::EmailChange).await?;
        change.commit(()).await
    })
    .await
}

/// Changes the email address with the link from the new mailbox. The account's sessions continue. The old mailbox
/// receives a link that undoes the change. Returns the new address.
pub(crate) async fn confirm(app: &App, client: &Client, link: &MailedLink) -> ApiResult<String> {
    let confirmed = change(app, client, |mut change| async move {
        let token = match link
            .redeem_or_find_redeemed(&mut change, Purpose::EmailChange)
            .await?
        {
            Redemption::Redeemed(token) => {
                apply_change(&mut change, &token).await?;
                token
            }
            Redemption::AlreadyRedeemed(token) if is_in_force(&mut change, &token).await? => token,
            Redemption::AlreadyRedeemed(_) | Redemption::Invalid => {
                return Err(ErrorCode::InvalidToken.into());
            }
        };
        link.commit(change, token).await
    })
    .await;
    let token = confirmed.map_err(with_email_taken_message)?;
    Ok(token.email.unwrap_or_default())
}

/// Replaces the message of `account_exists`, which refers to the sign-in form, because the person is already signed in.
fn with_email_taken_message(error: ApiError) -> ApiError {
    error.reword(ErrorCode::AccountExists, Message::ErrorEmailTaken)
}

/// Returns whether the account still has the token's email address. After an undo, a repeated use of the link fails.
async fn is_in_force(tx: &mut Tx, token: &Token) -> ApiResult<bool> {
    let account = accounts::lock(tx, token.subject_id).await?;
    Ok(account.is_some_and(|account| Some(account.email) == token.email))
}

async fn apply_change(change: &mut Change<'_>, token: &Token) -> ApiResult {
    let account = mailed_link::lock_account(change, token).await?;
    let new = ProvedEmail::of_link(token).ok_or(ErrorCode::InvalidToken)?;
    change_email(change, &account, &new).await
}

/// Changes the email address of an account whose row is locked: invalidates its mailed links, and mails the old address
/// a link that undoes the change. An unverified old address gets no link, because it may belong to a stranger. Returns
/// 409 `account_exists` if the new address belongs to another account.
pub(crate) async fn change_email(
    change: &mut Change<'_>,
    account: &Account,
    proved: &ProvedEmail,
) -> ApiResult {
    let new = proved.email();
    if !unverified::make_available(change, new, account.id).await? {
        return Err(ErrorCode::AccountExists.into());
    }
    let number = change
        .set_email(account, proved, Departure::Replaced)
        .await?;
    pending::revoke_links(change, account).await?;
    pending::stop_by(change, account, Cause::EmailChanged).await?;
    if account.verified {
        let details = MailDetails {
            at: Some(change.now),
            change_number: Some(number),
            new_email: Some(new.as_entered().to_owned()),
            ..MailDetails::default()
        };
        notify(change, account, MailKind::EmailChanged, details).await?;
    }
    Ok(security_log::record(change, SecurityEvent::EmailChanged, account.id).await?)
}
