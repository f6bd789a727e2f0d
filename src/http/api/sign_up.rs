//! Registration.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;

use super::session::Me;
use crate::accounts::client::Client;
use crate::accounts::sign_up::{self, Registration};
use crate::app::SharedApp;
use crate::error::ApiError;
use crate::http::cookies::CookieSetter;
use crate::http::extract::json_body::JsonBody;

errors! {
    REGISTER_ERRORS: AccountExists, EmailInOldSystem, UsernameInUse, Underage, RateLimited, Busy
}

/// Creates an account, and mails a link that verifies its email address. Starts no session.
#[utoipa::path(post, path = "/register", operation_id = "register", tag = "sign_up",
    request_body = Registration,
    responses((status = 201, description = "Created; the address must be verified", body = Me)))]
pub(crate) async fn register(
    State(app): State<SharedApp>,
    client: Client,
    JsonBody(form): JsonBody<Registration>,
) -> Result<impl IntoResponse, ApiError> {
    let registered = sign_up::register(&app, &client, &form).await?;
    let cookies = CookieSetter::new(&app.config).set_device(&registered.device);
    let me = Me {
        email: registered.email,
        username: registered.username,
    };
    Ok((StatusCode::CREATED, cookies, Json(me)))
}
