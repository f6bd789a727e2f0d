//! The number of times that a form refused this browser because of the person's age. A signed cookie stores the number.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use serde::{Deserialize, Serialize};

use crate::accounts::client::Client;
use crate::accounts::sign_up::age_refusals::UnderageAttempts;
use crate::app::SharedApp;
use crate::domain::age::AgeForm;
use crate::error::ApiError;
use crate::http::cookies::CookieSetter;
use crate::http::extract::api_query::ApiQuery;

#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct AgeRefusals {
    /// Whether the form refuses this browser, whatever birthday the person enters.
    blocked: bool,
}

errors! { ERRORS: BadRequest }

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct AgeFormQuery {
    /// The form whose refusals are counted. Default: the registration.
    #[serde(default)]
    #[param(inline, required = false)]
    form: AgeForm,
}

/// Returns whether the form has refused this browser too often because of the person's age.
#[utoipa::path(get, path = "/age-refusals", operation_id = "age_refusals", tag = "sign_up",
    params(AgeFormQuery),
    responses((status = 200, description = "The count comes from a cookie of this browser", body = AgeRefusals)))]
pub(crate) async fn age_refusals(
    State(app): State<SharedApp>,
    client: Client,
    ApiQuery(query): ApiQuery<AgeFormQuery>,
) -> Result<Json<AgeRefusals>, ApiError> {
    let attempts = UnderageAttempts::of(&app, &client, query.form);
    let blocked = attempts.is_limit_reached(&app);
    Ok(Json(AgeRefusals { blocked }))
}

/// Counts a refusal because of age that the screen itself has shown. Only the browser's cookie stores the count.
#[utoipa::path(post, path = "/age-refusals", operation_id = "count_age_refusal", tag = "sign_up",
    params(AgeFormQuery),
    responses((status = 204, description = "Counted in the browser's cookie")))]
pub(crate) async fn count_age_refusal(
    State(app): State<SharedApp>,
    client: Client,
    ApiQuery(query): ApiQuery<AgeFormQuery>,
) -> Result<impl IntoResponse, ApiError> {
    let form = query.form;
    tracing::info!(target: "security", event = "underage_refused");
    let count = UnderageAttempts::of(&app, &client, form).increment(&app);
    let cookies = CookieSetter::new(&app.config).set_age_refusals(&count);
    Ok((cookies, StatusCode::NO_CONTENT))
}
