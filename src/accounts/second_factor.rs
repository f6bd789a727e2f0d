//! The second factor in the settings: set up an authenticator app, turn it off, make new recovery codes.

use crate::app::App;
use crate::auth::client::Client;
use crate::auth::reauthentication::{AccountLevelSession, CredentialChange};
use crate::auth::removal::Removal;
use crate::auth::second_factor::code::totp_digits;
use crate::auth::second_factor::totp::{TotpSecret, TotpSetup};
use crate::auth::security_log::Event;
use crate::auth::session::{self, SignedInChange};
use crate::db::Tx;
use crate::db::conflict::retry_on_conflict;
use crate::domain::auth_method::AuthMethod;
use crate::domain::recovery_code::RecoveryCode;
use crate::domain::secret::Secret;
use crate::domain::security_event::SecurityEvent;
use crate::error::{ApiError, ErrorCode};
use crate::i18n::Message;
use crate::mail::{self, MailKind, OutgoingMail};
use crate::store::accounts::Account;
use crate::store::{credentials, devices, recovery_codes, totp};

/// The number of recovery codes of an account.
const RECOVERY_CODE_COUNT: usize = 10;

/// The most wrong codes of one set-up. Three of a million codes are right at any time.
const MAX_SETUP_CODES: i64 = 5;

/// A confirmed authenticator app.
pub(crate) struct EnabledSecondFactor {
    /// Shown once.
    pub codes: Vec<RecoveryCode>,
    /// The new id of the session, which now has the second factor.
    pub session: Secret,
}

/// Begins the set-up of an authenticator app in the session. Ends an earlier unconfirmed set-up of the account.
pub(crate) async fn begin(
    app: &App,
    client: &Client,
    session: &AccountLevelSession,
) -> Result<TotpSetup, ApiError> {
    let permit = CredentialChange::admit(app, session).await?;
    let secret = TotpSecret::generate(app);
    let account = retry_on_conflict(&app.rng, || async {
        let mut change = permit.begin(app, client).await?;
        let (account, session) = (change.account.id, change.session.hash());
        secret.begin(app, &mut change.tx, account, session).await?;
        change.tx.commit().await?;
        Ok::<_, ApiError>(change.account)
    })
    .await?;
    let issuer = app.brand_name(app.config.region_by_id(&client.region));
    secret.setup(&issuer, &account.email)
}

/// Confirms the session's set-up with a code of the app, which turns the second factor on.
pub(crate) async fn confirm(
    app: &App,
    client: &Client,
    session: &AccountLevelSession,
    code: &str,
) -> Result<EnabledSecondFactor, ApiError> {
    let permit = CredentialChange::admit(app, session).await?;
    retry_on_conflict(&app.rng, || async {
        let mut change = permit.begin(app, client).await?;
        let Some(step) = check(app, &mut change, code).await? else {
            totp::count_wrong_code(&mut change.tx, change.account.id, MAX_SETUP_CODES).await?;
            change.tx.commit().await?;
            return Err(ErrorCode::CodeInvalid.into());
        };
        let (tx, account) = (&mut change.tx, &change.account);
        let now = app.clock.millis();
        let number = credentials::next_change_number(tx, account.id, now).await?;
        totp::confirm(tx, account.id, step, number).await?;
        devices::end_trust(tx, account.id).await?;
        let codes = replace_recovery_codes(app, tx, account, number).await?;
        let kind = MailKind::SecondFactorEnabled;
        queue_notice(app, tx, client, account, kind, number).await?;
        let event = Event::new(SecurityEvent::SecondFactorEnabled, account.id, client);
        event.record(app, tx).await?;
        let authenticated = change.session.authenticated().raised_by(AuthMethod::Totp);
        let session = session::renew(app, &mut change, &authenticated).await?;
        change.tx.commit().await?;
        Ok(EnabledSecondFactor { codes, session })
    })
    .await
}

/// Returns the time step of the first code of the session's set-up. None: the code is wrong.
async fn check(
    app: &App,
    change: &mut SignedInChange,
    code: &str,
) -> Result<Option<i64>, ApiError> {
    let (now, account) = (app.clock.millis(), change.account.id);
    let stored = totp::find(&mut change.tx, account).await?;
    let stored = stored.ok_or_else(setup_expired)?;
    let is_own = stored.session_hash.as_ref() == Some(change.session.hash());
    let age = now.saturating_sub(stored.created_at);
    if !is_own || age >= app.config.lifetimes.totp_setup.millis() {
        return Err(setup_expired());
    }
    // A text that cannot be a code costs no try.
    let digits = totp_digits(code).ok_or(ErrorCode::CodeInvalid)?;
    let secret = TotpSecret::open(app, account, &stored)?;
    Ok(secret.matching_step(&digits, now))
}

/// Returns the refusal of a set-up that this session has not begun, that has expired or had too many wrong codes.
fn setup_expired() -> ApiError {
    ApiError::with_message(ErrorCode::InvalidToken, Message::ErrorSetupExpired)
}

/// Replaces the recovery codes.
async fn replace_recovery_codes(
    app: &App,
    tx: &mut Tx,
    account: &Account,
    number: i64,
) -> Result<Vec<RecoveryCode>, ApiError> {
    let codes: Vec<_> = (0..RECOVERY_CODE_COUNT)
        .map(|_| RecoveryCode::generate(&app.rng))
        .collect();
    let hashes: Vec<_> = codes.iter().map(RecoveryCode::hash).collect();
    recovery_codes::replace(tx, account.id, &hashes, number).await?;
    Ok(codes)
}

/// Mails that a credential was added, with a link that removes it.
async fn queue_notice(
    app: &App,
    tx: &mut Tx,
    client: &Client,
    account: &Account,
    kind: MailKind,
    number: i64,
) -> Result<(), ApiError> {
    let mut notice = OutgoingMail::to(account, kind).at(app.clock.millis());
    notice.details.change_number = Some(number);
    notice.details.device = Some(client.device_name());
    Ok(mail::queue(app, tx, notice).await?)
}

/// Turns the second factor off. Does nothing if it is off.
pub(crate) async fn disable(
    app: &App,
    client: &Client,
    session: &AccountLevelSession,
) -> Result<(), ApiError> {
    let permit = CredentialChange::admit(app, session).await?;
    retry_on_conflict(&app.rng, || async {
        let SignedInChange {
            mut tx, account, ..
        } = permit.begin(app, client).await?;
        let removal = Removal::new(app, client, &account);
        removal.authenticator_app(&mut tx).await?;
        Ok(tx.commit().await?)
    })
    .await
}

/// Makes new recovery codes; the old ones no longer work.
pub(crate) async fn regenerate(
    app: &App,
    client: &Client,
    session: &AccountLevelSession,
) -> Result<Vec<RecoveryCode>, ApiError> {
    let permit = CredentialChange::admit(app, session).await?;
    retry_on_conflict(&app.rng, || async {
        let SignedInChange {
            mut tx, account, ..
        } = permit.begin(app, client).await?;
        if !totp::is_on(&mut tx, account.id).await? {
            return Err(ErrorCode::SecondFactorOff.into());
        }
        let now = app.clock.millis();
        let number = credentials::next_change_number(&mut tx, account.id, now).await?;
        let codes = replace_recovery_codes(app, &mut tx, &account, number).await?;
        let kind = MailKind::RecoveryCodesRegenerated;
        queue_notice(app, &mut tx, client, &account, kind, number).await?;
        let event = Event::new(SecurityEvent::RecoveryCodesRegenerated, account.id, client);
        event.record(app, &mut tx).await?;
        tx.commit().await?;
        Ok(codes)
    })
    .await
}
