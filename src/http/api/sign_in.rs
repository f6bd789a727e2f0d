//! Sign-in with e-mail and password.

use axum::Json;
use axum::extract::State;
use axum::response::IntoResponse;
use serde::Deserialize;

use super::session::Me;
use crate::accounts::sign_in;
use crate::app::Shared;
use crate::auth::client::Client;
use crate::error::{ErrorCode, Failure};
use crate::http::cookies::Setter;
use crate::http::extract::json_body::Body;

#[derive(Debug, Deserialize, utoipa::ToSchema)]
pub(crate) struct Credentials {
    email: String,
    password: String,
    /// The application that asks; an unknown one counts as `wiki`. It has no effect.
    #[serde(default)]
    #[schema(default = "wiki")]
    #[expect(dead_code, reason = "read, as specified, and never acted on")]
    app: Option<serde_json::Value>,
}

pub(crate) const LOGIN_ERRORS: &[ErrorCode] = &[
    ErrorCode::InvalidCredentials,
    ErrorCode::NeedsMigration,
    ErrorCode::EmailNotVerified,
    ErrorCode::NewDevice,
    ErrorCode::TooManyDevices,
    ErrorCode::RateLimited,
    ErrorCode::Busy,
];

/// Signs in with e-mail and password.
#[utoipa::path(post, path = "/login", operation_id = "login", tag = "sign_in",
    request_body = Credentials,
    responses((status = 200, description = "Signed in; the session cookie is set", body = Me)))]
pub(crate) async fn login(
    State(app): State<Shared>,
    client: Client,
    Body(form): Body<Credentials>,
) -> Result<impl IntoResponse, Failure> {
    let signed_in = sign_in::sign_in(&app, &client, &form.email, &form.password).await?;
    let cookies = Setter::new(&app.config)
        .session(&signed_in.session)
        .device(&signed_in.device)
        .done();
    let me = Me {
        email: signed_in.email,
        username: signed_in.username,
    };
    Ok((cookies, Json(me)))
}
