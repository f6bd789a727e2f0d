//! Takes an account back to the time before a change: by the undo link in the mail about the change, or by support.
//!
//! The holder of an older possession of an account, such as its former mailbox, can undo everything that came later.

pub(crate) mod reported_change;

use crate::accounts::change::notify_now;
use crate::accounts::mailed_link::MailedLink;
use crate::accounts::migration::email_change as legacy_email;
use crate::accounts::pending::{self, Cause};
use crate::accounts::prelude::*;
use crate::accounts::session::browser_session;
use crate::accounts::strong_factor::{self, StrongFactor, removal};
use crate::accounts::{security_log, unverified};
use crate::clock::DAY;
use crate::db::StoreError;
use crate::domain::email;
use crate::domain::secret::Secret;
use crate::mail::OutgoingMail;
use crate::mail::links::{self, Ending};
use crate::store::account_emails::{self, Departure, FormerEmail, ProvedEmail};
use crate::store::accounts;
use crate::store::tokens::Purpose;
use crate::store::{devices, legacy};

/// The time before the change away from a mailbox from which support also removes strong factors, in milliseconds. A
/// thief may have added a factor just before the change.
const SUPPORT_REMOVES_FACTORS_OF: i64 = 30 * DAY;

#[derive(Clone, Copy)]
pub(crate) enum Undoer<'a> {
    /// A person with an undo link. Only this browser stays a device of the account; `cookie` becomes its device cookie.
    Link {
        client: &'a Client,
        cookie: &'a Secret,
    },
    Support,
}

/// What an undo has done.
pub(crate) struct Undone {
    /// The mailbox that the account had before the undone change.
    pub mailbox: String,
    /// Whether another account has this mailbox now, so that the undone account has a placeholder instead.
    pub is_taken: bool,
    pub has_password_ended: bool,
    pub removed: Vec<StrongFactor>,
    pub remaining: Vec<StrongFactor>,
}

/// Undoes the change that a mail with this link has reported. The account may have been unmigrated at that time, and
/// may have migrated since.
pub(crate) async fn by_link(
    app: &App,
    client: &Client,
    link: &MailedLink,
    purpose: Purpose,
    cookie: &Secret,
) -> ApiResult<Undone> {
    change(app, client, |mut change| async move {
        let token = link.redeem(&mut change, purpose).await?;
        let former = &FormerEmail {
            mailbox: ProvedEmail::of_link(&token).ok_or(ErrorCode::InvalidToken)?,
            change_number: token.change_number,
        };
        let undone = match legacy::lock(&mut change, token.subject_id).await? {
            Some(old) => {
                let is_taken = legacy_email::restore(&mut change, &old, former).await?;
                Undone::of_legacy(&former.mailbox, is_taken)
            }
            None => {
                let migrated = legacy::find_account(&mut change, token.subject_id).await?;
                let id = migrated.unwrap_or(token.subject_id);
                let account = accounts::lock(&mut change, id).await?;
                let account = account.ok_or(ErrorCode::InvalidToken)?;
                let undoer = Undoer::Link { client, cookie };
                to_before(&mut change, &account, former, undoer).await?
            }
        };
        link.commit(change, undone).await
    })
    .await
}

impl Undone {
    /// An unmigrated account has neither sessions nor factors, and its password stays in the older system.
    pub(crate) fn of_legacy(mailbox: &ProvedEmail, is_taken: bool) -> Undone {
        Undone {
            mailbox: mailbox.email().as_entered().to_owned(),
            is_taken,
            has_password_ended: false,
            removed: Vec::new(),
            remaining: Vec::new(),
        }
    }
}

/// Takes an account, whose row is locked, back to the time before the change by which it left a mailbox. Ends all
/// sessions, devices and links except the undo links of earlier changes, stops what is pending, removes later strong
/// factors, and ends a later password. A disabled account stays disabled.
pub(crate) async fn to_before(
    change: &mut Change<'_>,
    account: &Account,
    former: &FormerEmail,
    undoer: Undoer<'_>,
) -> ApiResult<Undone> {
    change.is_undo = true;
    let number = former.change_number;
    let (departure, factors_since) = match undoer {
        Undoer::Link { cookie, .. } => {
            change.set_device(cookie);
            (Departure::Undone, number)
        }
        Undoer::Support => {
            let since = number.saturating_sub(SUPPORT_REMOVES_FACTORS_OF);
            (Departure::Replaced, since)
        }
    };
    let factors = strong_factor::list(change, account.id).await?;
    end_access(change, account, number, undoer).await?;
    let is_taken = restore_address(change, account, former, departure).await?;
    // The mailbox gets the mails even if the account has a placeholder now.
    let restored = with_email(account, &former.mailbox);
    pending::stop_by(change, &restored, Cause::Undo).await?;
    removal::remove_since(change, &restored, factors_since).await?;
    let has_password_ended =
        is_taken || accounts::password_changed_at(change, account.id).await? >= Some(number);
    if has_password_ended {
        end_password(change, &restored, is_taken).await?;
    }
    let remaining = strong_factor::list(change, account.id).await?;
    let removed = factors.into_iter();
    let removed = removed.filter(|factor| !remaining.contains(factor));
    Ok(Undone {
        mailbox: restored.email,
        is_taken,
        has_password_ended,
        removed: removed.collect(),
        remaining,
    })
}

/// Ends the links of the undone change and of later changes, all other links except earlier undo links, all sessions
/// and all devices.
async fn end_access(
    change: &mut Change<'_>,
    account: &Account,
    number: i64,
    undoer: Undoer<'_>,
) -> ApiResult {
    // Undo links that were mailed before the migration belong to the id of the legacy account.
    legacy::move_undo_links(change, account.id).await?;
    links::end(change, account.id, Ending::AccessRevoked).await?;
    links::end(change, account.id, Ending::UndoneFrom(number)).await?;
    let ended = devices::remove_all(change, account.id).await?;
    change.report_ended(ended).await?;
    if let Undoer::Link { client, cookie } = undoer {
        browser_session::enrol(change, client, account.id, cookie).await?;
    }
    Ok(())
}

fn with_email(account: &Account, mailbox: &ProvedEmail) -> Account {
    Account {
        email: mailbox.email().as_entered().to_owned(),
        ..account.clone()
    }
}

/// Restores the mailbox as the email address of the account. If another account has this address now, sets a
/// placeholder instead, so that an attacker's mailbox loses the account in any case. Returns whether the address is
/// taken.
async fn restore_address(
    change: &mut Change<'_>,
    account: &Account,
    former: &FormerEmail,
    departure: Departure,
) -> ApiResult<bool> {
    account_emails::forget_departures_since(change, account.id, former.change_number).await?;
    let mailbox = former.mailbox.email();
    if account.email == mailbox.as_entered() {
        return Ok(false);
    }
    let is_taken = !unverified::make_available(change, mailbox, account.id).await?;
    if is_taken && email::is_placeholder(&account.email) {
        return Ok(true);
    }
    let new = match is_taken {
        true => ProvedEmail::placeholder(change.new_id()),
        false => former.mailbox.clone(),
    };
    match change.set_email(account, &new, departure).await {
        Ok(_) => {}
        // Another account took the email address after the query. The transaction is repeated, and finds that account.
        Err(StoreError::UniqueViolation(_)) => {
            return Err(StoreError::Conflict("the address was taken meanwhile".into()).into());
        }
        Err(error) => return Err(error.into()),
    }
    security_log::record(change, SecurityEvent::EmailChangeUndone, account.id).await?;
    notify_now(change, account, MailKind::EmailRemoved).await?;
    if !is_taken {
        let restored = with_email(account, &former.mailbox);
        notify_now(change, &restored, MailKind::EmailRestored).await?;
    }
    Ok(is_taken)
}

/// Makes the password unusable, and mails a link that sets a new one, unless the account is disabled.
async fn end_password(change: &mut Change<'_>, restored: &Account, is_taken: bool) -> ApiResult {
    let rng = &change.app.rng;
    accounts::disable_password(change, restored, rng).await?;
    if restored.is_disabled {
        return Ok(());
    }
    let mut mail = OutgoingMail::to(restored, MailKind::PasswordEnded);
    if is_taken {
        // The mailbox cannot request another link, because it belongs to another account.
        mail.details.link_lifetime = Some(change.app.config.lifetimes.email_undo.millis());
    }
    Ok(change.queue_mail(mail).await?)
}
