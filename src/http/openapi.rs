//! Builds the OpenAPI document from the routes of the router, and adds the error responses of each route.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

use serde_json::json;
use utoipa::openapi::path::{Operation, Paths};
use utoipa::openapi::schema::{AllOfBuilder, ObjectBuilder, OneOfBuilder, Schema, Type};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, SecurityScheme};
use utoipa::openapi::{Components, ContentBuilder, OpenApi, Ref, RefOr, Response, ResponseBuilder};
use utoipa::{OpenApi as _, PartialSchema, ToSchema};

use crate::accounts::undo::reported_change::ReportedChangeKind;
use crate::domain::auth_method::AuthMethod;
use crate::domain::security_event::SecurityEvent;
use crate::domain::support_role::SupportRole;
use crate::error::{ErrorCode, ErrorData, FieldRule};
use crate::http::error::{Problem, status_of};
use crate::mail::MailKind;
use crate::support::actions::LinkKind;

/// Implements utoipa's schema traits for enums with `ALL` and `as_str`. A schema lists the enum's serialized values.
macro_rules! enum_schemas {
    ($($kind:ty as $name:literal,)*) => { $(
        impl PartialSchema for $kind {
            fn schema() -> RefOr<Schema> {
                let mut texts: Vec<_> = <$kind>::ALL.iter().map(|value| value.as_str()).collect();
                // Two adjacent variants may have the same serialized value.
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

enum_schemas! {
    ErrorCode as "Code",
    FieldRule as "Rule",
    SecurityEvent as "SecurityEvent",
    ReportedChangeKind as "ReportedChangeKind",
    AuthMethod as "ProofMethod",
    SupportRole as "SupportRole",
    MailKind as "MailKind",
    LinkKind as "LinkKind",
}

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Account",
        description = "Sign in, register, verify an address, reset a password, migrate an old account, manage settings.",
        license(name = "MIT")
    ),
    servers((url = "/account/account-api")),
    components(schemas(Problem, ErrorData))
)]
struct BaseDocument;

pub(crate) fn base_document() -> OpenApi {
    BaseDocument::openapi()
}

/// Adds to a document how a session is sent.
pub(crate) fn with_session_cookie(mut document: OpenApi) -> OpenApi {
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

/// Adds the error responses of each operation. An operation has the error codes of its flow, and those that its method,
/// its body and its session make possible.
pub(crate) fn declare_errors(document: &mut OpenApi, paths: &mut Paths, flow_codes: &[ErrorCode]) {
    let components = document.components.get_or_insert_default();
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
                let codes = response_codes(method, operation, flow_codes);
                add_responses(components, operation, &codes);
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

/// Adds one response for each status, which lists the error codes with this status. Operations with the same error
/// codes refer to one component.
fn add_responses(
    components: &mut Components,
    operation: &mut Operation,
    codes: &HashSet<ErrorCode>,
) {
    let mut by_status: BTreeMap<u16, Vec<&str>> = BTreeMap::new();
    for code in ErrorCode::ALL {
        if codes.contains(code) {
            let codes = by_status.entry(status_of(*code).as_u16()).or_default();
            codes.push(code.as_str());
        }
    }
    for (status, codes) in by_status {
        let name = format!("{status}-{}", codes.join("-"));
        let reference = Ref::from_response_name(&name);
        let responses = &mut operation.responses.responses;
        responses.insert(status.to_string(), reference.into());
        let component = components.responses.entry(name);
        component.or_insert_with(|| error_response(&codes).into());
    }
}

/// Returns the OpenAPI response for these error codes, including the schemas of the data that some of them have.
fn error_response(codes: &[&str]) -> Response {
    let data = error_data_schemas();
    let (with_data, without_data): (Vec<_>, Vec<_>) =
        codes.iter().partition(|code| data.contains_key(**code));
    let mut schema = AllOfBuilder::new()
        .item(Ref::from_schema_name("Problem"))
        .item(code_schema(codes.to_vec()));
    if !with_data.is_empty() {
        let mut variants = OneOfBuilder::new();
        for code in with_data {
            variants = variants.item(data[code].clone());
        }
        if !without_data.is_empty() {
            variants = variants.item(code_schema(without_data));
        }
        schema = schema.item(variants);
    }
    let content = ContentBuilder::new()
        .schema(Some(Schema::AllOf(schema.build())))
        .build();
    ResponseBuilder::new()
        .description(codes.join(", "))
        .content("application/json", content)
        .build()
}

fn code_schema(codes: Vec<&str>) -> ObjectBuilder {
    let code = ObjectBuilder::new()
        .schema_type(Type::String)
        .enum_values(Some(codes));
    ObjectBuilder::new().property("code", code)
}

/// Returns the schema of the data of each error code that has data.
fn error_data_schemas() -> BTreeMap<String, RefOr<Schema>> {
    let RefOr::T(Schema::OneOf(data)) = ErrorData::schema() else {
        return BTreeMap::new();
    };
    let by_code = data.items.into_iter().map(|schema| {
        let code = json!(schema)["properties"]["code"]["enum"][0].take();
        (code.as_str().unwrap_or_default().to_owned(), schema)
    });
    by_code.collect()
}
