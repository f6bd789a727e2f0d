//! Mails migration links to legacy accounts, and migrates an account whose owner only has to choose a password.

use crate::accounts::mailed_link::MailedLink;
use crate::accounts::migration::{self, AccountDetails, MigratedAccount};
use crate::accounts::new_password::reject_common;
use crate::accounts::prelude::*;
use crate::accounts::session::browser_session;
use crate::accounts::timing::with_padded_duration;
use crate::domain::email::Email;
use crate::domain::password::{LengthPolicy, Password};
use crate::domain::secret::Secret;
use crate::error::FieldRule;
use crate::i18n::Language;
use crate::mail::OutgoingMail;
use crate::mail::links::{self, Ending};
use crate::store::legacy::{self, LegacyAccount};
use crate::store::tokens::Purpose;
use crate::store::verified_emails;

/// Mails a migration link. The duration is padded, so that it does not reveal whether a legacy account exists.
pub(crate) async fn request(app: &App, client: &Client, email: &Email) -> ApiResult {
    with_padded_duration(change(app, client, |change| async move {
        let now = change.now;
        let actions = [
            LimitName::ResetFrom.of(Subject::Network(client.ip)),
            LimitName::ResetOf.of(Subject::Email(email.key())),
        ];
        let mut change = change.admit(&actions).await?;
        let has_account = verified_emails::is_verified(&mut change, email.key()).await?;
        let legacy_account = legacy::unmigrated_by_email(&mut change, email.key()).await?;
        if let (Some(old), false) = (legacy_account, has_account) {
            legacy::mark_invitation_opened(&mut change, old.id, now).await?;
            let language = migration::language(&old, client.language);
            queue_link(&mut change, &old, language, &client.region).await?;
            let (legacy, ip) = (old.id, client.ip);
            change.on_commit(
            move || tracing::info!(target: "security", event = "migration_requested", %legacy, %ip),
        );
        }
        change.commit(()).await
    }))
    .await
}

/// Mails the migration link again for support. Returns the kind of the mail.
pub(crate) async fn resend(change: &mut Change<'_>, old: &LegacyAccount) -> ApiResult<MailKind> {
    let region = migration::region(&change.app.config, old);
    let language = migration::language(old, region.language());
    queue_link(change, old, language, &region.id).await
}

/// Queues a mail with a migration link, or with a link to the completion form if the account lacks details.
async fn queue_link(
    change: &mut Change<'_>,
    old: &LegacyAccount,
    language: Language,
    region: &str,
) -> ApiResult<MailKind> {
    let (kind, other) = match AccountDetails::from_legacy(old, change.app.clock.today()) {
        Some(_) => (MailKind::Migrate, MailKind::CompleteMigration),
        None => (MailKind::CompleteMigration, MailKind::Migrate),
    };
    // The link of the other kind becomes invalid, because an import may have completed the details since the last mail.
    links::end(change, old.id, Ending::Replaced(other, None)).await?;
    let outgoing = OutgoingMail::to_legacy(old, kind, language, region);
    change.queue_mail(outgoing).await?;
    Ok(kind)
}

/// Migrates an account whose owner only has to choose a password. No session is started. `cookie` becomes the browser's
/// device cookie.
pub(crate) async fn confirm(
    app: &App,
    client: &Client,
    link: MailedLink,
    cookie: &Secret,
    typed: &str,
    confirmation: Option<&str>,
) -> ApiResult<MigratedAccount> {
    let link = MigrationLink {
        link,
        purpose: Purpose::Migration,
    };
    let old = link.legacy_account(app, client).await?;
    let details =
        AccountDetails::from_legacy(&old, app.clock.today()).ok_or(ErrorCode::InvalidToken)?;
    let password = Password::with_length_check(typed, LengthPolicy::Migration)
        .map_err(ApiError::broken_rule)?;
    if !confirmation.is_none_or(|text| password.is_confirmed_by(text)) {
        return Err(ApiError::broken_rule(FieldRule::PasswordsDiffer));
    }
    let name = old.username.as_deref().unwrap_or_default();
    reject_common(app, &client.region, &password, name, &old.email)
        .map_err(ApiError::broken_rule)?;
    if migration::is_known_minor(app, &old) {
        record_refused_minor(app, client, &old).await?;
        return Err(ErrorCode::Underage.into());
    }
    link.complete(app, client, cookie, &details, &password)
        .await
}

/// Records that a minor was refused. The legacy account remains, for a migration when the person is old enough.
pub(super) async fn record_refused_minor(
    app: &App,
    client: &Client,
    old: &LegacyAccount,
) -> ApiResult {
    change(app, client, |mut change| async move {
        let (legacy, now) = (old.id, change.now);
        legacy::mark_refused(&mut change, legacy, now).await?;
        change.on_commit(
            move || tracing::info!(target: "security", event = "migration_refused", %legacy),
        );
        change.commit(()).await
    })
    .await
}

/// A mailed link, and the purpose that its token must have.
pub(super) struct MigrationLink {
    pub link: MailedLink,
    pub purpose: Purpose,
}

impl MigrationLink {
    /// Returns the linked account without redeeming the link, so that the link still works after a mistake in the form.
    pub(super) async fn legacy_account(
        &self,
        app: &App,
        client: &Client,
    ) -> ApiResult<LegacyAccount> {
        change(app, client, |mut change| async move {
            let token = self.link.find_live(&mut change, self.purpose).await?;
            let old = legacy::lock(&mut change, token.subject_id)
                .await?
                .ok_or(ErrorCode::InvalidToken)?;
            let now = change.now;
            legacy::mark_invitation_opened(&mut change, old.id, now).await?;
            change.commit(old).await
        })
        .await
    }

    /// Redeems the link and makes the account in one transaction.
    pub(super) async fn complete(
        &self,
        app: &App,
        client: &Client,
        cookie: &Secret,
        details: &AccountDetails,
        password: &Password,
    ) -> ApiResult<MigratedAccount> {
        let hash = &app.hasher.hash(password, &app.rng).await?;
        migration::repeat_if_username_taken(app, client, |mut change| async move {
            let token = self.link.redeem(&mut change, self.purpose).await?;
            let old = legacy::lock(&mut change, token.subject_id).await?;
            let old = old.ok_or(ErrorCode::InvalidToken)?;
            let account = migration::make_account(&mut change, client, &old, details, hash).await?;
            browser_session::enrol(&mut change, client, account.id, cookie).await?;
            self.link.commit(change, account).await
        })
        .await
    }
}
