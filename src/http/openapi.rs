//! Builds the OpenAPI document from the routes of the router, and adds the error responses of each route.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

use serde_json::{Value, json};
use utoipa::openapi::path::{Operation, Paths};
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{Components, OpenApi, Ref, RefOr, Response};
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

/// Returns a document without operations, which says how a session is sent.
pub(crate) fn base_document() -> OpenApi {
    let mut document = BaseDocument::openapi();
    let cookie = ApiKeyValue::with_description(
        "__Host-session",
        "Set by `login`. Over http, where browsers refuse the prefix, it is called `session`.",
    );
    let scheme = SecurityScheme::ApiKey(ApiKey::Cookie(cookie));
    let components = document.components.get_or_insert_default();
    components.add_security_scheme("session", scheme);
    document
}

/// Adds the tag, the session and the error responses of each operation. An operation has the error codes of its flow, and
/// those that its method, its body and its session make possible.
pub(crate) fn complete(
    document: &mut OpenApi,
    paths: &mut Paths,
    tag: &str,
    requires_session: bool,
    flow_codes: &[ErrorCode],
) {
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
                operation.tags = Some(vec![tag.to_owned()]);
                if requires_session {
                    let session = SecurityRequirement::new::<_, [&str; 0], _>("session", []);
                    operation.security = Some(vec![session]);
                }
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
    let mut schemas = vec![
        json!(Ref::from_schema_name("Problem")),
        code_schema(codes.to_vec()),
    ];
    if !with_data.is_empty() {
        let mut variants: Vec<_> = with_data
            .into_iter()
            .map(|code| data[code].clone())
            .collect();
        if !without_data.is_empty() {
            variants.push(code_schema(without_data));
        }
        schemas.push(json!({"oneOf": variants}));
    }
    let response = json!({
        "description": codes.join(", "),
        "content": {"application/json": {"schema": {"allOf": schemas}}},
    });
    serde_json::from_value(response).expect("a response of OpenAPI")
}

fn code_schema(codes: Vec<&str>) -> Value {
    let code = json!({"type": "string", "enum": codes});
    json!({"type": "object", "properties": {"code": code}})
}

/// Returns the schema of the data of each error code that has data.
fn error_data_schemas() -> BTreeMap<String, Value> {
    let mut data = json!(ErrorData::schema());
    let variants = data["oneOf"].as_array_mut().map(std::mem::take);
    let by_code = variants.into_iter().flatten().map(|schema| {
        let code = schema["properties"]["code"]["enum"][0].as_str();
        (code.unwrap_or_default().to_owned(), schema)
    });
    by_code.collect()
}
