//! The applications that the person is signed in to.

use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::Serialize;

use crate::accounts::client::Client;
use crate::accounts::connected_apps::{self, ConnectedApp};
use crate::accounts::session::SignedIn;
use crate::app::SharedApp;
use crate::error::{ApiError, ErrorCode};

#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct ConnectedApps {
    /// The applications, ordered by name.
    apps: Vec<ConnectedApp>,
}

/// Returns the applications that the person is signed in to.
#[utoipa::path(get, path = "/connected-apps", operation_id = "connected_apps", tag = "settings",
    security(("session" = [])),
    responses((status = 200, description = "The applications", body = ConnectedApps)))]
pub(crate) async fn list_apps(
    State(app): State<SharedApp>,
    signed_in: SignedIn,
) -> Result<Json<ConnectedApps>, ApiError> {
    let apps = connected_apps::list(&app, &signed_in).await?;
    Ok(Json(ConnectedApps { apps }))
}

errors! { SIGN_OUT_ERRORS: NotFound }

/// Signs the person out of an application. Revokes the application's tokens, and sends a logout token to the
/// application's back-channel logout URL, if one is registered.
#[utoipa::path(delete, path = "/connected-apps/{client_id}", operation_id = "sign_out_app", tag = "settings",
    security(("session" = [])),
    params(("client_id" = String, Path, description = "The client id of an application in the list")),
    responses((status = 204, description = "The person is signed out of the application")))]
pub(crate) async fn sign_out_app(
    State(app): State<SharedApp>,
    client: Client,
    signed_in: SignedIn,
    path: Result<Path<String>, PathRejection>,
) -> Result<StatusCode, ApiError> {
    // A path that is not UTF-8 after percent-decoding contains no client id.
    let Path(client_id) = path.map_err(|_| ErrorCode::NotFound)?;
    connected_apps::sign_out(&app, &client, &signed_in, &client_id).await?;
    Ok(StatusCode::NO_CONTENT)
}
