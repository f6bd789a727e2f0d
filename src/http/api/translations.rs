//! The messages of one language, for the screens.

use axum::extract::{Path, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::IntoResponse;

use super::request_context::RequestContext;
use crate::app::Shared;
use crate::error::{ApiError, ErrorCode};
use crate::i18n::Language;

/// The catalogue of one language.
#[utoipa::path(get, path = "/translations/{language}", operation_id = "translations", tag = "shell",
    params(("language" = String, Path, description = "en, de, es or pt")),
    responses((status = 200, description = "All texts of the screens", body = Object)))]
pub(crate) async fn translations(
    State(app): State<Shared>,
    context: RequestContext,
    Path(language): Path<String>,
) -> Result<impl IntoResponse, ApiError> {
    let language = Language::ALL
        .into_iter()
        .find(|l| l.code() == language)
        .ok_or(ErrorCode::NotFound)?;
    let region = app.config.region_by_id(&context.region);
    let words = app
        .pages
        .translations
        .catalogue(region, language, &app.clock)
        .await;
    let headers = [
        (CONTENT_TYPE, "application/json"),
        (CACHE_CONTROL, "public, max-age=300"),
    ];
    Ok((headers, words))
}
