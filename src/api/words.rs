//! The words of one language, for the screens.

use axum::extract::{Path, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::IntoResponse;

use super::caller::Caller;
use crate::app::Shared;
use crate::error::{Code, Failure};
use crate::words::Language;

/// The catalogue of one language.
#[utoipa::path(get, path = "/translations/{language}", operation_id = "translations", tag = "shell",
    params(("language" = String, Path, description = "en, de, es or pt")),
    responses((status = 200, description = "All words that screens show", body = Object)))]
pub async fn translations(
    State(app): State<Shared>,
    caller: Caller,
    Path(language): Path<String>,
) -> Result<impl IntoResponse, Failure> {
    let language = Language::ALL
        .into_iter()
        .find(|l| l.code() == language)
        .ok_or(Code::NotFound)?;
    let region = app.config.region_by_id(&caller.region);
    let words = app
        .shell
        .translations
        .catalogue(region, language, &app.clock)
        .await;
    let headers = [
        (CONTENT_TYPE, "application/json"),
        (CACHE_CONTROL, "public, max-age=300"),
    ];
    Ok((headers, words))
}
