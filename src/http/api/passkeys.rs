//! Sign-in with a passkey, and the passkeys of an account.

use uuid::Uuid;

use super::bodies::PasskeyOptions;
use super::prelude::*;
use super::session::{self, CurrentUser};
use crate::accounts::passkey::{self, Assertion, NewCredential, providers};
use crate::accounts::passkey_settings::{self, PasskeySignal};
use crate::accounts::reauthentication::SessionAtRequiredLevel;
use crate::clock::rfc3339;
use crate::http::extract::passkey_relying_party::PasskeyRelyingParty;
use crate::http::extract::path_id::PathId;
use crate::store::credentials::StoredPasskey;

/// The response of an authenticator with an existing passkey.
#[derive(Deserialize, ToSchema)]
pub(crate) struct PasskeyAnswer {
    state: String,
    /// `PublicKeyCredential` as JSON.
    #[schema(value_type = Object)]
    credential: Assertion,
}

/// The response of an authenticator with a new passkey.
#[derive(Deserialize, ToSchema)]
pub(crate) struct NewPasskeyAnswer {
    state: String,
    /// `PublicKeyCredential` as JSON.
    #[schema(value_type = Object)]
    credential: NewCredential,
}

/// A passkey of the account.
#[derive(Serialize, ToSchema)]
pub(crate) struct Passkey {
    id: Uuid,
    name: String,
    /// The name of the passkey's provider, if the provider publishes its name.
    provider: Option<&'static str>,
    /// Whether the provider synchronises the passkey, as opposed to a passkey that is bound to one device.
    synced: bool,
    /// The time of the passkey's creation, RFC 3339 in UTC.
    created_at: String,
    last_used_at: Option<String>,
    /// Whether the passkey works on the site of this request.
    this_site: bool,
    /// The relying party ID of the site on which the passkey works.
    site: String,
}

impl Passkey {
    fn new(stored: StoredPasskey, here: &str) -> Passkey {
        Passkey {
            id: stored.id,
            provider: providers::name(&stored.aaguid),
            synced: stored.synced,
            created_at: rfc3339(stored.created_at),
            last_used_at: stored.last_used_at.map(rfc3339),
            this_site: stored.rp_id == here,
            name: stored.name,
            site: stored.rp_id,
        }
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct Passkeys {
    /// The passkeys, the oldest first.
    passkeys: Vec<Passkey>,
    signal: PasskeySignal,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct RemovedPasskey {
    signal: PasskeySignal,
}

/// Returns the WebAuthn options of a sign-in with a passkey, which are the same for every account.
#[utoipa::path(post, path = "/passkeys/sign-in/options",
    request_body = Nothing,
    responses((status = 200, description = "The options", body = PasskeyOptions)))]
pub(crate) async fn passkey_sign_in_options(
    State(app): State<SharedApp>,
    client: Client,
    PasskeyRelyingParty(party): PasskeyRelyingParty,
    _body: JsonBody<Nothing>,
) -> ApiResult<Json<PasskeyOptions>> {
    let (public_key, state) = passkey::sign_in::begin(&app, &client, &party).await?;
    Ok(Json(PasskeyOptions { state, public_key }))
}

/// Signs in with a passkey.
#[utoipa::path(post, path = "/passkeys/sign-in",
    request_body = PasskeyAnswer,
    responses((status = 200, description = "Signed in; the session cookie is set", body = CurrentUser)))]
pub(crate) async fn passkey_sign_in(
    State(app): State<SharedApp>,
    client: Client,
    PasskeyRelyingParty(party): PasskeyRelyingParty,
    JsonBody(answer): JsonBody<PasskeyAnswer>,
) -> ApiResult<impl IntoResponse> {
    let PasskeyAnswer { state, credential } = answer;
    let signed_in = passkey::sign_in::sign_in(&app, &client, &party, &state, &credential).await?;
    Ok(session::session_started(&app, signed_in))
}

/// Lists the passkeys of the account, including those of other sites than this one.
#[utoipa::path(get, path = "/passkeys",
    responses((status = 200, description = "The passkeys", body = Passkeys)))]
pub(crate) async fn passkeys(
    State(app): State<SharedApp>,
    signed_in: SignedIn,
    PasskeyRelyingParty(party): PasskeyRelyingParty,
) -> ApiResult<Json<Passkeys>> {
    let (stored, signal) = passkey_settings::list(&app, &signed_in, &party).await?;
    let stored = stored.into_iter();
    Ok(Json(Passkeys {
        passkeys: stored.map(|one| Passkey::new(one, &party.id)).collect(),
        signal,
    }))
}

/// Returns the WebAuthn options for the creation of a passkey.
#[utoipa::path(post, path = "/passkeys/options",
    request_body = Nothing,
    responses((status = 200, description = "The options", body = PasskeyOptions)))]
pub(crate) async fn passkey_options(
    State(app): State<SharedApp>,
    client: Client,
    session: SessionAtRequiredLevel,
    PasskeyRelyingParty(party): PasskeyRelyingParty,
    _body: JsonBody<Nothing>,
) -> ApiResult<Json<PasskeyOptions>> {
    let (public_key, state) =
        passkey_settings::begin_adding(&app, &client, &session, &party).await?;
    Ok(Json(PasskeyOptions { state, public_key }))
}

/// Adds a passkey, and mails a link that removes it. The first passkey or second factor of an account raises the
/// session to authentication level 2, and rotates the session id.
#[utoipa::path(post, path = "/passkeys",
    request_body = NewPasskeyAnswer,
    responses((status = 201, description = "The passkey is added", body = Passkey)))]
pub(crate) async fn add_passkey(
    State(app): State<SharedApp>,
    client: Client,
    session: SessionAtRequiredLevel,
    PasskeyRelyingParty(party): PasskeyRelyingParty,
    JsonBody(answer): JsonBody<NewPasskeyAnswer>,
) -> ApiResult<impl IntoResponse> {
    let NewPasskeyAnswer { state, credential } = answer;
    let added = passkey_settings::add(&app, &client, &session, &party, &state, &credential).await?;
    let mut cookies = CookieSetter::new(&app);
    if let Some(session) = &added.session {
        cookies = cookies.set_session(session);
    }
    let passkey = Passkey::new(added.passkey, &party.id);
    Ok((StatusCode::CREATED, cookies, Json(passkey)))
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct PasskeyName {
    /// The new name, of 1 to 60 characters.
    name: String,
}

/// Renames a passkey.
#[utoipa::path(patch, path = "/passkeys/{id}",
    params(("id" = Uuid, Path, description = "The id of a passkey in the list")),
    request_body = PasskeyName,
    responses((status = 200, description = "The renamed passkey", body = Passkey)))]
pub(crate) async fn rename_passkey(
    State(app): State<SharedApp>,
    client: Client,
    signed_in: SignedIn,
    PasskeyRelyingParty(party): PasskeyRelyingParty,
    PathId(id): PathId,
    JsonBody(form): JsonBody<PasskeyName>,
) -> ApiResult<Json<Passkey>> {
    let renamed = passkey_settings::rename(&app, &client, &signed_in, id, &form.name).await?;
    Ok(Json(Passkey::new(renamed, &party.id)))
}

/// Removes a passkey.
#[utoipa::path(delete, path = "/passkeys/{id}",
    params(("id" = Uuid, Path, description = "The id of a passkey in the list")),
    responses((status = 200, description = "The passkey is removed", body = RemovedPasskey)))]
pub(crate) async fn remove_passkey(
    State(app): State<SharedApp>,
    client: Client,
    session: SessionAtRequiredLevel,
    PasskeyRelyingParty(party): PasskeyRelyingParty,
    PathId(id): PathId,
) -> ApiResult<Json<RemovedPasskey>> {
    passkey_settings::remove(&app, &client, &session, id).await?;
    let (_, signal) = passkey_settings::list(&app, session.signed_in_session(), &party).await?;
    Ok(Json(RemovedPasskey { signal }))
}
