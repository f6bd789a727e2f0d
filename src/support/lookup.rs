//! Finds one account by its exact email address, username or id.

use uuid::Uuid;

use super::audited::{self, SupportAction, SupportActor, SupportChange};
use crate::accounts::change::Change;
use crate::app::App;
use crate::db::Tx;
use crate::domain::email::{self, Email};
use crate::domain::security_event::SecurityEvent;
use crate::domain::username::Username;
use crate::error::{ApiResult, ErrorCode};
use crate::i18n::Language;
use crate::rate_limit::{LimitName, Subject};
use crate::store::account_emails;
use crate::store::accounts::{self, Account};
use crate::store::legacy::{self, LegacyAccount};
use crate::store::pending_acts::{self, Act};
use crate::store::support_view::Bounce;
use crate::store::{credentials, devices, support_view, totp};

/// The identifier by which an account is looked up.
#[derive(Debug, Clone)]
pub(crate) enum AccountKey {
    Email(Email),
    Username(Username),
    Id(Uuid),
    /// The id that the older system gave an unmigrated or a migrated account.
    LegacyId(String),
    /// An email address that the account had within the last 180 days.
    FormerEmail(Email),
}

impl AccountKey {
    /// Parses typed text. Returns `None` if the text cannot be an email address, a username or an id.
    pub(crate) fn parse(text: &str) -> Option<AccountKey> {
        let text = text.trim();
        if let Ok(id) = text.parse::<Uuid>() {
            return Some(AccountKey::Id(id));
        }
        if let Ok(email) = Email::parse(text) {
            return Some(AccountKey::Email(email));
        }
        Username::parse(text).ok().map(AccountKey::Username)
    }

    /// Returns the id, or `None` if the lookup is not by account id.
    pub(super) fn id(&self) -> Option<Uuid> {
        match self {
            AccountKey::Id(id) => Some(*id),
            AccountKey::Email(_)
            | AccountKey::Username(_)
            | AccountKey::LegacyId(_)
            | AccountKey::FormerEmail(_) => None,
        }
    }
}

pub(crate) enum AccountOrLegacy {
    Account(Account),
    Legacy(LegacyAccount),
}

impl AccountOrLegacy {
    pub(crate) fn id(&self) -> Uuid {
        match self {
            AccountOrLegacy::Account(account) => account.id,
            AccountOrLegacy::Legacy(old) => old.id,
        }
    }
}

/// The state of an account. If several states apply, the first of this list is returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AccountState {
    Disabled,
    DeletionPending,
    Unverified,
    Active,
    /// An unmigrated legacy account.
    Legacy,
}

/// The data of an account for support. Times are milliseconds since 1970 UTC.
pub(crate) struct AccountSummary {
    pub id: Uuid,
    pub username: Option<String>,
    /// The email address, masked for agents unless the lookup was by email address.
    pub email: String,
    pub state: AccountState,
    pub created_at: Option<i64>,
    pub verified: bool,
    pub last_seen_at: Option<i64>,
    pub region: Option<String>,
    pub language: Option<Language>,
    pub devices: usize,
    pub passkeys: i64,
    pub second_factor: bool,
    pub deletion_at: Option<i64>,
    /// The birthday as YYYY-MM-DD. Only the command line shows this and the following fields.
    pub birthday: Option<String>,
    pub legacy_id: Option<String>,
    /// The new email address of a change that its mailbox has not confirmed yet.
    pub pending_email: Option<String>,
    pub bounced: Option<Bounce>,
}

/// Locks the row of the account with this key, and returns the account, or `None` if there is none.
pub(super) async fn find_and_lock(
    app: &App,
    tx: &mut Tx,
    key: &AccountKey,
) -> ApiResult<Option<AccountOrLegacy>> {
    let (account, old) = match key {
        AccountKey::Id(id) => (Some(*id), Some(*id)),
        AccountKey::Username(name) => support_view::find_by_username(tx, &name.key()).await?,
        AccountKey::Email(email) => support_view::find_by_email(tx, email.key()).await?,
        AccountKey::LegacyId(id) => support_view::find_by_legacy_id(tx, id).await?,
        AccountKey::FormerEmail(email) => {
            let (hasher, now) = (&app.username_hasher, app.clock.millis());
            account_emails::find_former(tx, hasher, email.key(), now).await?
        }
    };
    let account = match account {
        Some(id) => accounts::lock(tx, id).await?,
        None => None,
    };
    // A legacy account with the same email address takes precedence over an unverified registration.
    if let Some(account) = account {
        let is_superseded = !account.verified && old.is_some_and(|old| old != account.id);
        if !is_superseded {
            return Ok(Some(AccountOrLegacy::Account(account)));
        }
    }
    let old = match old {
        Some(id) => legacy::lock(tx, id).await?,
        None => None,
    };
    Ok(old.map(AccountOrLegacy::Legacy))
}

/// Fails with 404 if there is no account with this key.
pub(super) async fn lock_subject(
    app: &App,
    change: &mut SupportChange<'_>,
    key: &AccountKey,
) -> ApiResult<AccountOrLegacy> {
    let subject = find_and_lock(app, change.tx(), key).await?;
    Ok(subject.ok_or(ErrorCode::NotFound)?)
}

/// Looks an account up. Lookups by agents are rate-limited. The audit log records every lookup, and the person's list
/// of activity records a successful lookup.
pub(crate) async fn find(
    app: &App,
    actor: SupportActor<'_>,
    key: Option<&AccountKey>,
) -> ApiResult<Option<AccountSummary>> {
    let attempt = actor.attempt(SupportAction::Find, key, None);
    let run = attempt.run(app, |mut change| async move {
        if let Some(agent) = change.agent_id() {
            change = change
                .admit(&[LimitName::SupportLookup.of(Subject::Account(agent))])
                .await?;
        }
        let subject = match key {
            Some(key) => find_and_lock(app, change.tx(), key).await?,
            None => None,
        };
        let found = subject.as_ref().map(AccountOrLegacy::id);
        let mut change = change.audit(found, None).await?;
        let Some(subject) = subject else {
            return change.commit(None).await;
        };
        let now = change.now;
        let mut summary = AccountSummary::read(&mut change, &subject, now).await?;
        if actor.is_agent() && !matches!(key, Some(AccountKey::Email(_))) {
            summary.email = email::mask(&summary.email);
        }
        record_view(&mut change, &subject, attempt.action).await?;
        change.commit(Some(summary)).await
    });
    run.await
}

/// Records in the person's list of activity that support has viewed the account. A legacy account has no such list.
pub(super) async fn record_view(
    change: &mut Change<'_>,
    subject: &AccountOrLegacy,
    action: SupportAction,
) -> ApiResult {
    match subject {
        AccountOrLegacy::Account(account) => {
            audited::record_event(change, SecurityEvent::SupportViewed, account.id, action).await
        }
        AccountOrLegacy::Legacy(_) => Ok(()),
    }
}

impl AccountSummary {
    async fn read(tx: &mut Tx, subject: &AccountOrLegacy, now: i64) -> ApiResult<AccountSummary> {
        match subject {
            AccountOrLegacy::Account(account) => AccountSummary::of_account(tx, account, now).await,
            AccountOrLegacy::Legacy(old) => Ok(AccountSummary {
                id: old.id,
                username: old.username.clone(),
                email: old.email.clone(),
                state: AccountState::Legacy,
                created_at: None,
                verified: false,
                last_seen_at: None,
                region: None,
                language: old.language.as_deref().and_then(Language::from_code),
                devices: 0,
                passkeys: 0,
                second_factor: false,
                deletion_at: None,
                birthday: old.birthday(),
                legacy_id: support_view::find_legacy_id(tx, old.id).await?,
                pending_email: None,
                bounced: support_view::find_legacy_bounce(tx, old.id).await?,
            }),
        }
    }

    async fn of_account(tx: &mut Tx, account: &Account, now: i64) -> ApiResult<AccountSummary> {
        let state = match (account.deletion_due_at, account.verified) {
            _ if account.is_disabled => AccountState::Disabled,
            (Some(_), _) => AccountState::DeletionPending,
            (None, false) => AccountState::Unverified,
            (None, true) => AccountState::Active,
        };
        let id = account.id;
        let email_change = pending_acts::find(tx, id, Act::EmailChange, now).await?;
        Ok(AccountSummary {
            id,
            username: Some(account.username.clone()),
            email: account.email.clone(),
            state,
            created_at: support_view::created_at(tx, id).await?,
            verified: account.verified,
            last_seen_at: support_view::find_last_seen(tx, id).await?,
            region: Some(account.region.clone()),
            language: Some(account.language),
            devices: devices::list_enrolled(tx, id).await?.len(),
            passkeys: credentials::count(tx, id).await?,
            second_factor: totp::has_confirmed_app(tx, id).await?,
            deletion_at: account.deletion_due_at,
            birthday: accounts::personal_details(tx, id)
                .await?
                .map(|details| details.birthday),
            legacy_id: support_view::find_legacy_id(tx, id).await?,
            pending_email: email_change.and_then(|pending| pending.email),
            bounced: support_view::find_bounce(tx, id).await?,
        })
    }
}
