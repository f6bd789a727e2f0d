//! A response, and assertions about all of it, by equality.

use std::sync::LazyLock;

use account::testing::error::{ErrorCode, FieldRule, status_of};
use account::testing::i18n::{Language, Message};
use axum::body::Bytes;
use axum::http::{HeaderMap, Method, StatusCode};
use http_body_util::BodyExt;
use serde_json::{Value, json};

use super::routes;

/// Sends a request, and asserts that it is refused with exactly this code and its English message.
macro_rules! assert_refused {
    ($request:expr, $code:ident) => {
        $request
            .await
            .assert_error(account::testing::error::ErrorCode::$code)
    };
    // With another message.
    ($request:expr, $code:ident, $message:expr) => {
        $request
            .await
            .assert_error_with_message(account::testing::error::ErrorCode::$code, $message)
    };
}

/// Sends a request, and asserts that it is refused with this code and more data. Returns the body.
macro_rules! assert_code {
    ($request:expr, $code:ident) => {
        $request
            .await
            .assert_error_with_data(account::testing::error::ErrorCode::$code)
    };
}

/// Sends a request, and asserts the status of the response. Returns the response.
macro_rules! assert_status {
    ($request:expr, $status:expr) => {{
        let response = $request.await;
        response.assert_status($status);
        response
    }};
}

/// Sends a request, and asserts status 200. Returns the response.
macro_rules! assert_ok {
    ($request:expr) => {
        assert_status!($request, 200)
    };
}

/// Sends a request, and asserts exactly this status and body.
macro_rules! assert_json {
    ($request:expr, $status:expr, $body:expr) => {
        $request.await.assert_json($status, $body)
    };
}

/// Asserts that a text contains each of these parts.
macro_rules! assert_contains {
    ($text:expr, $($part:expr),+ $(,)?) => {{
        let text = &$text;
        $(let part = $part;
        assert!(text.contains(part), "{part:?} is not in {text}");)+
    }};
}

/// Asserts that a text contains none of these parts.
macro_rules! assert_lacks {
    ($text:expr, $($part:expr),+ $(,)?) => {{
        let text = &$text;
        $(let part = $part;
        assert!(!text.contains(part), "{part:?} is in {text}");)+
    }};
}

#[derive(Debug, Clone)]
pub struct Response {
    /// Method and address of the request, for the messages of assertions.
    pub request: String,
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Response {
    pub async fn read(response: axum::response::Response) -> Response {
        let (parts, body) = response.into_parts();
        Response {
            request: String::new(),
            status: parts.status,
            headers: parts.headers,
            body: body.collect().await.expect("a whole body").to_bytes(),
        }
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        Some(self.headers.get(name)?.to_str().expect("ASCII"))
    }

    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("UTF-8")
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("no JSON: {}", self.text()))
    }

    pub fn set_cookies(&self) -> impl Iterator<Item = &str> {
        let all = self.headers.get_all("set-cookie").iter();
        all.map(|value| value.to_str().expect("ASCII"))
    }

    /// The whole `Set-Cookie` header with this name.
    pub fn set_cookie(&self, name: &str) -> Option<&str> {
        self.set_cookies()
            .find(|set| set.split('=').next() == Some(name))
    }

    #[track_caller]
    pub fn assert_status(&self, status: u16) {
        assert_eq!(self.status, status, "{}: {}", self.request, self.text());
    }

    #[track_caller]
    pub fn assert_header(&self, name: &str, value: &str) {
        assert_eq!(self.header(name), Some(value), "{name}");
    }

    /// Asserts exactly this status and body.
    #[track_caller]
    pub fn assert_json(&self, status: u16, body: &Value) -> &Response {
        assert_eq!((self.status.as_u16(), self.json()), (status, body.clone()));
        self
    }

    /// Asserts status 204 without a body.
    #[track_caller]
    pub fn assert_empty(&self) -> &Response {
        assert_eq!((self.status.as_u16(), self.text()), (204, ""));
        self
    }

    /// Asserts an error with exactly this code and its English message.
    #[track_caller]
    pub fn assert_error(&self, code: ErrorCode) -> &Response {
        match self.header("retry-after") {
            Some(seconds) if code == ErrorCode::RateLimited => {
                let minutes = seconds.parse::<u64>().unwrap().div_ceil(60);
                let unit = if minutes == 1 { "minute" } else { "minutes" };
                let detail =
                    format!("Too many attempts. Please wait {minutes} {unit} and try again.");
                self.assert_json(
                    status_of(code).as_u16(),
                    &json!({"code": code, "detail": detail}),
                )
            }
            _ => self.assert_error_with_message(code, code),
        }
    }

    /// Asserts an error with this code and additional data. Returns the body.
    #[track_caller]
    pub fn assert_error_with_data(&self, code: ErrorCode) -> Value {
        let body = self.json();
        assert_eq!(
            (self.status.as_u16(), &body["code"]),
            (status_of(code).as_u16(), &json!(code)),
            "{body}"
        );
        body
    }

    /// Asserts `validation_failed` with the message of the broken rule.
    #[track_caller]
    pub fn assert_broken_rule(&self, rule: impl Into<Message>) -> &Response {
        self.assert_error_with_message(ErrorCode::ValidationFailed, rule)
    }

    #[track_caller]
    pub fn assert_error_with_message(
        &self,
        code: ErrorCode,
        sentence: impl Into<Message>,
    ) -> &Response {
        let detail = sentence.into().text(Language::En);
        let mut body = json!({"code": code, "detail": detail});
        if code == ErrorCode::NewDevice {
            // The signed text differs in each response; `device_approval` tests its use.
            body["approval"] = self.json()["approval"].clone();
        }
        self.assert_json(status_of(code).as_u16(), &body)
    }

    /// Asserts the refusal of a form: a message and a code for each field.
    #[track_caller]
    pub fn assert_field_errors(&self, code: ErrorCode, fields: &[(&str, FieldRule)]) -> &Response {
        let by_name = |value: fn(FieldRule) -> Value| {
            let pairs = fields
                .iter()
                .map(|(name, c)| ((*name).to_owned(), value(*c)));
            Value::Object(pairs.collect())
        };
        let sentences = by_name(|code| json!(code.message().text(Language::En)));
        let body = json!({
            "code": code,
            "detail": {"fields": sentences},
            "fields": by_name(|code| json!(code)),
        });
        self.assert_json(status_of(code).as_u16(), &body)
    }

    /// Asserts that a form is refused because of one field.
    #[track_caller]
    pub fn assert_invalid_field(&self, name: &str, rule: FieldRule) -> &Response {
        self.assert_field_errors(ErrorCode::ValidationFailed, &[(name, rule)])
    }

    /// Asserts that a registration is refused only because of its username.
    #[track_caller]
    pub fn assert_username_in_use(&self) {
        self.assert_field_errors(
            ErrorCode::UsernameInUse,
            &[("username", FieldRule::UsernameInUse)],
        );
    }

    /// Checks the properties of every response, independent of the test.
    // security: HD-1, LG-5
    #[track_caller]
    pub fn assert_common_properties(&self, path: &str, config: &account::config::Config) {
        let header = |name| self.header(name).unwrap_or_default();
        assert_eq!(header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(header("referrer-policy"), "no-referrer", "{path}");
        assert_eq!(header("cross-origin-resource-policy"), "same-origin");
        let policy = header("content-security-policy");
        assert!(policy.contains("default-src 'none'"), "{path}: {policy}");
        // The gallery is for developers and frames its own screens and mails. A mail has inline styles, and the page of
        // the captured mails frames one.
        let is_mail = path.starts_with("/account/dev/gallery/mail/") && self.status.is_success();
        let is_screen = path.starts_with("/account/dev/gallery/screen") && self.status.is_success();
        let framed_by = if is_mail || is_screen { "self" } else { "none" };
        let ancestors = format!("frame-ancestors '{framed_by}'");
        assert!(policy.contains(&ancestors), "{path}: {policy}");
        let is_list_of_mails = path == "/account/dev/mail" && self.status.is_success();
        let inline = usize::from(is_mail || is_list_of_mails);
        assert_eq!(policy.matches("unsafe").count(), inline, "{path}: {policy}");
        let id = header("x-request-id");
        assert!(id.len() == 32 && id.bytes().all(|b| b.is_ascii_hexdigit()));
        let hsts = match config.server.hsts_subdomains {
            true => "max-age=31536000; includeSubDomains",
            false => "max-age=31536000",
        };
        let hsts = config.is_https().then_some(hsts);
        assert_eq!(self.header("strict-transport-security"), hsts, "{path}");
        for name in ["server", "x-powered-by"] {
            assert_eq!(self.header(name), None, "{path}");
        }
        // Only the OpenID provider permits cross-origin calls, because applications call it from their own pages.
        if !path.contains("/oidc/") && !path.contains("/.well-known/o") {
            assert_eq!(self.header("access-control-allow-origin"), None, "{path}");
        }
        if !self.body.is_empty() {
            let kind = header("content-type");
            let has_charset = kind.contains("charset=utf-8") || !kind.starts_with("text/");
            assert!(!kind.is_empty() && has_charset, "{path}: {kind}");
        }
    }

    /// Asserts the shape of errors and the rules for caches.
    #[track_caller]
    pub fn assert_api_properties(&self, method: &Method, path: &str) {
        let cache = self.header("cache-control").unwrap_or_default();
        let is_public = path.contains("/translations/") || path.contains("/ui/");
        assert!(
            cache == "no-store" || (is_public && self.status.is_success()),
            "{path}: {cache}"
        );
        if self.status.as_u16() > 399 && method != Method::HEAD {
            let body = self.json();
            let code = body["code"].as_str().unwrap_or_default();
            assert!(
                ErrorCode::ALL.iter().any(|c| c.as_str() == code),
                "{path}: {body}"
            );
            assert!(
                body["detail"].is_string() || body["detail"].is_object(),
                "{path}: {body}"
            );
            assert_eq!(
                self.status == 429 || self.status == 503,
                self.header("retry-after").is_some()
            );
            assert_error_is_documented(method, path, code);
        }
    }
}

/// Asserts that the OpenAPI document lists the returned code for this operation.
#[track_caller]
fn assert_error_is_documented(method: &Method, path: &str, code: &str) {
    static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
        // Parsed by the optimised code of the library: generic code would be compiled here, and take 15 ms.
        include_str!("../../openapi.json")
            .parse()
            .expect("the document is JSON")
    });
    let operations = DOCUMENT["paths"].as_object().expect("an object");
    let called = path.trim_start_matches("/account/account-api");
    let operation = operations
        .iter()
        .find(|(declared, _)| {
            let pattern = declared.split('{').next().unwrap_or_default();
            called == *declared || (pattern != *declared && called.starts_with(pattern))
        })
        .and_then(|(_, methods)| methods.get(method.as_str().to_lowercase()));
    let Some(operation) = operation else { return };
    let responses = operation["responses"].as_object().expect("an object");
    let is_declared = responses.values().any(|response| {
        let response = routes::referenced(&DOCUMENT, response);
        let schema = &response["content"]["application/json"]["schema"];
        let codes = schema["allOf"][1]["properties"]["code"]["enum"].as_array();
        codes.is_some_and(|codes| codes.iter().any(|declared| declared == code))
    });
    assert!(is_declared, "{method} {path} does not declare {code}");
}

/// Asserts that an object has these members. It may have others, as may the objects in it.
#[track_caller]
pub fn assert_members(object: &Value, expected: &Value) {
    assert_eq!(&select(object, expected), expected, "{object}");
}

/// Returns the part of a value that has the names of another.
fn select(value: &Value, names: &Value) -> Value {
    let (Value::Object(members), Value::Object(names)) = (value, names) else {
        return value.clone();
    };
    let selected = |(name, names)| Some((name, select(members.get(name)?, names)));
    let selected = names.iter().filter_map(selected);
    selected
        .map(|(name, value)| (name.clone(), value))
        .collect()
}
