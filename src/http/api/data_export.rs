//! The download of the account's data.

use axum::body::Body;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};

use super::prelude::*;
use crate::accounts::data_export;
use crate::accounts::reauthentication::RecentSession;
use crate::http::extract::same_origin::SameOriginFetch;

/// Returns all data of the account as a ZIP (docs/export.md), and mails a notice. After an error in the middle of the
/// body, the server closes the connection.
#[utoipa::path(get, path = "/data-export",
    responses((status = 200, description = "The archive", body = Vec<u8>, content_type = "application/zip")))]
pub(crate) async fn data_export(
    State(app): State<SharedApp>,
    _: SameOriginFetch,
    client: Client,
    recent: RecentSession,
) -> ApiResult<impl IntoResponse> {
    let download = data_export::export(&app, &client, &recent).await?;
    let disposition = format!("attachment; filename=\"{}\"", download.file_name);
    let headers = [
        (CONTENT_TYPE, "application/zip".to_owned()),
        (CONTENT_DISPOSITION, disposition),
    ];
    Ok((headers, Body::from_stream(download.zip)))
}
