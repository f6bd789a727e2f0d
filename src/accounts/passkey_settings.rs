//! Lists, adds, renames and removes the passkeys of an account.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use crate::accounts::passkey::challenge::{self, Ceremony, ChallengeBinding};
use crate::accounts::passkey::{
    Challenge, NewCredential, NewPasskey, creation_options, providers, user_handle,
};
use crate::accounts::prelude::*;
use crate::accounts::reauthentication::{CredentialPermit, SessionAtRequiredLevel};
use crate::accounts::security_log::EventDetail;
use crate::accounts::session::{self, LockedRows, SignedIn};
use crate::accounts::strong_factor::{self, removal};
use crate::config::RelyingParty;
use crate::db::StoreError;
use crate::domain::session_id::SessionId;
use crate::domain::visible_text;
use crate::error::FieldRule;
use crate::i18n::Message;
use crate::store::credentials::{self, StoredPasskey};

const MAX_PASSKEY_NAME_CHARS: usize = 60;

/// The data that the page reports to the browser's passkey provider (WebAuthn Level 3 section 5.1.10).
#[derive(Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PasskeySignal {
    rp_id: String,
    user_id: String,
    all_accepted_credential_ids: Vec<String>,
    name: String,
    display_name: String,
}

/// Returns the account's passkeys, and the data about `party` that the browser reports to its passkey provider.
pub(crate) async fn list(
    app: &App,
    signed_in: &SignedIn,
    party: &RelyingParty,
) -> ApiResult<(Vec<StoredPasskey>, PasskeySignal)> {
    let session = signed_in.session();
    let mut tx = app.store.read().await?;
    let passkeys = credentials::list(&mut tx, session.account_id).await?;
    let user_handle = user_handle::derive(app, session.account_id);
    let accepted = credential_ids_of(&passkeys, party).into_iter();
    let signal = PasskeySignal {
        rp_id: party.id.clone(),
        user_id: URL_SAFE_NO_PAD.encode(user_handle),
        all_accepted_credential_ids: accepted.map(|id| URL_SAFE_NO_PAD.encode(id)).collect(),
        name: session.email.clone(),
        display_name: session.username.clone(),
    };
    Ok((passkeys, signal))
}

fn credential_ids_of(passkeys: &[StoredPasskey], party: &RelyingParty) -> Vec<Vec<u8>> {
    let here = passkeys.iter().filter(|passkey| passkey.rp_id == party.id);
    here.map(|passkey| passkey.credential_id.clone()).collect()
}

/// Returns the options of `navigator.credentials.create`, and the signed state of the ceremony.
pub(crate) async fn begin_adding(
    app: &App,
    client: &Client,
    session: &SessionAtRequiredLevel,
    party: &RelyingParty,
) -> ApiResult<(Value, String)> {
    session.signed_in_session().check_live(app).await?;
    let session = session.signed_in_session().session();
    let mut tx = app.store.read().await?;
    let passkeys = credentials::list(&mut tx, session.account_id).await?;
    if passkeys.len() >= app.config.passkeys.max as usize {
        return Err(ErrorCode::TooManyPasskeys.into());
    }
    let existing = credential_ids_of(&passkeys, party);
    let (options, challenge) = creation_options(app, client, party, session, &existing);
    let binding = ChallengeBinding::new(Ceremony::Add, Some(session.account_id), party);
    Ok((options, challenge::sign(app, binding, &challenge)))
}

pub(crate) struct AddedPasskey {
    pub passkey: StoredPasskey,
    /// The new session id, if this first strong factor of the account raises the session to authentication level 2.
    pub session: Option<SessionId>,
}

/// Adds the passkey that the browser has created, and mails a link that removes the passkey.
pub(crate) async fn add(
    app: &App,
    client: &Client,
    session: &SessionAtRequiredLevel,
    party: &RelyingParty,
    state: &str,
    answer: &NewCredential,
) -> ApiResult<AddedPasskey> {
    let permit = &CredentialPermit::admit(app, session).await?;
    change(app, client, |mut change| async move {
        let locked = permit.lock(&mut change, client).await?;
        let account = &locked.account;
        let bound = ChallengeBinding::new(Ceremony::Add, Some(account.id), party);
        let challenge = challenge::open(&mut change, state, &bound).await?;
        let new = match verify_new_passkey(&mut change, account, party, &challenge, answer).await? {
            Ok(new) => new,
            // The commit keeps the challenge redeemed.
            Err(refusal) => return Err(change.commit_refusal(refusal).await),
        };
        let is_first = !strong_factor::exists(app, &mut change, account.id).await?;
        let passkey = store(&mut change, client, account, party, &new).await?;
        let session = match is_first {
            true => {
                let current = locked.session.authenticated();
                let authenticated = current.with_strong_factor(new.passkey.method());
                Some(session::renew_session_id(&mut change, &locked.session, &authenticated).await?)
            }
            false => None,
        };
        change.commit(AddedPasskey { passkey, session }).await
    })
    .await
}

async fn verify_new_passkey(
    change: &mut Change<'_>,
    account: &Account,
    party: &RelyingParty,
    challenge: &Challenge,
    answer: &NewCredential,
) -> Result<Result<NewPasskey, ErrorCode>, StoreError> {
    let new = match answer.verify(party, challenge) {
        Ok(new) => new,
        Err(reason) => {
            tracing::info!(%reason, "a new passkey was refused");
            return Ok(Err(ErrorCode::PasskeyDataRejected));
        }
    };
    let existing =
        credentials::find_by_credential_id(change, &party.id, &new.credential_id).await?;
    if existing.is_some() {
        return Ok(Err(ErrorCode::PasskeyExists));
    }
    if credentials::count(change, account.id).await? >= i64::from(change.app.config.passkeys.max) {
        return Ok(Err(ErrorCode::TooManyPasskeys));
    }
    Ok(Ok(new))
}

/// Stores a verified passkey, records its event and mails a notice.
async fn store(
    change: &mut Change<'_>,
    client: &Client,
    account: &Account,
    party: &RelyingParty,
    new: &NewPasskey,
) -> ApiResult<StoredPasskey> {
    let aaguid = new.aaguid.to_string();
    let unnamed = || Message::AnswerPasskeyName.text(client.language);
    let passkey = StoredPasskey {
        id: change.new_id(),
        account_id: account.id,
        rp_id: party.id.clone(),
        credential_id: new.credential_id.clone(),
        data: serde_json::to_string(&new.passkey).expect("plain data"),
        name: providers::name(&aaguid).unwrap_or_else(unnamed).to_owned(),
        aaguid,
        synced: new.passkey.backed_up,
        created_at: change.next_number(account).await?,
        last_used_at: None,
    };
    credentials::insert(change, &passkey).await?;
    let event = Event::new(SecurityEvent::PasskeyAdded, account.id);
    let event = event.detail(EventDetail::Name(&passkey.name));
    let (kind, number) = (MailKind::PasskeyAdded, passkey.created_at);
    strong_factor::report_added(change, account, kind, event, number).await?;
    Ok(passkey)
}

/// Returns the renamed passkey, or 404 if the account does not have a passkey with this id.
pub(crate) async fn rename(
    app: &App,
    client: &Client,
    signed_in: &SignedIn,
    id: Uuid,
    name: &str,
) -> ApiResult<StoredPasskey> {
    let name = visible_text::parse_name(name, MAX_PASSKEY_NAME_CHARS).ok_or_else(|| {
        let field = ("name", FieldRule::PasskeyName);
        ApiError::fields(ErrorCode::ValidationFailed, vec![field])
    })?;
    change(app, client, |mut change| async move {
        let LockedRows { account, .. } = signed_in.lock(&mut change).await?;
        let mut change = change
            .admit(&[LimitName::PreferenceChange.of(Subject::Account(account.id))])
            .await?;
        if !credentials::rename(&mut change, account.id, id, name).await? {
            return Err(ErrorCode::NotFound.into());
        }
        let event = Event::new(SecurityEvent::PasskeyRenamed, account.id);
        change.record(event.detail(EventDetail::Name(name))).await?;
        let passkeys = credentials::list(&mut change, account.id).await?;
        let renamed = passkeys.into_iter().find(|passkey| passkey.id == id);
        change.commit(renamed.ok_or(ErrorCode::NotFound)?).await
    })
    .await
}

/// Returns 404 if the account does not have a passkey with this id.
pub(crate) async fn remove(
    app: &App,
    client: &Client,
    session: &SessionAtRequiredLevel,
    id: Uuid,
) -> ApiResult {
    let permit = &CredentialPermit::for_removal(session);
    change(app, client, |mut change| async move {
        let LockedRows { account, .. } = permit.lock(&mut change, client).await?;
        removal::remove_passkey(&mut change, &account, id).await?;
        change.commit(()).await
    })
    .await
}
