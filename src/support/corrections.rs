//! Corrects what an owner cannot correct: the email address if the mailbox is lost, and details of the account.

use jiff::civil::Date;

use super::audited::SupportAction;
use crate::accounts::change::Change;
use crate::accounts::deletion::revoke_access;
use crate::accounts::email::email_change;
use crate::accounts::marketing_consent;
use crate::accounts::migration::{email_change as legacy_email, link};
use crate::accounts::security_log::{Event, EventDetail};
use crate::accounts::undo::{self, Undoer, Undone};
use crate::domain::account_detail::AccountDetail;
use crate::domain::age;
use crate::domain::consent::MarketingConsent;
use crate::domain::email::Email;
use crate::domain::security_event::SecurityEvent;
use crate::domain::username::Username;
use crate::domain::webhook_event::EventType;
use crate::error::{ApiResult, ErrorCode};
use crate::mail::{MailKind, OutgoingMail};
use crate::store::account_emails::{self, ProvedEmail};
use crate::store::accounts::{self, Account, PersonalDetails};
use crate::store::legacy::{self, LegacyAccount};
use crate::store::{account_details, devices, names};

/// The corrected details, each checked by its rule. A detail that is `None` stays unchanged.
#[derive(Debug, Default)]
pub(crate) struct Corrections {
    pub username: Option<Username>,
    pub country: Option<String>,
    pub zipcode: Option<String>,
    pub birthday: Option<Date>,
    pub first_name: Option<String>,
    pub last_name: Option<String>,
    pub ends_newsletter: bool,
}

/// Ends all access, and removes all devices, so that the next sign-in of each browser needs approval by mail.
pub(super) async fn sign_out_everywhere(change: &mut Change<'_>, account: &Account) -> ApiResult {
    revoke_access(change, account).await?;
    let ended = devices::remove_all(change, account.id).await?;
    Ok(change.report_ended(ended).await?)
}

/// The effect of a command that sets an email address.
pub(crate) enum EmailCorrection {
    /// The address is set, because the address before was not proved either.
    Set,
    /// The new mailbox has to confirm the address. Until then the account keeps its present address.
    Asked,
    /// The account had proved the address before, so the change away from it is undone.
    Undone(Undone),
}

/// Sets the email address, and ends all access. An address that the account had proved before is restored at once, with
/// everything undone that came since. Another address gets a link that sets it; an account that was never verified gets
/// the address at once. Also returns the kind of the mail to the address that must be queued. Fails with 409
/// `account_exists` for the address of another account, and 409 `nothing_pending` while a deletion is pending, because
/// the link to a new address would be refused.
pub(super) async fn set_email(
    change: &mut Change<'_>,
    account: &Account,
    new: &Email,
) -> ApiResult<(EmailCorrection, Option<MailKind>)> {
    if account.email == new.as_entered() {
        return Err(ErrorCode::EmailUnchanged.into());
    }
    let (hasher, now) = (&change.app.username_hasher, change.now);
    if let Some(former) = account_emails::of_former(change, hasher, account.id, new, now).await? {
        let undone = undo::to_before(change, account, &former, Undoer::Support).await?;
        return Ok((EmailCorrection::Undone(undone), None));
    }
    if account.deletion_due_at.is_some() {
        return Err(ErrorCode::NothingPending.into());
    }
    sign_out_everywhere(change, account).await?;
    if account.verified {
        email_change::ask_for_support(change, account, new).await?;
        return Ok((EmailCorrection::Asked, Some(MailKind::EmailSet)));
    }
    let proved = ProvedEmail::by_operator(new);
    email_change::change_email(change, account, &proved).await?;
    let mut link = OutgoingMail::to(account, MailKind::VerifyEmail).at(now);
    link.recipient = new.as_entered();
    change.queue_mail(link).await?;
    Ok((EmailCorrection::Set, Some(MailKind::VerifyEmail)))
}

/// Sets the email address of an unmigrated legacy account like [`set_email`], but always at once, because its migration
/// link proves the address.
pub(super) async fn set_email_of_legacy(
    change: &mut Change<'_>,
    old: &LegacyAccount,
    new: &Email,
) -> ApiResult<(EmailCorrection, MailKind)> {
    if old.email == new.as_entered() {
        return Err(ErrorCode::EmailUnchanged.into());
    }
    let (hasher, now) = (&change.app.username_hasher, change.now);
    let former = account_emails::of_former_of_legacy(change, hasher, old.id, new, now).await?;
    let Some(former) = former else {
        let mailed = legacy_email::change_email(change, old, new).await?;
        return Ok((EmailCorrection::Set, mailed));
    };
    if legacy::is_email_taken(change, new.key(), old.id).await? {
        return Err(ErrorCode::AccountExists.into());
    }
    legacy_email::restore(change, old, &former).await?;
    let restored = LegacyAccount {
        email: new.as_entered().to_owned(),
        ..old.clone()
    };
    let mailed = link::resend(change, &restored).await?;
    let undone = Undone::of_legacy(&former.mailbox, false);
    Ok((EmailCorrection::Undone(undone), mailed))
}

/// Corrects details, and names them in the person's list of activity and in a mail. Fails with 422 `underage` if the
/// new birthday is below the age limit, 409 `username_in_use`, and 409 `nothing_pending` if no detail changes.
pub(super) async fn set_details(
    change: &mut Change<'_>,
    account: &Account,
    corrections: &Corrections,
) -> ApiResult {
    let stored = accounts::personal_details(change, account.id).await?;
    let stored = stored.ok_or(ErrorCode::NotFound)?;
    let corrected = corrections.merge_into(stored.clone());
    let changed = list_changed(&stored, &corrected);
    if changed.is_empty() {
        return Err(ErrorCode::NothingPending.into());
    }
    let (today, minimum_age) = (change.app.clock.today(), change.app.config.age.registration);
    if let Some(birthday) = corrections.birthday
        && !age::is_old_enough(birthday, minimum_age, today)
    {
        return Err(ErrorCode::Underage.into());
    }
    if let Some(username) = &corrections.username
        && is_username_taken(change, account, username).await?
    {
        return Err(ErrorCode::UsernameInUse.into());
    }
    let now = change.now;
    let hold = change.app.username_hold(account, now);
    account_details::update(change, account.id, &corrected, &hold, now).await?;
    for detail in &changed {
        match detail {
            AccountDetail::MarketingConsent => {
                let answer = MarketingConsent::withdrawn();
                marketing_consent::store(change, account.id, &answer).await?;
            }
            detail => {
                change
                    .queue_webhooks(EventType::Updated, account.id, &[detail.as_str()])
                    .await?;
            }
        }
    }
    let action = SupportAction::SetDetails.as_str();
    let event = Event::new(SecurityEvent::SupportActed, account.id);
    let event = event.detail(EventDetail::Correction {
        action,
        fields: &changed,
    });
    change.record(event).await?;
    // A disabled account gets no mail, because relatives may read the mailbox of an owner who died.
    if !account.is_disabled {
        let mut notice = OutgoingMail::to(account, MailKind::DetailsChanged).at(now);
        notice.details.changed = changed;
        change.queue_mail(notice).await?;
    }
    Ok(())
}

/// Returns whether the username is taken or reserved. The account's own username is free in any letter case.
async fn is_username_taken(
    change: &mut Change<'_>,
    account: &Account,
    username: &Username,
) -> ApiResult<bool> {
    let key = username.key();
    if account.username.to_ascii_lowercase() == key {
        return Ok(false);
    }
    let (hasher, now) = (&change.app.username_hasher, change.now);
    let is_taken = names::is_username_taken(change, hasher, &key, Some(account.id), now).await?;
    Ok(is_taken || change.app.config.accounts.is_reserved(&key))
}

fn list_changed(old: &PersonalDetails, new: &PersonalDetails) -> Vec<AccountDetail> {
    let is_changed = |detail: &AccountDetail| match detail {
        AccountDetail::Username => new.username != old.username,
        AccountDetail::Country => new.country != old.country,
        AccountDetail::Zipcode => new.zipcode != old.zipcode,
        AccountDetail::Birthday => new.birthday != old.birthday,
        AccountDetail::FirstName => new.first_name != old.first_name,
        AccountDetail::LastName => new.last_name != old.last_name,
        AccountDetail::MarketingConsent => new.marketing_consent != old.marketing_consent,
    };
    let all = AccountDetail::ALL.iter().copied();
    all.filter(is_changed).collect()
}

impl Corrections {
    fn merge_into(&self, stored: PersonalDetails) -> PersonalDetails {
        let username = self.username.as_ref().map(|name| name.as_str().to_owned());
        let birthday = self.birthday.map(|date| date.to_string());
        PersonalDetails {
            username: username.unwrap_or(stored.username),
            country: self.country.clone().unwrap_or(stored.country),
            zipcode: self.zipcode.clone().unwrap_or(stored.zipcode),
            birthday: birthday.unwrap_or(stored.birthday),
            first_name: self.first_name.clone().or(stored.first_name),
            last_name: self.last_name.clone().or(stored.last_name),
            marketing_consent: stored.marketing_consent && !self.ends_newsletter,
            ..stored
        }
    }
}
