//! Extractors for handlers.

/// Implements an extractor that needs the app and the head of the HTTP request.
macro_rules! extractor {
    ($extracted:ty, $rejection:ty, |$parts:ident, $app:ident| $body:block) => {
        impl<S: Send + Sync> axum::extract::FromRequestParts<S> for $extracted
        where
            $crate::app::SharedApp: axum::extract::FromRef<S>,
        {
            type Rejection = $rejection;

            async fn from_request_parts(
                $parts: &mut axum::http::request::Parts,
                state: &S,
            ) -> Result<Self, $rejection> {
                let $app = <$crate::app::SharedApp as axum::extract::FromRef<S>>::from_ref(state);
                $body
            }
        }
    };
}
pub(in crate::http) use extractor;

pub(crate) mod api_query;
mod body;
pub(crate) mod client;
pub(crate) mod form_body;
pub(crate) mod forwarded;
pub(crate) mod json_body;
pub(crate) mod link_token;
pub(crate) mod passkey_relying_party;
pub(crate) mod path_id;
pub(crate) mod same_origin;
mod session;
pub(crate) mod support_agent;

pub(crate) use body::BODY_LIMIT;
