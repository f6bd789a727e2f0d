//! Migrates legacy accounts from the older system: by a mailed link, the completion form, or the right old password.

pub(crate) mod completion;
pub(crate) mod email_change;
pub(crate) mod link;
pub(crate) mod on_sign_in;
pub(crate) mod unsubscribe;
pub(crate) mod username;

use jiff::civil::Date;
use uuid::Uuid;

use crate::accounts::prelude::*;
use crate::accounts::{security_log, unverified};
use crate::config::{Config, Region};
use crate::db::Tx;
use crate::db::conflict::Committed;
use crate::domain::age;
use crate::domain::consent::MarketingConsent;
use crate::domain::email::Email;
use crate::i18n::Language;
use crate::mail::links::{self, Ending};
use crate::store::accounts::{self, NewAccount};
use crate::store::legacy::{self, LegacyAccount};
use crate::store::{account_emails, account_states};

pub(crate) struct MigratedAccount {
    pub id: Uuid,
    pub email: String,
    pub username: String,
}

/// The details that every account has and a legacy account may lack.
#[derive(Debug, Clone)]
pub(crate) struct AccountDetails {
    pub first_name: Option<String>,
    pub last_name: Option<String>,
    pub country: String,
    pub zipcode: String,
    pub birthday: Date,
    pub marketing_consent: MarketingConsent,
}

impl AccountDetails {
    /// Returns the details of the legacy account. Returns `None` if its username or a required detail is missing, so
    /// that the person must use the completion form.
    pub(crate) fn from_legacy(old: &LegacyAccount, today: Date) -> Option<AccountDetails> {
        old.username.as_ref()?;
        Some(AccountDetails {
            first_name: old.first_name.clone(),
            last_name: old.last_name.clone(),
            country: old.country.clone()?,
            zipcode: old.zipcode.clone()?,
            birthday: birthday(old, today)?,
            marketing_consent: MarketingConsent::from_older_system(old.marketing_consent),
        })
    }
}

pub(crate) fn birthday(old: &LegacyAccount, today: Date) -> Option<Date> {
    let (day, month, year) = (old.birthday_day?, old.birthday_month?, old.birthday_year?);
    age::birthday(day, month, year, today).ok()
}

/// Returns whether the birthday of the legacy account shows that the person is too young for the next step of the
/// migration. A complete legacy account needs only a password, so the age of a registration is enough; otherwise the
/// registration would refer a person to a migration that refuses this person.
pub(crate) fn is_known_minor(app: &App, old: &LegacyAccount) -> bool {
    let (today, limits) = (app.clock.today(), &app.config.age);
    birthday(old, today).is_some_and(|date| match AccountDetails::from_legacy(old, today) {
        Some(_) => !age::is_old_enough(date, limits.registration, today),
        None => !age::is_old_enough_by_calendar(date, limits.migration, today),
    })
}

/// Returns the stored language of the legacy account, or `fallback` if the older system stored none.
pub(crate) fn language(old: &LegacyAccount, fallback: Language) -> Language {
    let own = old.language.as_deref().and_then(Language::from_code);
    own.unwrap_or(fallback)
}

/// The older system stored no regions, so the region is that of the account's country, or else the first region.
pub(crate) fn region<'a>(config: &'a Config, old: &LegacyAccount) -> &'a Region {
    let own = config
        .regions
        .iter()
        .find(|region| old.country.is_some() && region.country_code == old.country);
    own.unwrap_or(&config.regions[0])
}

const MAX_USERNAME_ATTEMPTS: u32 = 5;

/// Runs a change that calls [`make_account`]. If a parallel change takes the chosen username, repeats the change, which
/// chooses a username again. The last attempt may still return `ErrorCode::UsernameInUse`.
pub(super) async fn repeat_if_username_taken<'a, T, F>(
    app: &'a App,
    client: &'a Client,
    work: impl Fn(Change<'a>) -> F,
) -> ApiResult<T>
where
    F: Future<Output = ApiResult<Committed<T>>>,
{
    for _ in 1..MAX_USERNAME_ATTEMPTS {
        match change(app, client, &work).await {
            Err(error) if error.code == ErrorCode::UsernameInUse => {}
            done => return done,
        }
    }
    change(app, client, work).await
}

/// Creates the account with a verified email address, and marks the legacy account as migrated. The caller has locked
/// the row of the legacy account, has checked every rule, and runs inside [`repeat_if_username_taken`]. Returns
/// `ErrorCode::UsernameInUse` if a parallel transaction has taken the username, and `ErrorCode::AccountExists` if
/// another account has the email address.
pub(crate) async fn make_account(
    change: &mut Change<'_>,
    client: &Client,
    old: &LegacyAccount,
    details: &AccountDetails,
    password_hash: &str,
) -> ApiResult<MigratedAccount> {
    let now = change.now;
    let email = Email::from_stored(&old.email);
    let names = [&details.first_name, &details.last_name].map(|name| name.as_deref());
    let username = username::choose_username(change, old, names).await?;
    let id = change.new_id();
    let new = NewAccount {
        id,
        email: &email,
        username: &username,
        password_hash,
        language: client.language,
        region: &client.region,
        country: &details.country,
        zipcode: &details.zipcode,
        birthday: details.birthday,
        first_name: details.first_name.as_deref(),
        last_name: details.last_name.as_deref(),
        marketing_consent: details.marketing_consent,
        verified_at: Some(now),
        now,
    };
    // The legacy account releases its username first, because the new account may have the same username.
    legacy::mark_migrated(change, old.id, id, now).await?;
    unverified::remove(change, email.key()).await?;
    accounts::insert(change, &new).await?;
    // The numbers of later changes are above those in the undo links of the legacy account.
    if let Some(number) = account_emails::last_number_of_legacy(change, old.id).await? {
        account_states::take_change_number(change, id, number).await?;
    }
    end_invitations(change, old.id).await?;
    security_log::record(change, SecurityEvent::Migrated, id).await?;
    Ok(MigratedAccount {
        id,
        email: email.as_entered().to_owned(),
        username: username.as_str().to_owned(),
    })
}

/// Withdraws the queued invitations of the legacy account, and invalidates its mailed links.
pub(super) async fn end_invitations(tx: &mut Tx, old: Uuid) -> ApiResult {
    links::end(tx, old, Ending::Migrated).await?;
    for kind in [MailKind::Invitation, MailKind::LegacyAccountExists] {
        links::withdraw(tx, old, kind).await?;
    }
    Ok(())
}
