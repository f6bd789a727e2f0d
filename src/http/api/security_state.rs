//! A summary of the account's security.

use axum::Json;
use axum::extract::State;

use crate::accounts::client::Client;
use crate::accounts::security_state::{self, SecurityState};
use crate::accounts::session::SignedIn;
use crate::app::SharedApp;
use crate::error::ApiError;

/// Returns the state of the account's security and of this session.
#[utoipa::path(get, path = "/security", operation_id = "security", tag = "settings",
    security(("session" = [])),
    responses((status = 200, description = "The current state", body = SecurityState)))]
pub(crate) async fn security(
    State(app): State<SharedApp>,
    client: Client,
    signed_in: SignedIn,
) -> Result<Json<SecurityState>, ApiError> {
    Ok(Json(security_state::read(&app, &client, &signed_in).await?))
}
