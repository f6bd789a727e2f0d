//! The query of an API request.

use axum::extract::{FromRequestParts, Query};
use serde::de::DeserializeOwned;

use crate::http::prelude::*;

/// The parameters in the query. If a parameter is missing, repeated or invalid, the response is 400 `bad_request`.
pub(crate) struct ApiQuery<T>(pub T);

impl<S: Sync, T: DeserializeOwned> FromRequestParts<S> for ApiQuery<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> ApiResult<Self> {
        let Query(query) = Query::try_from_uri(&parts.uri).map_err(|_| ErrorCode::BadRequest)?;
        Ok(ApiQuery(query))
    }
}
