//! The OpenAPI document: the routes of the router, and the errors that every route shares.

use serde::Serialize;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, SecurityScheme};
use utoipa::openapi::{ContentBuilder, OpenApi, Ref, ResponseBuilder};
use utoipa::{OpenApi as _, PartialSchema, ToSchema};

use crate::error::ErrorCode;

/// The body of every response above 399.
#[derive(Serialize, ToSchema)]
pub(crate) struct Problem {
    code: ErrorCode,
    /// A sentence in the language of `Accept-Language`. For registration and completion an object with
    /// `fields` (a sentence for each) or `error`.
    detail: serde_json::Value,
    /// The codes of the faulty fields.
    fields: Option<serde_json::Map<String, serde_json::Value>>,
}

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Account",
        description = "Sign in, register, verify an address, reset a password, migrate an old account, manage settings.",
        license(name = "MIT")
    ),
    servers((url = "/account/account-api")),
    components(schemas(Problem, ErrorCode))
)]
struct Base;

pub(crate) fn base() -> OpenApi {
    Base::openapi()
}

/// The whole document.
pub fn document() -> OpenApi {
    let (_, mut document) = crate::http::router::api().split_for_parts();
    let shared = [
        ("400", "No JSON, no object, or a token that is not valid"),
        ("401", "No session, or wrong credentials"),
        ("403", "Refused: from elsewhere, or by policy"),
        ("404", "Nothing here"),
        ("405", "Another method"),
        ("409", "Taken"),
        ("413", "Too large"),
        ("415", "No application/json"),
        ("422", "A rule of the form is broken"),
        ("429", "Too often; Retry-After says when"),
        ("500", "Our mistake"),
        ("502", "The provider of the fragment is away"),
        (
            "503",
            "Busy, or the database is away; Retry-After says when",
        ),
    ];
    let _ = Problem::schema();
    let cookie = ApiKeyValue::with_description(
        "__Host-session",
        "Set by `login`. Over http, where browsers refuse the prefix, it is called `session`.",
    );
    if let Some(components) = &mut document.components {
        let scheme = SecurityScheme::ApiKey(ApiKey::Cookie(cookie));
        components.add_security_scheme("session", scheme);
    }
    for item in document.paths.paths.values_mut() {
        for operation in [&mut item.get, &mut item.post].into_iter().flatten() {
            for (status, description) in shared {
                let content = ContentBuilder::new()
                    .schema(Some(Ref::from_schema_name("Problem")))
                    .build();
                let response = ResponseBuilder::new()
                    .description(description)
                    .content("application/json", content)
                    .build();
                let responses = &mut operation.responses.responses;
                responses
                    .entry(status.to_owned())
                    .or_insert_with(|| response.into());
            }
        }
    }
    document
}
