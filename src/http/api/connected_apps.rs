//! The applications that the person is signed in to.

use axum::extract::Path;
use axum::extract::rejection::PathRejection;

use super::prelude::*;
use crate::accounts::connected_apps::{self, ConnectedApp};

#[derive(Serialize, ToSchema)]
pub(crate) struct ConnectedApps {
    /// The applications, ordered by name.
    apps: Vec<ConnectedApp>,
}

/// Returns the applications that the person is signed in to.
#[utoipa::path(get, path = "/connected-apps",
    responses((status = 200, description = "The applications", body = ConnectedApps)))]
pub(crate) async fn connected_apps(
    State(app): State<SharedApp>,
    signed_in: SignedIn,
) -> ApiResult<Json<ConnectedApps>> {
    let apps = connected_apps::list(&app, &signed_in).await?;
    Ok(Json(ConnectedApps { apps }))
}

/// Signs the person out of an application. Revokes the application's tokens, and sends a logout token to the
/// application's back-channel logout URL, if one is registered.
#[utoipa::path(delete, path = "/connected-apps/{client_id}",
    params(("client_id" = String, Path, description = "The client id of an application in the list")),
    responses((status = 204, description = "The person is signed out of the application")))]
pub(crate) async fn sign_out_app(
    State(app): State<SharedApp>,
    client: Client,
    signed_in: SignedIn,
    path: Result<Path<String>, PathRejection>,
) -> ApiResult<StatusCode> {
    // A path that is not UTF-8 after percent-decoding contains no client id.
    let Path(client_id) = path.map_err(|_| ErrorCode::NotFound)?;
    connected_apps::sign_out(&app, &client, &signed_in, &client_id).await?;
    Ok(StatusCode::NO_CONTENT)
}
