//! A summary of the account's security.

use super::prelude::*;
use crate::accounts::security_state::{self, SecurityState};

/// Returns the state of the account's security and of this session.
#[utoipa::path(get, path = "/security",
    responses((status = 200, description = "The current state", body = SecurityState)))]
pub(crate) async fn security(
    State(app): State<SharedApp>,
    client: Client,
    signed_in: SignedIn,
) -> ApiResult<Json<SecurityState>> {
    Ok(Json(security_state::read(&app, &client, &signed_in).await?))
}
