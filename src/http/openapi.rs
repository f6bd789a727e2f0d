//! The OpenAPI document: the routes of the router, and the errors of each.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

use serde::Serialize;
use utoipa::openapi::path::{Operation, Paths};
use utoipa::openapi::schema::{AllOfBuilder, ObjectBuilder, Schema, Type};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, SecurityScheme};
use utoipa::openapi::{ContentBuilder, OpenApi, Ref, RefOr, ResponseBuilder};
use utoipa::{OpenApi as _, PartialSchema, ToSchema};

use crate::domain::security_event::SecurityEvent;
use crate::error::{ErrorCode, Rule};
use crate::http::error::status_of;

/// The body of every response above 399.
#[derive(Serialize, ToSchema)]
pub(crate) struct Problem {
    code: ErrorCode,
    /// A message in the language of `Accept-Language`. For registration and completion an object with `fields` (a
    /// message for each) or `error`.
    detail: serde_json::Value,
    /// The rules that the invalid fields break.
    fields: Option<BTreeMap<String, Rule>>,
}

/// Describes enums of `domain/`, which knows no OpenAPI, by the texts of their values.
macro_rules! text_schemas {
    ($($kind:ty as $name:literal,)*) => { $(
        impl PartialSchema for $kind {
            fn schema() -> RefOr<Schema> {
                let mut texts: Vec<_> = <$kind>::ALL.iter().map(|value| value.as_str()).collect();
                // Two neighbours of the table may have one text.
                texts.dedup();
                let schema = ObjectBuilder::new().schema_type(Type::String);
                schema.enum_values(Some(texts)).into()
            }
        }

        impl ToSchema for $kind {
            fn name() -> Cow<'static, str> {
                $name.into()
            }
        }
    )* };
}

text_schemas! {
    ErrorCode as "Code",
    Rule as "Rule",
    SecurityEvent as "SecurityEvent",
}

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Account",
        description = "Sign in, register, verify an address, reset a password, migrate an old account, manage settings.",
        license(name = "MIT")
    ),
    servers((url = "/account/account-api")),
    components(schemas(Problem, ErrorCode, Rule))
)]
struct Base;

pub(crate) fn base() -> OpenApi {
    Base::openapi()
}

/// Returns the whole document.
pub fn document() -> OpenApi {
    let (_, mut document) = crate::http::router::api().split_for_parts();
    let _ = Problem::schema();
    let cookie = ApiKeyValue::with_description(
        "__Host-session",
        "Set by `login`. Over http, where browsers refuse the prefix, it is called `session`.",
    );
    if let Some(components) = &mut document.components {
        let scheme = SecurityScheme::ApiKey(ApiKey::Cookie(cookie));
        components.add_security_scheme("session", scheme);
    }
    document
}

/// Adds the error responses of each operation: the codes of its flow, and those that follow from its method, its body
/// and its session.
pub(crate) fn declare_errors(paths: &mut Paths, flow_codes: &[ErrorCode]) {
    for item in paths.paths.values_mut() {
        let operations = [
            ("GET", &mut item.get),
            ("POST", &mut item.post),
            ("PUT", &mut item.put),
            ("PATCH", &mut item.patch),
            ("DELETE", &mut item.delete),
        ];
        for (method, operation) in operations {
            if let Some(operation) = operation {
                add_responses(operation, &response_codes(method, operation, flow_codes));
            }
        }
    }
}

fn response_codes(
    method: &str,
    operation: &Operation,
    of_flow: &[ErrorCode],
) -> HashSet<ErrorCode> {
    let mut codes = of_flow.to_vec();
    codes.extend([ErrorCode::Internal, ErrorCode::Unavailable]);
    if method != "GET" {
        codes.extend([ErrorCode::CrossSite, ErrorCode::UnsupportedMediaType]);
    }
    if operation.request_body.is_some() {
        codes.extend([
            ErrorCode::BadRequest,
            ErrorCode::PayloadTooLarge,
            ErrorCode::ValidationFailed,
        ]);
    }
    if operation.security.is_some() {
        codes.push(ErrorCode::Unauthenticated);
    }
    codes.into_iter().collect()
}

/// Adds one response for each status, which lists its codes.
fn add_responses(operation: &mut Operation, codes: &HashSet<ErrorCode>) {
    let mut by_status: BTreeMap<u16, Vec<&str>> = BTreeMap::new();
    for code in ErrorCode::ALL {
        if codes.contains(code) {
            by_status
                .entry(status_of(*code).as_u16())
                .or_default()
                .push(code.as_str());
        }
    }
    for (status, codes) in by_status {
        let description = codes.join(", ");
        let code = ObjectBuilder::new()
            .schema_type(Type::String)
            .enum_values(Some(codes));
        let schema = AllOfBuilder::new()
            .item(Ref::from_schema_name("Problem"))
            .item(ObjectBuilder::new().property("code", code))
            .build();
        let content = ContentBuilder::new()
            .schema(Some(Schema::AllOf(schema)))
            .build();
        let response = ResponseBuilder::new()
            .description(description)
            .content("application/json", content)
            .build();
        let responses = &mut operation.responses.responses;
        responses.insert(status.to_string(), response.into());
    }
}
