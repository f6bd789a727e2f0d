//! The id in the path of an HTTP request.

use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use uuid::Uuid;

use crate::error::{ApiError, ErrorCode};

/// The id that is the only path parameter. If it is no UUID, the response is `not_found`, as for an unknown id.
pub(crate) struct PathId(pub Uuid);

impl<S: Send + Sync> FromRequestParts<S> for PathId {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let path = Path::<Uuid>::from_request_parts(parts, state).await;
        let Path(id) = path.map_err(|_| ErrorCode::NotFound)?;
        Ok(PathId(id))
    }
}
