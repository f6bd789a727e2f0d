//! The texts of the screens in one language.

use axum::extract::Path;

use crate::http::prelude::*;
use crate::http::site::Site;
use crate::i18n;

/// Returns the texts of one language.
#[utoipa::path(get, path = "/translations/{language}",
    params(("language" = String, Path, description = "An ISO 639-1 code, one of `languages` of `/config`")),
    responses((status = 200, description = "All texts of the screens", body = Object)))]
pub(crate) async fn translations(
    State(site): State<Site>,
    client: Client,
    Path(language): Path<String>,
) -> ApiResult<impl IntoResponse> {
    let language = Language::ALL
        .into_iter()
        .find(|l| l.code() == language)
        .ok_or(ErrorCode::NotFound)?;
    let region = site.app.config.region_by_id(&client.region);
    let words = site
        .pages
        .translations
        .catalogue(region, language, &site.app.clock, i18n::catalogue)
        .await;
    let headers = [
        (CONTENT_TYPE, "application/json"),
        (CACHE_CONTROL, "public, max-age=300"),
    ];
    Ok((headers, words))
}
