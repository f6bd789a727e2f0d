//! The number of times that a form refused this browser because of the person's age. A signed cookie stores the number.

use super::prelude::*;
use crate::accounts::sign_up::age_refusals::UnderageAttempts;
use crate::domain::age::AgeForm;
use crate::http::extract::api_query::ApiQuery;

#[derive(Serialize, ToSchema)]
pub(crate) struct AgeRefusals {
    /// Whether the form refuses this browser, whatever birthday the person enters.
    blocked: bool,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct AgeFormQuery {
    /// The form whose refusals are counted. Default: the registration.
    #[serde(default)]
    #[param(inline, required = false)]
    form: AgeForm,
}

/// Returns whether the form has refused this browser too often because of the person's age.
#[utoipa::path(get, path = "/age-refusals",
    params(AgeFormQuery),
    responses((status = 200, description = "The count comes from a cookie of this browser", body = AgeRefusals)))]
pub(crate) async fn age_refusals(
    State(app): State<SharedApp>,
    client: Client,
    ApiQuery(query): ApiQuery<AgeFormQuery>,
) -> ApiResult<Json<AgeRefusals>> {
    let attempts = UnderageAttempts::of(&app, &client, query.form);
    let blocked = attempts.is_limit_reached();
    Ok(Json(AgeRefusals { blocked }))
}

/// Counts a refusal because of age that the screen itself has shown. Only the browser's cookie stores the count.
#[utoipa::path(post, path = "/age-refusals",
    params(AgeFormQuery),
    responses((status = 204, description = "Counted in the browser's cookie")))]
pub(crate) async fn count_age_refusal(
    State(app): State<SharedApp>,
    client: Client,
    ApiQuery(query): ApiQuery<AgeFormQuery>,
) -> ApiResult<impl IntoResponse> {
    let form = query.form;
    tracing::info!(target: "security", event = "underage_refused");
    let count = UnderageAttempts::of(&app, &client, form).increment(&app);
    let cookies = CookieSetter::new(&app).set_age_refusals(&count);
    Ok((cookies, StatusCode::NO_CONTENT))
}
