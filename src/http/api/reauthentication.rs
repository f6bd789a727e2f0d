//! Reauthentication: a new proof of identity within a session.

use super::bodies::PasskeyOptions;
use super::prelude::*;
use crate::accounts::passkey::Assertion;
use crate::accounts::reauthentication;
use crate::domain::form_field::deserialize_secret_or_none;
use crate::http::extract::passkey_relying_party::PasskeyRelyingParty;

#[derive(Deserialize, ToSchema)]
pub(crate) struct Proof {
    #[serde(default, deserialize_with = "deserialize_secret_or_none")]
    #[schema(value_type = Option<String>)]
    password: Option<SecretInput>,
    /// The second-factor code: six digits of the authenticator app, or a recovery code. Required with `password` if the
    /// account has a second factor.
    #[serde(default, deserialize_with = "deserialize_secret_or_none")]
    #[schema(value_type = Option<String>)]
    code: Option<SecretInput>,
    /// The value `state` of the WebAuthn options. Required with `credential`.
    state: Option<String>,
    /// `PublicKeyCredential` as JSON.
    #[schema(value_type = Option<Object>)]
    credential: Option<Assertion>,
}

/// Returns the WebAuthn options for a proof of identity with a passkey of the account.
#[utoipa::path(post, path = "/reauthenticate/options",
    request_body = Nothing,
    responses((status = 200, description = "The options", body = PasskeyOptions)))]
pub(crate) async fn reauthenticate_options(
    State(app): State<SharedApp>,
    signed_in: SignedIn,
    PasskeyRelyingParty(party): PasskeyRelyingParty,
    _body: JsonBody<Nothing>,
) -> ApiResult<Json<PasskeyOptions>> {
    let options = reauthentication::passkey_options(&app, &signed_in, &party).await?;
    let (public_key, state) = options;
    Ok(Json(PasskeyOptions { state, public_key }))
}

/// Proves the identity again, for calls that return `reauthentication_required`. Rotates the session id.
#[utoipa::path(post, path = "/reauthenticate",
    request_body = Proof,
    responses((status = 204, description = "The identity is proved; the session has a new id")))]
pub(crate) async fn reauthenticate(
    State(app): State<SharedApp>,
    client: Client,
    signed_in: SignedIn,
    JsonBody(proof): JsonBody<Proof>,
) -> ApiResult<impl IntoResponse> {
    let id = match (&proof.state, &proof.credential) {
        (Some(state), Some(credential)) => {
            let party = client.relying_party(&app);
            let party = party.ok_or(ErrorCode::ReauthenticationFailed)?;
            reauthentication::confirm_with_passkey(
                &app, &client, &signed_in, &party, state, credential,
            )
            .await?
        }
        _ => {
            let password = proof.password.as_ref().map(SecretInput::expose);
            let password = password.unwrap_or_default();
            let code = proof.code.as_ref().map(SecretInput::expose);
            reauthentication::confirm_with_password(&app, &client, &signed_in, password, code)
                .await?
        }
    };
    let cookies = CookieSetter::new(&app).set_session(&id);
    Ok((cookies, StatusCode::NO_CONTENT))
}
