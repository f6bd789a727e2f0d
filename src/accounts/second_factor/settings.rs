//! Changes the second factor in the settings: sets up an authenticator app, turns it off, makes new recovery codes.

use crate::accounts::prelude::*;
use crate::accounts::reauthentication::{CredentialPermit, SessionAtRequiredLevel};
use crate::accounts::session::{self, LockedRows};
use crate::accounts::strong_factor::code::totp_digits;
use crate::accounts::strong_factor::totp::{TotpSecret, TotpSetup};
use crate::accounts::strong_factor::{self, removal};
use crate::domain::auth_method::AuthMethod;
use crate::domain::recovery_code::RecoveryCode;
use crate::domain::secret::SecretHash;
use crate::domain::session_id::SessionId;
use crate::i18n::Message;
use crate::store::totp::StoredTotp;
use crate::store::{devices, recovery_codes, totp};

const RECOVERY_CODE_COUNT: usize = 10;

/// The maximum number of wrong codes in one set-up. At any time three of the million possible codes are right.
const MAX_WRONG_SETUP_CODES: i64 = 5;

/// A confirmed authenticator app.
pub(crate) struct EnabledSecondFactor {
    /// The recovery codes, which are shown once.
    pub codes: Vec<RecoveryCode>,
    /// The new id of the session, which now has the second factor.
    pub session: SessionId,
}

/// Begins the set-up of an authenticator app, which replaces an earlier unconfirmed set-up. With `resume`, continues
/// the set-up of this session instead, with the same secret and expiry.
pub(crate) async fn begin_setup(
    app: &App,
    client: &Client,
    session: &SessionAtRequiredLevel,
    resume: bool,
) -> ApiResult<TotpSetup> {
    let permit = &CredentialPermit::admit(app, session).await?;
    let begun: ApiResult<_> = change(app, client, |mut change| async move {
        let locked = permit.lock(&mut change, client).await?;
        let pending = match resume {
            true => find_setup(&mut change, &locked).await?,
            false => None,
        };
        let LockedRows { account, session } = locked;
        let secret = match pending {
            Some(stored) => TotpSecret::open(app, account.id, &stored)?,
            None => TotpSecret::begin_setup(&mut change, account.id, session.hash()).await?,
        };
        change.commit((secret, account)).await
    })
    .await;
    let (secret, account) = begun?;
    let issuer = app.brand_name(app.config.region_by_id(&client.region));
    secret.setup(&issuer, &account.email)
}

/// Confirms the session's set-up with a code of the authenticator app, which turns the second factor on.
pub(crate) async fn confirm_setup(
    app: &App,
    client: &Client,
    session: &SessionAtRequiredLevel,
    code: &str,
) -> ApiResult<EnabledSecondFactor> {
    let permit = &CredentialPermit::admit(app, session).await?;
    change(app, client, |mut change| async move {
        let locked = permit.lock(&mut change, client).await?;
        let account = &locked.account;
        let Some(step) = check_setup_code(&mut change, &locked, code).await? else {
            totp::count_wrong_code(&mut change, account.id, MAX_WRONG_SETUP_CODES).await?;
            return Err(change.commit_refusal(ErrorCode::CodeInvalid).await);
        };
        let number = change.next_number(account).await?;
        totp::confirm_setup(&mut change, account.id, step, number).await?;
        devices::end_trust(&mut change, account.id).await?;
        let codes = replace_recovery_codes(&mut change, account, number).await?;
        let event = Event::new(SecurityEvent::SecondFactorEnabled, account.id);
        let kind = MailKind::SecondFactorEnabled;
        strong_factor::report_added(&mut change, account, kind, event, number).await?;
        let authenticated = locked
            .session
            .authenticated()
            .with_strong_factor(AuthMethod::Totp);
        let session =
            session::renew_session_id(&mut change, &locked.session, &authenticated).await?;
        change.commit(EnabledSecondFactor { codes, session }).await
    })
    .await
}

/// Returns the time step of a right set-up code, or `None` for a wrong code.
async fn check_setup_code(
    change: &mut Change<'_>,
    locked: &LockedRows,
    code: &str,
) -> ApiResult<Option<i64>> {
    let (now, account) = (change.now, locked.account.id);
    let stored = find_setup(change, locked).await?;
    let stored = stored.ok_or_else(setup_expired_error)?;
    // A text that is not a six-digit code costs no attempt.
    let digits = totp_digits(code).ok_or(ErrorCode::CodeInvalid)?;
    let secret = TotpSecret::open(change.app, account, &stored)?;
    Ok(secret.matching_step(&digits, now))
}

/// Returns the set-up that this session has begun and that has not expired.
async fn find_setup(change: &mut Change<'_>, locked: &LockedRows) -> ApiResult<Option<StoredTotp>> {
    let oldest = change.now - change.app.config.lifetimes.totp_setup.millis();
    let stored = totp::find(change, locked.account.id).await?;
    Ok(stored.filter(|stored| {
        let is_own = stored.session_hash.as_ref() == Some(locked.session.hash());
        is_own && stored.created_at > oldest
    }))
}

/// Returns the error for a set-up that this session has not begun, that has expired, or that had too many wrong codes.
fn setup_expired_error() -> ApiError {
    ApiError::with_message(ErrorCode::InvalidToken, Message::ErrorSetupExpired)
}

async fn replace_recovery_codes(
    change: &mut Change<'_>,
    account: &Account,
    number: i64,
) -> ApiResult<Vec<RecoveryCode>> {
    let (codes, hashes) = generate_codes(change.app);
    recovery_codes::replace(change, account.id, &hashes, number).await?;
    Ok(codes)
}

fn generate_codes(app: &App) -> (Vec<RecoveryCode>, Vec<SecretHash>) {
    let codes = (0..RECOVERY_CODE_COUNT).map(|_| RecoveryCode::generate(&app.rng));
    codes.map(|code| (code.clone(), code.hash())).unzip()
}

/// Turns the authenticator app off, if it is on.
pub(crate) async fn disable(
    app: &App,
    client: &Client,
    session: &SessionAtRequiredLevel,
) -> ApiResult {
    let permit = &CredentialPermit::for_removal(session);
    change(app, client, |mut change| async move {
        let LockedRows { account, .. } = permit.lock(&mut change, client).await?;
        removal::remove_app(&mut change, &account).await?;
        change.commit(()).await
    })
    .await
}

/// Makes new recovery codes; the old recovery codes no longer work.
pub(crate) async fn regenerate_recovery_codes(
    app: &App,
    client: &Client,
    session: &SessionAtRequiredLevel,
) -> ApiResult<Vec<RecoveryCode>> {
    let permit = &CredentialPermit::admit(app, session).await?;
    change(app, client, |mut change| async move {
        let LockedRows { account, .. } = lock_with_app(permit, &mut change, client).await?;
        let number = change.next_number(&account).await?;
        let codes = replace_recovery_codes(&mut change, &account, number).await?;
        report_new_codes(&mut change, &account, number).await?;
        change.commit(codes).await
    })
    .await
}

/// Makes pending recovery codes, which replace the old recovery codes when this session confirms them.
pub(crate) async fn make_pending_codes(
    app: &App,
    client: &Client,
    session: &SessionAtRequiredLevel,
) -> ApiResult<Vec<RecoveryCode>> {
    let permit = &CredentialPermit::admit(app, session).await?;
    change(app, client, |mut change| async move {
        let locked = lock_with_app(permit, &mut change, client).await?;
        let (codes, hashes) = generate_codes(app);
        let (account, now) = (locked.account.id, change.now);
        let session = locked.session.hash();
        recovery_codes::replace_pending(&mut change, account, session, &hashes, now).await?;
        change.commit(codes).await
    })
    .await
}

/// Replaces the recovery codes by the pending recovery codes of the session.
pub(crate) async fn confirm_codes(
    app: &App,
    client: &Client,
    session: &SessionAtRequiredLevel,
) -> ApiResult {
    let permit = &CredentialPermit::admit(app, session).await?;
    change(app, client, |mut change| async move {
        let LockedRows { account, session } = lock_with_app(permit, &mut change, client).await?;
        let number = change.next_number(&account).await?;
        let session = session.hash();
        if !recovery_codes::confirm_pending(&mut change, account.id, session, number).await? {
            let message = Message::ErrorRecoveryCodesExpired;
            return Err(ApiError::with_message(ErrorCode::InvalidToken, message));
        }
        report_new_codes(&mut change, &account, number).await?;
        change.commit(()).await
    })
    .await
}

/// Locks the rows of the account and the session. Returns 409 `second_factor_off` if no authenticator app is on.
async fn lock_with_app(
    permit: &CredentialPermit<'_>,
    change: &mut Change<'_>,
    client: &Client,
) -> ApiResult<LockedRows> {
    let locked = permit.lock(change, client).await?;
    match totp::has_confirmed_app(change, locked.account.id).await? {
        true => Ok(locked),
        false => Err(ErrorCode::SecondFactorOff.into()),
    }
}

async fn report_new_codes(change: &mut Change<'_>, account: &Account, number: i64) -> ApiResult {
    let event = Event::new(SecurityEvent::RecoveryCodesRegenerated, account.id);
    let kind = MailKind::RecoveryCodesRegenerated;
    Ok(strong_factor::report_added(change, account, kind, event, number).await?)
}
