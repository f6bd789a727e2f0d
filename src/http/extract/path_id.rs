//! The id in the path of an HTTP request.

use axum::extract::{FromRequestParts, Path};
use uuid::Uuid;

use crate::http::prelude::*;

/// The id that is the only path parameter. If it is no UUID, the response is `not_found`, as for an unknown id.
pub(crate) struct PathId(pub Uuid);

impl<S: Send + Sync> FromRequestParts<S> for PathId {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> ApiResult<Self> {
        let path = Path::<Uuid>::from_request_parts(parts, state).await;
        let Path(id) = path.map_err(|_| ErrorCode::NotFound)?;
        Ok(PathId(id))
    }
}
