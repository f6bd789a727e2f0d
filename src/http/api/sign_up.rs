//! Registration.

use super::prelude::*;
use super::session::Me;
use crate::accounts::sign_up::{self, Registration};

/// Creates an account, and mails a link that verifies its email address. Starts no session.
#[utoipa::path(post, path = "/register",
    request_body = Registration,
    responses((status = 201, description = "Created; the address must be verified", body = Me)))]
pub(crate) async fn register(
    State(app): State<SharedApp>,
    client: Client,
    JsonBody(form): JsonBody<Registration>,
) -> ApiResult<impl IntoResponse> {
    let registered = sign_up::register(&app, &client, &form).await?;
    let cookies = CookieSetter::new(&app).set_device(&registered.device);
    let me = Me {
        email: registered.email,
        username: registered.username,
    };
    Ok((StatusCode::CREATED, cookies, Json(me)))
}
