//! Requires a recent proof of identity for sensitive calls, so that a stolen session alone cannot make permanent
//! changes. If the account has a strong factor, a stolen password does not suffice either.

use serde_json::Value;
use uuid::Uuid;

use crate::accounts::passkey::challenge::{Ceremony, ChallengeBinding};
use crate::accounts::passkey::{Assertion, assertion};
use crate::accounts::prelude::*;
use crate::accounts::session::{self, LockedRows, SignedIn};
use crate::accounts::strong_factor::code::{self, TypedCode};
use crate::accounts::{current_password, strong_factor};
use crate::config::{Profile, RelyingParty};
use crate::db::Tx;
use crate::db::conflict::Committed;
use crate::domain::auth_method::{Aal, AuthMethod, AuthMethods};
use crate::domain::secret::SecretHash;
use crate::domain::session_id::SessionId;
use crate::error::ErrorData;
use crate::store::sessions::{Authentication, Proof};
use crate::store::{credentials, totp};

/// The proof of identity that an API call requires, not older than `lifetimes.reauthentication`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequiredProof {
    /// Any proof.
    AnyLevel,
    /// A proof at authentication level 2 if the account has an authenticator app, otherwise any proof.
    Recent,
    /// A proof at authentication level 2 if the account has a strong factor (NIST SP 800-63B section 6.1.2.1: a new
    /// authenticator is bound at the authentication level at which it will be used).
    AccountLevel,
    /// A proof at authentication level 2.
    LevelTwo,
}

impl RequiredProof {
    async fn needs_level_two(
        self,
        app: &App,
        tx: &mut Tx,
        account: Uuid,
    ) -> crate::db::Result<bool> {
        match self {
            RequiredProof::AnyLevel => Ok(false),
            RequiredProof::Recent => totp::has_confirmed_app(tx, account).await,
            RequiredProof::AccountLevel => strong_factor::exists(app, tx, account).await,
            RequiredProof::LevelTwo => Ok(true),
        }
    }

    /// Returns `reauthentication_required` if the session lacks this proof or the proof is too old.
    async fn check(
        self,
        app: &App,
        tx: &mut Tx,
        client: &Client,
        account: Uuid,
        authenticated: &Authentication,
    ) -> ApiResult {
        let wanted = match self.needs_level_two(app, tx, account).await? {
            true => Aal::Two,
            false => Aal::One,
        };
        let lifetime = app.config.lifetimes.reauthentication.millis();
        let oldest = app.clock.millis() - lifetime + 1;
        match authenticated.answering(wanted, Some(oldest)) {
            Some(_) => Ok(()),
            None => Err(self
                .reauthentication_error(app, tx, client, account)
                .await?),
        }
    }

    /// Returns the error that lists the methods by which this account can give the proof on this site, strongest first.
    pub(crate) async fn reauthentication_error(
        self,
        app: &App,
        tx: &mut Tx,
        client: &Client,
        account: Uuid,
    ) -> ApiResult<ApiError> {
        let mut methods = Vec::new();
        if strong_factor::has_passkey_here(app, tx, client, account).await? {
            methods.push(AuthMethod::Passkey);
        }
        if totp::has_confirmed_app(tx, account).await? {
            methods.extend([AuthMethod::Password, AuthMethod::Totp]);
        } else if !self.needs_level_two(app, tx, account).await? {
            methods.push(AuthMethod::Password);
        }
        Ok(ErrorData::ReauthenticationRequired { methods }.into())
    }
}

async fn check_session(
    app: &App,
    client: &Client,
    signed_in: &SignedIn,
    required: RequiredProof,
) -> ApiResult {
    let session = signed_in.session();
    let (account, authenticated) = (session.account_id, &session.authenticated);
    let mut tx = app.store.read().await?;
    required
        .check(app, &mut tx, client, account, authenticated)
        .await
}

/// Locks the session like [`SignedIn::lock`], and checks the proof again in the transaction.
async fn lock_proved_session(
    change: &mut Change<'_>,
    client: &Client,
    signed_in: &SignedIn,
    required: RequiredProof,
) -> ApiResult<LockedRows> {
    let locked = signed_in.lock(change).await?;
    let (account, authenticated) = (locked.account.id, locked.session.authenticated());
    required
        .check(change.app, change, client, account, authenticated)
        .await?;
    Ok(locked)
}

/// Locks a session with a recent proof at any level, because a person without a strong factor cannot prove level 2.
pub(crate) async fn lock_at_any_level(
    change: &mut Change<'_>,
    client: &Client,
    signed_in: &SignedIn,
) -> ApiResult<LockedRows> {
    lock_proved_session(change, client, signed_in, RequiredProof::AnyLevel).await
}

/// A session with the proof [`RequiredProof::Recent`].
pub(crate) struct RecentSession(SignedIn);

impl RecentSession {
    pub(crate) async fn check(
        app: &App,
        client: &Client,
        signed_in: SignedIn,
    ) -> ApiResult<RecentSession> {
        check_session(app, client, &signed_in, RequiredProof::Recent).await?;
        Ok(RecentSession(signed_in))
    }

    pub(crate) fn signed_in_session(&self) -> &SignedIn {
        &self.0
    }

    /// Locks the session like [`SignedIn::lock`], and checks the proof again in the transaction.
    pub(crate) async fn lock(
        &self,
        change: &mut Change<'_>,
        client: &Client,
    ) -> ApiResult<LockedRows> {
        lock_proved_session(change, client, &self.0, RequiredProof::Recent).await
    }
}

/// A session with the proof [`RequiredProof::AccountLevel`]. Only a [`CredentialPermit`] locks this session, so every
/// addition of a credential counts against the rate limit, and every change checks the proof again.
pub(crate) struct SessionAtRequiredLevel(SignedIn);

impl SessionAtRequiredLevel {
    pub(crate) async fn check(
        app: &App,
        client: &Client,
        signed_in: SignedIn,
    ) -> ApiResult<SessionAtRequiredLevel> {
        check_session(app, client, &signed_in, RequiredProof::AccountLevel).await?;
        Ok(SessionAtRequiredLevel(signed_in))
    }

    pub(crate) fn signed_in_session(&self) -> &SignedIn {
        &self.0
    }
}

/// The permission to change a credential of the account.
pub(crate) struct CredentialPermit<'a>(&'a SignedIn);

impl<'a> CredentialPermit<'a> {
    /// Counts the change against the rate limit, whatever its outcome.
    pub(crate) async fn admit(
        app: &App,
        session: &'a SessionAtRequiredLevel,
    ) -> ApiResult<CredentialPermit<'a>> {
        let account = session.0.session().account_id;
        app.enforce_rate_limits(&[LimitName::CredentialChange.of(Subject::Account(account))])
            .await?;
        Ok(CredentialPermit(&session.0))
    }

    /// Permits a removal, which counts against no limit: what was added bounds it, and an attacker who has used up the
    /// limit must not keep what they have added.
    pub(crate) fn for_removal(session: &'a SessionAtRequiredLevel) -> CredentialPermit<'a> {
        CredentialPermit(&session.0)
    }

    /// Locks the session like [`SignedIn::lock`], and checks the proof again in the transaction.
    pub(crate) async fn lock(
        &self,
        change: &mut Change<'_>,
        client: &Client,
    ) -> ApiResult<LockedRows> {
        lock_proved_session(change, client, self.0, RequiredProof::AccountLevel).await
    }
}

/// Checks for a recent proof before a change of the email address. An account with a strong factor requires a proof at
/// authentication level 2, because the new mailbox could request a reset of the strong factors.
pub(crate) async fn require_for_email_change(
    app: &App,
    client: &Client,
    signed_in: &SignedIn,
) -> ApiResult {
    let account = signed_in.session().account_id;
    let mut tx = app.store.read().await?;
    let has_strong_factor = strong_factor::exists(app, &mut tx, account).await?;
    drop(tx);
    match has_strong_factor {
        true => check_session(app, client, signed_in, RequiredProof::LevelTwo).await,
        false => require_in_strict_profile(app, client, signed_in).await,
    }
}

/// Checks for a recent proof before a change of the password or the email address. Only profile `strict` requires it.
pub(crate) async fn require_in_strict_profile(
    app: &App,
    client: &Client,
    signed_in: &SignedIn,
) -> ApiResult {
    if app.config.security.profile != Profile::Strict {
        return Ok(());
    }
    check_session(app, client, signed_in, RequiredProof::Recent).await
}

/// Returns the options of `navigator.credentials.get` for one of the account's passkeys, and the state of the ceremony.
pub(crate) async fn passkey_options(
    app: &App,
    signed_in: &SignedIn,
    party: &RelyingParty,
) -> ApiResult<(Value, String)> {
    signed_in.check_live(app).await?;
    let mut tx = app.store.read().await?;
    let account = signed_in.session().account_id;
    let passkeys = credentials::list(&mut tx, account).await?;
    let here = passkeys.into_iter().filter(|one| one.rp_id == party.id);
    let ids: Vec<_> = here.map(|one| one.credential_id).collect();
    let binding = ChallengeBinding::new(Ceremony::Reauthenticate, Some(account), party);
    Ok(assertion::begin(app, party, binding, &ids))
}

/// Proves the identity again with a passkey. Returns the new session id.
pub(crate) async fn confirm_with_passkey(
    app: &App,
    client: &Client,
    signed_in: &SignedIn,
    party: &RelyingParty,
    state: &str,
    credential: &Assertion,
) -> ApiResult<SessionId> {
    let limit = LimitName::Reauthentication;
    let (_, device) = current_password::count_attempt(app, client, signed_in, limit).await?;
    let device = &device;
    change(app, client, |mut change| async move {
        let locked = signed_in.lock(&mut change).await?;
        let account = Some(locked.account.id);
        let binding = ChallengeBinding::new(Ceremony::Reauthenticate, account, party);
        let outcome = assertion::verify(&mut change, party, &binding, state, credential).await?;
        let Ok((_, method)) = outcome else {
            let wrong = ErrorCode::ReauthenticationFailed;
            return Err(change.commit_refusal(wrong).await);
        };
        renew_with_proof(change, &locked, device, &[method]).await
    })
    .await
}

/// Refunds the counted attempt, renews the session with the new proof, and commits.
async fn renew_with_proof(
    mut change: Change<'_>,
    locked: &LockedRows,
    device: &SecretHash,
    methods: &[AuthMethod],
) -> ApiResult<Committed<SessionId>> {
    refund_attempt(&mut change, locked.account.id, device).await?;
    let current = locked.session.authenticated();
    let authenticated = current.with_proof(Proof::new(AuthMethods::of(methods), change.now));
    let id = session::renew_session_id(&mut change, &locked.session, &authenticated).await?;
    change.commit(id).await
}

async fn refund_attempt(change: &mut Change<'_>, account: Uuid, device: &SecretHash) -> ApiResult {
    let actions = [LimitName::Reauthentication.of(Subject::Device(account, device))];
    Ok(change.app.rate_limiter.refund(change, &actions).await?)
}

/// Proves the identity again with the password, and with a second-factor code if the account has an authenticator app.
/// Returns the new session id. If the account has no authenticator app, the proof has authentication level 1.
pub(crate) async fn confirm_with_password(
    app: &App,
    client: &Client,
    signed_in: &SignedIn,
    input: &str,
    code: Option<&str>,
) -> ApiResult<SessionId> {
    let permit = app.hasher.reserve()?;
    let limit = LimitName::Reauthentication;
    let counted = current_password::count_attempt(app, client, signed_in, limit);
    let (account, device) = &counted.await?;
    let wrong = ErrorCode::ReauthenticationFailed;
    current_password::verify(app, client, permit, device, account, input, wrong).await?;
    change(app, client, |mut change| async move {
        let locked = signed_in.lock(&mut change).await?;
        // A parallel request has changed the password during the verification.
        if locked.account.password_hash != account.password_hash {
            return Err(wrong.into());
        }
        if !totp::has_confirmed_app(&mut change, account.id).await? {
            return renew_with_proof(change, &locked, device, &[AuthMethod::Password]).await;
        }
        let Some(typed) = TypedCode::parse(code.ok_or(wrong)?) else {
            refund_attempt(&mut change, account.id, device).await?;
            return Err(change.commit_refusal(wrong).await);
        };
        match code::verify(change, account, &typed).await? {
            (change, Ok(code)) => {
                let methods = [AuthMethod::Password, code.method()];
                renew_with_proof(change, &locked, device, &methods).await
            }
            (change, Err(_)) => Err(change.commit_refusal(wrong).await),
        }
    })
    .await
}
