//! The id in a path.

use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use uuid::Uuid;

use crate::error::{ErrorCode, Failure};

/// The only parameter of the path. A text that is no id is `not_found`, like the id of something that is not there.
pub(crate) struct PathId(pub Uuid);

impl<S: Send + Sync> FromRequestParts<S> for PathId {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        let path = Path::<Uuid>::from_request_parts(parts, state).await;
        let Path(id) = path.map_err(|_| ErrorCode::NotFound)?;
        Ok(PathId(id))
    }
}
