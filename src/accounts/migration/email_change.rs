//! Changes the email address of an unmigrated account for an operator, and restores it. The undo link in the mail to the
//! old mailbox also works after the migration (`accounts/undo.rs`).

use crate::accounts::migration::{self, link};
use crate::accounts::prelude::*;
use crate::domain::email::Email;
use crate::mail::OutgoingMail;
use crate::mail::links::{self, Ending};
use crate::store::account_emails::{self, FormerEmail};
use crate::store::legacy::{self, LegacyAccount};

/// Changes the email address of an account whose row is locked, and mails the new address a migration link. Returns the
/// kind of that mail. Returns 409 `account_exists` if another account has the address.
pub(crate) async fn change_email(
    change: &mut Change<'_>,
    old: &LegacyAccount,
    new: &Email,
) -> ApiResult<MailKind> {
    if legacy::is_email_taken(change, new.key(), old.id).await? {
        return Err(ErrorCode::AccountExists.into());
    }
    let (hasher, now) = (&change.app.username_hasher, change.now);
    let number = account_emails::record_former_of_legacy(change, hasher, old.id, new, now).await?;
    let mut notice = mail_to_legacy_account(change.app, old, MailKind::EmailChanged).at(now);
    notice.details.change_number = Some(number);
    notice.details.new_email = Some(new.as_entered().to_owned());
    let moved = set_address(change, old, new).await?;
    change.queue_mail(notice).await?;
    link::resend(change, &moved).await
}

/// Takes a legacy account, whose row is locked, back to the time before the change of its email address with this
/// number: ends the links of this change and of later ones, and restores the mailbox, or sets a placeholder if another
/// account has its address now. Returns whether the address is taken.
pub(crate) async fn restore(
    change: &mut Change<'_>,
    old: &LegacyAccount,
    former: &FormerEmail,
) -> ApiResult<bool> {
    let (mailbox, now) = (former.mailbox.email(), change.now);
    links::end(change, old.id, Ending::UndoneFrom(former.change_number)).await?;
    if old.email == mailbox.as_entered() {
        return Ok(false);
    }
    let is_taken = legacy::is_email_taken(change, mailbox.key(), old.id).await?;
    let new = match is_taken {
        true => &Email::placeholder(change.new_id()),
        false => mailbox,
    };
    let restored = set_address(change, old, new).await?;
    for (account, kind) in [
        (old, MailKind::EmailRemoved),
        (&restored, MailKind::EmailRestored),
    ] {
        let notice = mail_to_legacy_account(change.app, account, kind).at(now);
        change.queue_mail(notice).await?;
    }
    let legacy = old.id;
    change.on_commit(move || {
        tracing::warn!(target: "security", event = "email_change_undone", %legacy);
    });
    Ok(is_taken)
}

/// Sets the email address, and invalidates the mailed links to the former address. Returns the changed account.
async fn set_address(
    change: &mut Change<'_>,
    old: &LegacyAccount,
    new: &Email,
) -> ApiResult<LegacyAccount> {
    legacy::set_email(change, old.id, new).await?;
    migration::end_invitations(change, old.id).await?;
    Ok(LegacyAccount {
        email: new.as_entered().to_owned(),
        ..old.clone()
    })
}

/// Returns a mail with the brand of the account's region.
fn mail_to_legacy_account<'a>(
    app: &'a App,
    old: &'a LegacyAccount,
    kind: MailKind,
) -> OutgoingMail<'a> {
    let region = migration::region(&app.config, old);
    let language = migration::language(old, region.language());
    OutgoingMail::to_legacy(old, kind, language, &region.id)
}
