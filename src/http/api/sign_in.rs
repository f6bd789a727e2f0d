//! Sign-in with email address and password, and with a second-factor code.

use super::prelude::*;
use super::session::{self, CurrentUser, Me};
use crate::accounts::device_approval;
use crate::accounts::second_factor;
use crate::accounts::second_factor::sign_in::SecondStep;
use crate::accounts::sign_in;
use crate::domain::form_field::deserialize_secret;
use crate::http::extract::api_query::ApiQuery;

#[derive(Deserialize, ToSchema)]
pub(crate) struct Credentials {
    email: String,
    #[schema(value_type = String)]
    password: SecretInput,
    /// The application that the sign-in is for. An unknown application counts as `wiki`. The value has no effect.
    #[serde(default)]
    #[schema(default = "wiki")]
    #[expect(dead_code, reason = "clients may send it, but it has no effect")]
    app: Option<serde_json::Value>,
}

/// Signs in with email address and password.
#[utoipa::path(post, path = "/login",
    request_body = Credentials,
    responses((status = 200, description = "Signed in; the session cookie is set", body = Me)))]
pub(crate) async fn login(
    State(app): State<SharedApp>,
    client: Client,
    JsonBody(form): JsonBody<Credentials>,
) -> ApiResult<impl IntoResponse> {
    let signed_in = sign_in::sign_in(&app, &client, &form.email, form.password.expose()).await?;
    let cookies = CookieSetter::new(&app)
        .set_session(&signed_in.session)
        .set_device(&signed_in.device);
    let me = Me {
        email: signed_in.email,
        username: signed_in.username,
    };
    Ok((cookies, Json(me)))
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct SecondFactor {
    /// The value `second_factor_token` of the refused sign-in.
    #[serde(default, deserialize_with = "deserialize_secret")]
    #[schema(value_type = String)]
    token: SecretInput,
    /// The second-factor code: six digits of the authenticator app, or a recovery code.
    #[schema(value_type = String)]
    code: SecretInput,
    /// Whether sign-ins on this device need no second-factor code for `second_factor_trust_days`.
    #[serde(default)]
    trust_device: bool,
}

/// Completes a sign-in that was refused with `second_factor_required`.
#[utoipa::path(post, path = "/login/second-factor",
    request_body = SecondFactor,
    responses((status = 200, description = "Signed in; the session cookie is set", body = CurrentUser)))]
pub(crate) async fn login_second_factor(
    State(app): State<SharedApp>,
    client: Client,
    JsonBody(form): JsonBody<SecondFactor>,
) -> ApiResult<impl IntoResponse> {
    let step = SecondStep {
        token: form.token.expose(),
        code: form.code.expose(),
        trust_device: form.trust_device,
    };
    let signed_in = second_factor::sign_in::sign_in(&app, &client, &step).await?;
    Ok(session::session_started(&app, signed_in))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ApprovalQuery {
    /// The value `approval` of a sign-in that was refused with `new_device`.
    approval: String,
}

/// Whether the device of this browser is approved.
#[derive(Serialize, ToSchema)]
pub(crate) struct Approval {
    approved: bool,
}

/// Returns whether the owner has approved this browser by the mailed link. The value `approval` is valid for ten minutes
/// in the browser that received it. The value expires earlier if the owner refuses the browser.
#[utoipa::path(get, path = "/device-approval",
    params(ApprovalQuery), responses((status = 200, description = "Approved, or still waiting", body = Approval)))]
pub(crate) async fn device_approval(
    State(app): State<SharedApp>,
    client: Client,
    ApiQuery(query): ApiQuery<ApprovalQuery>,
) -> ApiResult<Json<Approval>> {
    let approved = device_approval::is_approved(&app, &client, &query.approval).await?;
    Ok(Json(Approval { approved }))
}
